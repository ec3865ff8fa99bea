// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/folder_name.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  stat(path.c_str(), &info);
  return info.st_mode & 07777;
}

TEST(SafeNameTest, KeepsPlainNames) { EXPECT_EQ(SafeName("train_v1.2-b.py"), "train_v1.2-b.py"); }

TEST(SafeNameTest, NeverMakesAPathOrAHiddenFile) {
  EXPECT_EQ(SafeName("../../etc/passwd"), "______etc_passwd");
  EXPECT_EQ(SafeName("/abs"), "_abs");
  EXPECT_EQ(SafeName("-rf"), "_rf");
  EXPECT_EQ(SafeName(".."), "job");
  EXPECT_EQ(SafeName(""), "job");
  EXPECT_EQ(SafeName(std::string("a\0b\x1b[2J", 7)), "a_b__2J");
  EXPECT_EQ(SafeName("<script>=cmd"), "_script__cmd");
  EXPECT_EQ(SafeName(std::string(65536, 'x')).size(), 48u);
}

TEST(AutoFolderNameTest, HoldsJobAndUtcTime) {
  // 2023-11-14T22:13:20Z
  EXPECT_EQ(AutoFolderName("train.py", 1700000000000000000), "flopsprof-train.py-20231114T221320Z");
}

TEST(MakeFreshFolderTest, IsExactlyTheNameWhenNothingIsThere) {
  TemporaryFolder folder;
  EXPECT_EQ(*MakeFreshFolder(folder / "out"), folder / "out");
  EXPECT_EQ(ModeOf(folder / "out"), 0700u);
}

TEST(MakeFreshFolderTest, CountsUpWhenTheNameIsTaken) {
  TemporaryFolder folder;
  ASSERT_TRUE(MakeFreshFolder(folder / "out").ok());
  EXPECT_EQ(*MakeFreshFolder(folder / "out/"), folder / "out-2");
  EXPECT_EQ(*MakeFreshFolder(folder / "out"), folder / "out-3");
}

TEST(MakeFreshFolderTest, MakesMissingParents) {
  TemporaryFolder folder;
  EXPECT_EQ(*MakeFreshFolder(folder / "a/b/out"), folder / "a/b/out");
}

TEST(MakeFreshFolderTest, SaysWhyNot) {
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  const auto made = MakeFreshFolder(folder / "file/out");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("file"), absl::string_view::npos);
}

TEST(ReplaceFileTest, WritesPrivateFilesAsAWhole) {
  TemporaryFolder folder;
  ASSERT_TRUE(ReplaceFile(folder.path(), "report.txt", "one").ok());
  ASSERT_TRUE(ReplaceFile(folder.path(), "report.txt", "two").ok());
  std::ifstream file(folder / "report.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "two");
  EXPECT_EQ(ModeOf(folder / "report.txt"), 0600u);
  EXPECT_FALSE(std::filesystem::exists(folder / ".report.txt.new"));
}

TEST(ReplaceFileTest, RefusesPaths) {
  TemporaryFolder folder;
  EXPECT_FALSE(ReplaceFile(folder.path(), "../x", "").ok());
  EXPECT_FALSE(ReplaceFile(folder.path(), ".x", "").ok());
}

}  // namespace
}  // namespace flopsprof::store
