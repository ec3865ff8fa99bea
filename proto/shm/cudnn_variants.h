// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// `variant` and `sizes` of a LibraryCall of cuDNN's older calls. `type` is the cudaDataType of the
// data, `math_mode` the cudnnMathType_t.

#include <stdint.h>

namespace flopsprof::shm {

// cudnnRNN*: the low bits are the cell (cudnnRNNMode_t: 0, 1 plain, 2 LSTM, 3 GRU).
// Sizes: tokens, input, hidden, projection (0: none), layers.
constexpr uint8_t kRnnCellMask = 3;
constexpr uint8_t kRnnBidirectional = 4;
constexpr uint8_t kRnnSkipsInput = 8;  // the first layer takes its input without a product

// cudnnConvolution*. Sizes: elements of the forward's output, filter elements behind each of them
// (channels of a group by window), batch, output channels, groups.

// cudnnCausalConv1d*: the same; backward, each of the two gradients is a part.

// cudnnMultiHeadAttn*: each of its products is a part. Sizes: m, n, k, batch.

}  // namespace flopsprof::shm
