// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <cudnn.h>
#include <gtest/gtest.h>

#include "rnn_layout.h"

namespace sim::cudnn {
namespace {

// LSTM, input 5, hidden 7, projection 3, two layers, both directions.
RnnShape Projected() {
  RnnShape shape;
  shape.gates = 4;
  shape.input_size = 5;
  shape.hidden_size = 7;
  shape.output_size = 3;
  shape.layers = 2;
  shape.directions = 2;
  shape.projects = true;
  return shape;
}

TEST(RnnLayoutTest, CountsWeightsOfAProjectedLstm) {
  // Per direction, layer 0: 4*7*5 + 4*7*3 + 3*7 = 245; layer 1 (input 2*3): 4*7*6 + 84 + 21
  // = 273; biases: 2 * 4 * 7 = 56 in each of the four pseudo layers.
  EXPECT_EQ(RnnWeightBytes(Projected()), 4u * (2 * (245 + 273) + 4 * 56));
}

TEST(RnnLayoutTest, RecurrentMatrixHasTheWidthOfTheProjection) {
  const RnnParameter recurrent = FindRnnParameter(Projected(), 0, 4);
  EXPECT_EQ(recurrent.rows, 7);
  EXPECT_EQ(recurrent.columns, 3);
}

TEST(RnnLayoutTest, ProjectionFollowsTheRecurrentMatrices) {
  const RnnParameter projection = FindRnnParameter(Projected(), 0, 8);
  EXPECT_EQ(projection.rows, 3);
  EXPECT_EQ(projection.columns, 7);
  EXPECT_EQ(projection.matrix_offset, 4u * (4 * 7 * 5 + 4 * 7 * 3));
  EXPECT_FALSE(projection.has_bias);
}

TEST(RnnLayoutTest, BiasesLieBehindAllMatrices) {
  const RnnParameter first = FindRnnParameter(Projected(), 0, 0);
  EXPECT_EQ(first.matrix_offset, 0u);
  EXPECT_EQ(first.bias_offset, 4u * 2 * (245 + 273));
}

TEST(RnnLayoutTest, NothingLiesBehindTheLastLinearLayer) {
  EXPECT_EQ(FindRnnParameter(Projected(), 0, 9).rows, 0);
}

// Half precision, as through the C interface: what PyTorch asks for each parameter.
TEST(RnnTest, DescribesAParameterInTheTypeOfTheNetwork) {
  cudnnHandle_t handle;
  cudnnRNNDescriptor_t rnn;
  cudnnDropoutDescriptor_t dropout;
  cudnnTensorDescriptor_t matrix;
  ASSERT_EQ(cudnnCreate(&handle), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnCreateDropoutDescriptor(&dropout), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnCreateRNNDescriptor(&rnn), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnCreateTensorDescriptor(&matrix), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(
      cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU, CUDNN_RNN_DOUBLE_BIAS,
                               CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_HALF,
                               CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH, 5, 7, 7, 1, dropout, 0),
      CUDNN_STATUS_SUCCESS);
  size_t bytes = 0;
  ASSERT_EQ(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 2u * (3 * 7 * 5 + 3 * 7 * 7 + 6 * 7));
  std::string weights(bytes, '\0');
  void* address = nullptr;
  ASSERT_EQ(cudnnGetRNNWeightParams(handle, rnn, 0, bytes, weights.data(), 3, matrix, &address,
                                    nullptr, nullptr),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(static_cast<char*>(address) - weights.data(), 2 * 3 * 7 * 5);
  cudnnDataType_t type;
  int rank = 0;
  int dimensions[3] = {};
  int strides[3] = {};
  ASSERT_EQ(cudnnGetTensorNdDescriptor(matrix, 3, &type, &rank, dimensions, strides),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(type, CUDNN_DATA_HALF);
  EXPECT_EQ(dimensions[1], 7);
  EXPECT_EQ(dimensions[2], 7);
}

}  // namespace
}  // namespace sim::cudnn
