// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "sim_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

namespace simgpu_test {

std::map<std::string, std::initializer_list<const char*>>& Environments() {
  static std::map<std::string, std::initializer_list<const char*>> environments;
  return environments;
}

const std::string& Folder() {
  static const std::string folder = getenv("SIMGPU_TEST_FOLDER");
  return folder;
}

namespace {

void SetEnvironment(const std::string& test, const std::string& folder) {
  setenv("SIMGPU_TEST_FOLDER", folder.c_str(), 1);
  for (std::string entry : Environments()[test]) {
    const size_t equals = entry.find('=');
    const size_t place = entry.find("{folder}");
    if (place != std::string::npos) entry.replace(place, 8, folder);
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
}

// Runs one test in a child. True: it passed.
bool Passes(const std::string& test) {
  char folder[] = "/tmp/simgpu-test-XXXXXX";
  if (!mkdtemp(folder)) return false;
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    SetEnvironment(test, folder);
    const std::string output = std::string(folder) + "/output";
    if (!freopen(output.c_str(), "w", stdout)) _exit(127);
    const std::string filter = "--gtest_filter=" + test;
    execl("/proc/self/exe", "simgpu_test", "--gtest_brief=1", filter.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!passed) {
    std::ifstream output(std::string(folder) + "/output");
    std::cout << output.rdbuf() << test << ": status " << status << std::endl;
  }
  std::filesystem::remove_all(folder);
  return passed;
}

std::vector<std::string> AllTests() {
  std::vector<std::string> tests;
  const auto& unit_test = *testing::UnitTest::GetInstance();
  for (int s = 0; s < unit_test.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *unit_test.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      tests.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
    }
  }
  return tests;
}

}  // namespace
}  // namespace simgpu_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (getenv("SIMGPU_TEST_FOLDER")) return RUN_ALL_TESTS();
  const std::string wanted = argc > 1 ? argv[1] : "";  // part of a test's name
  int passed = 0, failed = 0;
  for (const std::string& test : simgpu_test::AllTests()) {
    if (test.find(wanted) == std::string::npos) continue;
    ++(simgpu_test::Passes(test) ? passed : failed);
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
