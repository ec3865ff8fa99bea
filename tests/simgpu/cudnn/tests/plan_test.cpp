// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans of the stand-in libcudnn.so.9, as a program and a profiler see them. The shapes are
// those of examples worked out by hand.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include "graph_builder.h"

namespace sim::cudnn::test {
namespace {

using ::testing::HasSubstr;

class PlanTest : public ::testing::Test {
 protected:
  PlanTest() { EXPECT_EQ(cudnnCreate(&handle_), CUDNN_STATUS_SUCCESS); }
  ~PlanTest() override { cudnnDestroy(handle_); }

  // x [8,16,32,32], w [32,16,3,3], padding 1, stride 2: y [8,32,16,16].
  const ConvolutionShape shape_ = {{1, 1}, {2, 2}, {1, 1}};
  const std::vector<int64_t> x_ = {8, 16, 32, 32};
  const std::vector<int64_t> w_ = {32, 16, 3, 3};
  const std::vector<int64_t> y_ = {8, 32, 16, 16};

  Plan Forward() {
    const Descriptor x = Tensor(1, x_);
    const Descriptor w = Tensor(2, w_);
    const Descriptor y = Tensor(3, y_);
    const Descriptor convolution = Convolution(shape_);
    Descriptor op(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    op.Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution)
        .Float(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1)
        .Float(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0);
    EXPECT_EQ(op.Finalize(), CUDNN_STATUS_SUCCESS);
    return Plan(handle_, op);
  }

  Plan BackwardData() {
    const Descriptor dx = Tensor(1, x_);
    const Descriptor w = Tensor(2, w_);
    const Descriptor dy = Tensor(3, y_);
    const Descriptor convolution = Convolution(shape_);
    Descriptor op(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
    op.Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, dx)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, w)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, dy)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, convolution)
        .Float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1)
        .Float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0);
    EXPECT_EQ(op.Finalize(), CUDNN_STATUS_SUCCESS);
    return Plan(handle_, op);
  }

  Plan BackwardFilter() {
    const Descriptor x = Tensor(1, x_);
    const Descriptor dw = Tensor(2, w_);
    const Descriptor dy = Tensor(3, y_);
    const Descriptor convolution = Convolution(shape_);
    Descriptor op(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
    op.Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, x)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, dw)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, dy)
        .Refer(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, convolution)
        .Float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1)
        .Float(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0);
    EXPECT_EQ(op.Finalize(), CUDNN_STATUS_SUCCESS);
    return Plan(handle_, op);
  }

  cudnnHandle_t handle_ = nullptr;
};

// The three tensors, as every one of the graphs above must list them.
constexpr const char* kX =
    R"("name":"1","dataType":"CUDNN_DATA_HALF","dim":[8,16,32,32],"stride":[16384,1,512,16])";
constexpr const char* kW =
    R"("name":"2","dataType":"CUDNN_DATA_HALF","dim":[32,16,3,3],"stride":[144,1,48,16])";
constexpr const char* kY =
    R"("name":"3","dataType":"CUDNN_DATA_HALF","dim":[8,32,16,16],"stride":[8192,1,512,32])";
constexpr const char* kGeometry = R"("pad":[1,1],"stride":[2,2],"dilation":[1,1])";

TEST_F(PlanTest, JsonDescribesAForwardConvolution) {
  const std::string json = Forward().Json();
  EXPECT_THAT(json,
              HasSubstr(R"("operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR")"));
  EXPECT_THAT(json, HasSubstr(R"("X":"1","W":"2","Y":"3")"));
  EXPECT_THAT(json, AllOf(HasSubstr(kX), HasSubstr(kW), HasSubstr(kY)));
  EXPECT_THAT(json, HasSubstr(kGeometry));
}

TEST_F(PlanTest, JsonDescribesADataGradient) {
  const std::string json = BackwardData().Json();
  EXPECT_THAT(
      json,
      HasSubstr(R"("operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR")"));
  EXPECT_THAT(json, HasSubstr(R"("dX":"1","W":"2","dY":"3")"));
  EXPECT_THAT(json, AllOf(HasSubstr(kX), HasSubstr(kW), HasSubstr(kY)));
  EXPECT_THAT(json, HasSubstr(kGeometry));
}

TEST_F(PlanTest, JsonDescribesAWeightGradient) {
  const std::string json = BackwardFilter().Json();
  EXPECT_THAT(
      json,
      HasSubstr(R"("operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR")"));
  EXPECT_THAT(json, HasSubstr(R"("X":"1","dW":"2","dY":"3")"));
  EXPECT_THAT(json, AllOf(HasSubstr(kX), HasSubstr(kW), HasSubstr(kY)));
  EXPECT_THAT(json, HasSubstr(kGeometry));
}

// Only the real library chooses engines and their knobs; a hand-made plan has engine 0.
TEST_F(PlanTest, PlanComesFromTheRealLibrary) {
  const std::string json = Forward().Json();
  EXPECT_THAT(json, HasSubstr(R"("knobChoices":{"CUDNN_KNOB_TYPE_)"));
  EXPECT_THAT(json, HasSubstr(R"j("deviceName":"NVIDIA H100 80GB HBM3 (simulated)")j"));
}

TEST_F(PlanTest, RealLibraryRefusesAConvolutionWithoutTensors) {
  Descriptor op(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  EXPECT_NE(op.Finalize(), CUDNN_STATUS_SUCCESS);
}

TEST_F(PlanTest, HandleOfAPlanIsGivenBack) {
  const Plan plan = Forward();
  cudnnHandle_t handle = nullptr;
  int64_t count = 0;
  EXPECT_EQ(cudnnBackendGetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
                                     CUDNN_TYPE_HANDLE, 1, &count, &handle),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(handle, handle_);
}

class ExecuteTest : public PlanTest {
 protected:
  ExecuteTest() : pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    void* pointers[] = {buffer_, buffer_, buffer_};
    void* workspace = nullptr;
    pack_.Integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {1, 2, 3})
        .Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers)
        .Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  }

  char buffer_[64] = {};
  Descriptor pack_;
};

TEST_F(ExecuteTest, LaunchesOnTheStreamOfTheHandle) {
  const Plan plan = Forward();
  ASSERT_EQ(pack_.Finalize(), CUDNN_STATUS_SUCCESS);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudnnSetStream(handle_, stream), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudnnBackendExecute(handle_, plan.get(), pack_.get()), CUDNN_STATUS_SUCCESS);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1u);
}

TEST_F(ExecuteTest, RefusesAVariantPackThatIsNotFinalised) {
  const Plan plan = Forward();
  EXPECT_EQ(cudnnBackendExecute(handle_, plan.get(), pack_.get()),
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
}

}  // namespace
}  // namespace sim::cudnn::test
