// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests of the stand-in: each runs in a process of its own, because the stand-in reads its
// environment once.
#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>

namespace simgpu_test {

// Test name -> environment, "KEY=VALUE".
std::map<std::string, std::initializer_list<const char*>>& Environments();

struct WithEnvironment {
  WithEnvironment(const char* test, std::initializer_list<const char*> environment) {
    Environments()[test] = environment;
  }
};

// A folder of this test's process, removed with the process that started it.
const std::string& Folder();

}  // namespace simgpu_test

// TEST with an environment: SIM_TEST(Suite, Name, "KEY=VALUE", ...) { ... }
// "{folder}" in a value is the folder of the test.
#define SIM_TEST(suite, name, ...)                                                           \
  static const std::initializer_list<const char*> environment_##suite##name = {__VA_ARGS__}; \
  static simgpu_test::WithEnvironment with_##suite##name(#suite "." #name,                   \
                                                         environment_##suite##name);         \
  TEST(suite, name)
