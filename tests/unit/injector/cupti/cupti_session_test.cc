// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_session.h"

#include <gtest/gtest.h>

namespace flopsprof::injector {
namespace {

// CUPTI keeps the times of 100,000 kernels in a buffer of 3.2 MB, and six are for work in flight.
TEST(CuptiSessionTest, GpuMemoryIsBoundedAndHoldsTheNodesThatAreTimed) {
  EXPECT_EQ(DeviceBuffersFor(0), 6u);
  EXPECT_EQ(DeviceBuffersFor(1), 7u);
  EXPECT_EQ(DeviceBuffersFor(99'999), 7u);
  EXPECT_EQ(DeviceBuffersFor(1'000'000), 17u);  // 54 MB, where CUPTI's own limit is 800 MB
  EXPECT_EQ(DeviceBuffersFor(UINT64_MAX), 250u);
}

}  // namespace
}  // namespace flopsprof::injector
