// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/tensor_reader.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace flopsprof::injector {
namespace {

TEST(TensorReaderTest, FindsWhatIsMappedAfterItWasAsked) {
  const int on_gpu = 1;
  const int on_cpu = 0;
  TensorReader::SetForTesting({});
  EXPECT_FALSE(TensorReader::Get().IsOnGpu(&on_gpu));
  void* library = dlopen(FLOPSPROF_TORCH_STAND_IN, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_TRUE(TensorReader::Get().IsOnGpu(&on_gpu));
  EXPECT_FALSE(TensorReader::Get().IsOnGpu(&on_cpu));
  // What is still missing is missing, however often it is asked.
  EXPECT_EQ(TensorReader::Get().Type(&on_gpu), -1);
  EXPECT_TRUE(TensorReader::Get().IsOnGpu(&on_gpu));
  dlclose(library);
}

}  // namespace
}  // namespace flopsprof::injector
