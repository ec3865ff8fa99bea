// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <cudnn.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

template <class Function>
Function* FindReal(const char* name) {
  const std::string path = std::string(std::getenv("SIMGPU_CUDNN_DIR")) + "/libcudnn_graph.so.9";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

TEST(VersionTest, EqualsThatOfTheRealLibrary) {
  EXPECT_EQ(cudnnGetVersion(), FindReal<size_t()>("cudnnGetVersion")());
  EXPECT_EQ(cudnnGetCudartVersion(), FindReal<size_t()>("cudnnGetCudartVersion")());
  EXPECT_EQ(cudnnGetMaxDeviceVersion(), FindReal<size_t()>("cudnnGetMaxDeviceVersion")());
}

TEST(VersionTest, ErrorNamesAreThoseOfTheRealLibrary) {
  EXPECT_STREQ(cudnnGetErrorString(CUDNN_STATUS_BAD_PARAM), "CUDNN_STATUS_BAD_PARAM");
}

TEST(VersionTest, MarksItselfAsSimulated) {
  EXPECT_NE(dlsym(RTLD_DEFAULT, "flopsprof_simulated_gpu"), nullptr);
}

}  // namespace
