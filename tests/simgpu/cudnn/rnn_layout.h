// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::cudnn {

// A recurrent network as cudnnGetRNNDescriptor_v8 describes it.
struct RnnShape {
  int32_t gates = 1;  // 4 LSTM, 3 GRU, 1 plain
  int32_t input_size = 0;
  int32_t hidden_size = 0;
  int32_t output_size = 0;  // the projection's size if there is one, else hidden_size
  int32_t layers = 1;
  int32_t directions = 1;
  bool skips_input = false;  // no input matrices in the first layer
  bool projects = false;     // LSTM with a projection: linear layer 2 * gates
  bool input_bias = true;
  bool recurrent_bias = true;
  size_t element_bytes = 4;
};

// Where one matrix and its bias lie in the weight space, in bytes from its start.
struct RnnParameter {
  size_t matrix_offset = 0;
  int32_t rows = 0;  // 0: there is no such matrix
  int32_t columns = 0;
  size_t bias_offset = 0;
  bool has_bias = false;
};

// The weight space: for each pseudo layer (layer x direction) the input matrices of all gates,
// the recurrent matrices of all gates and the projection; then all biases in the same order.
// The real layout is not documented; programs must ask, and PyTorch only expects that the
// matrices of one kind follow each other.
size_t RnnWeightBytes(const RnnShape& shape);

// Linear layer ids: 0 … gates-1 input, gates … 2*gates-1 recurrent, 2*gates projection.
RnnParameter FindRnnParameter(const RnnShape& shape, int32_t pseudo_layer, int32_t linear_layer);

// Multiply-adds of one time step of one sequence, all layers and directions.
double RnnMacsPerToken(const RnnShape& shape);

}  // namespace sim::cudnn
