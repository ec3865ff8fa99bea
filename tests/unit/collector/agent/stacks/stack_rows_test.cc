// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/stacks/stack_rows.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "collector/agent/stacks/elf_symbols.h"
#include "tests/support/temp_folder.h"

namespace flopsprof::agent {
namespace {

shm::StackFrame Python(uint32_t name, uint32_t file, uint32_t line) {
  shm::StackFrame frame = {};
  frame.origin = static_cast<uint32_t>(shm::FrameOrigin::kPython);
  frame.name = name;
  frame.file = file;
  frame.line = line;
  return frame;
}

std::string Bytes(const std::vector<shm::StackFrame>& frames) {
  return std::string(reinterpret_cast<const char*>(frames.data()),
                     frames.size() * sizeof(shm::StackFrame));
}

bool NoKernel(uint64_t, v1::StackRow*) { return true; }

TEST(StackRowsTest, SendsAStackOnceItsNamesAreThereOutermostFirst) {
  StackRows rows;
  NameTable names;
  ASSERT_TRUE(rows.Define(7, Bytes({Python(1, 2, 10), Python(3, 2, 20)})));
  names.Define(1, "inner");
  names.Define(2, "/tmp/a\nb.py");
  v1::ProcessProfile profile;
  EXPECT_EQ(rows.Emit(names, 10, /*final=*/false, 1, NoKernel, &profile), 0u);
  names.Define(3, "main");
  EXPECT_EQ(rows.Emit(names, 10, /*final=*/false, 2, NoKernel, &profile), 1u);
  ASSERT_EQ(profile.stacks_size(), 1);
  EXPECT_EQ(profile.stacks(0).id(), 7u);
  EXPECT_EQ(profile.stacks(0).frames(), "py main\t/tmp/a b.py:20\npy inner\t/tmp/a b.py:10");
  EXPECT_EQ(rows.Emit(names, 10, /*final=*/true, 3, NoKernel, &profile), 0u);
}

TEST(StackRowsTest, SumsSamplesOfOneStackAndKernel) {
  StackRows rows;
  NameTable names;
  JoinedActivity activity = {};
  activity.stack = 5;
  activity.context.scope = 9;
  activity.duration_ns = 100;
  activity.stack_launches = 3;
  rows.Add(activity, 1, v1::TIME_CATEGORY_UNKNOWN);
  activity.stack_launches = 0;  // more work of the same launch
  rows.Add(activity, 1, v1::TIME_CATEGORY_UNKNOWN);
  v1::ProcessProfile profile;
  EXPECT_EQ(rows.Emit(names, 10, false, 1, NoKernel, &profile), 1u);
  ASSERT_EQ(profile.stack_rows_size(), 1);
  EXPECT_EQ(profile.stack_rows(0).stack(), 5u);
  EXPECT_EQ(profile.stack_rows(0).scope(), 9u);
  EXPECT_EQ(profile.stack_rows(0).samples(), 2u);
  EXPECT_EQ(profile.stack_rows(0).launches(), 3u);
  EXPECT_EQ(profile.stack_rows(0).gpu_time_ns(), 200u);
}

TEST(StackRowsTest, RefusesWhatIsNoStack) {
  StackRows rows;
  EXPECT_FALSE(rows.Define(1, ""));
  EXPECT_FALSE(rows.Define(1, std::string(23, 'x')));
  EXPECT_FALSE(rows.Define(1, std::string(24 * (shm::kMaxStackFrames + 1), 'x')));
}

// A function of this program, as it is linked.
__attribute__((noinline)) void FunctionToBeFound() { asm volatile(""); }

std::string OwnBytes() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

uint64_t OwnOffset() {
  // The program's first segment is linked at 0. Sanitizers map their own below it.
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(program) == std::string::npos) continue;
    return reinterpret_cast<uint64_t>(&FunctionToBeFound) - std::stoull(line, nullptr, 16);
  }
  return 0;
}

TEST(ElfSymbolsTest, FindsAFunctionInsideOfItsBounds) {
  const auto found = FindFunctions("/proc/self/exe", "", {OwnOffset(), OwnOffset() + 1, 1});
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_TRUE(found->contains(OwnOffset()));
  EXPECT_NE(found->at(OwnOffset()).find("FunctionToBeFound"), std::string::npos);
  EXPECT_FALSE(found->contains(1));
}

TEST(ElfSymbolsTest, RefusesAnotherBuildIdAndWhatIsNoFile) {
  EXPECT_FALSE(FindFunctions("/proc/self/exe", "0123", {1}).ok());
  EXPECT_FALSE(FindFunctions("/dev/zero", "", {1}).ok());
  EXPECT_FALSE(FindFunctions("/tmp", "", {1}).ok());
  EXPECT_FALSE(FindFunctions("/proc/self/cmdline", "", {1}).ok());
  flopsprof::testing::TempFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(FindFunctions(pipe, "", {1}).ok());  // and does not wait for a writer
}

TEST(ElfSymbolsTest, SurvivesDamagedFiles) {
  flopsprof::testing::TempFolder folder;
  const std::string path = folder.path() + "/damaged";
  std::string bytes = OwnBytes();
  uint64_t sections = 0;
  std::memcpy(&sections, bytes.data() + 40, sizeof sections);  // e_shoff
  ASSERT_LT(sections, bytes.size());
  std::ofstream(path, std::ios::binary) << bytes;
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; i++) {
    // In the file header and the section headers, where the sizes are.
    const size_t at = i % 3 == 0 ? random() % 64 : sections + random() % (bytes.size() - sections);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(random()));
    file.close();
    (void)FindFunctions(path, "", {OwnOffset()});
    file.open(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(bytes[at]);
  }
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(sections / 2)), 0);
  EXPECT_FALSE(FindFunctions(path, "", {1}).ok());
}

}  // namespace
}  // namespace flopsprof::agent
