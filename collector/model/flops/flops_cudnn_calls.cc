// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/flops_cudnn_calls.h"

#include "absl/strings/str_cat.h"
#include "collector/model/flops/compute_type.h"
#include "proto/shm/api_ids.h"
#include "proto/shm/cudnn_variants.h"

namespace flopsprof::model {
namespace {

using shm::ApiId;

enum class Kind { kNone, kRnn, kConvolution, kAttention };

Kind KindOf(uint16_t api) {
  switch (static_cast<ApiId>(api)) {
    case ApiId::cudnnRNNForward:
    case ApiId::cudnnRNNForwardTraining:
    case ApiId::cudnnRNNForwardInference:
    case ApiId::cudnnRNNBackwardData:
    case ApiId::cudnnRNNBackwardWeights:
    case ApiId::cudnnRNNForwardTrainingEx:
    case ApiId::cudnnRNNForwardInferenceEx:
    case ApiId::cudnnRNNBackwardDataEx:
    case ApiId::cudnnRNNBackwardWeightsEx:
    case ApiId::cudnnRNNBackwardData_v8:
    case ApiId::cudnnRNNBackwardWeights_v8:
      return Kind::kRnn;
    case ApiId::cudnnConvolutionForward:
    case ApiId::cudnnConvolutionBackwardData:
    case ApiId::cudnnConvolutionBackwardFilter:
    case ApiId::cudnnConvolutionBiasActivationForward:
    case ApiId::cudnnCausalConv1dForward:
    case ApiId::cudnnCausalConv1dBackward:
    case ApiId::cudnnCausalConv1dNwhForward:
    case ApiId::cudnnCausalConv1dNwhBackward:
      return Kind::kConvolution;
    case ApiId::cudnnMultiHeadAttnForward:
    case ApiId::cudnnMultiHeadAttnBackwardData:
    case ApiId::cudnnMultiHeadAttnBackwardWeights:
      return Kind::kAttention;
    default:
      return Kind::kNone;
  }
}

// cudnnRNNMode_t (cudnn_adv.h).
constexpr int kGates[] = {1, 1, 4, 3};
constexpr const char* kCells[] = {"rnn", "rnn", "lstm", "gru"};
constexpr int kFmaMath = 3;  // CUDNN_FMA_MATH

struct Rnn {
  int64_t tokens, input, hidden, projection, layers;
  int cell;
  bool bidirectional, skips_input;
};

Rnn ReadRnn(const shm::LibraryCall& call) {
  return {call.sizes[0],
          call.sizes[1],
          call.sizes[2],
          call.sizes[3],
          call.sizes[4],
          call.variant & shm::kRnnCellMask,
          (call.variant & shm::kRnnBidirectional) != 0,
          (call.variant & shm::kRnnSkipsInput) != 0};
}

// For each token, layer and direction: input and recurrent matrices of all gates, and the
// projection of an LSTM. Later layers take what all directions of the one before give. The two
// gradients (of the data always all of it) make the same products as the forward.
std::optional<FlopCount> RnnFlops(const Rnn& rnn) {
  constexpr int64_t kMaxSize = int64_t{1} << 31;  // of a descriptor; sums below stay in 64 bits
  for (int64_t size : {rnn.tokens, rnn.input, rnn.hidden, rnn.projection, rnn.layers}) {
    if (size < 0 || (size != rnn.tokens && size >= kMaxSize)) return std::nullopt;
  }
  const int64_t directions = rnn.bidirectional ? 2 : 1;
  const int64_t state = rnn.projection > 0 ? rnn.projection : rnn.hidden;
  if (rnn.layers == 0) return FlopCount{0};
  const auto products = [&](int64_t layers, int64_t rows, int64_t columns) {
    return SizeProduct()
        .Times(2)
        .Times(rnn.tokens)
        .Times(directions)
        .Times(layers)
        .Times(rows)
        .Times(columns)
        .value();
  };
  const int64_t gate_rows = kGates[rnn.cell] * rnn.hidden;
  FlopCount sum = 0;
  for (const std::optional<FlopCount> part :
       {products(1, gate_rows, rnn.skips_input ? 0 : rnn.input),
        products(rnn.layers - 1, gate_rows, state * directions),
        products(rnn.layers, gate_rows, state), products(rnn.layers, rnn.hidden, rnn.projection)}) {
    if (!part.has_value()) return std::nullopt;
    sum += *part;
  }
  return sum <= kMaxCallFlops ? std::optional<FlopCount>(sum) : std::nullopt;
}

}  // namespace

bool IsOlderCudnnCall(uint16_t api) { return KindOf(api) != Kind::kNone; }

std::optional<FlopCount> OlderCudnnFlops(const shm::LibraryCall& call) {
  const NumberKind number = NumberKindOf(call.type);
  if (number == NumberKind::kUnknown) return std::nullopt;
  const int64_t* sizes = call.sizes;
  SizeProduct product;
  product.Times(number == NumberKind::kComplex ? 8 : 2);
  switch (KindOf(call.api)) {
    case Kind::kRnn:
      return RnnFlops(ReadRnn(call));
    case Kind::kConvolution:
      return product.Times(sizes[0]).Times(sizes[1]).value();
    case Kind::kAttention:
      return product.Times(sizes[0]).Times(sizes[1]).Times(sizes[2]).Times(sizes[3]).value();
    case Kind::kNone:
      break;
  }
  return std::nullopt;
}

std::string OlderCudnnShape(const shm::LibraryCall& call) {
  const int64_t* sizes = call.sizes;
  std::string text;
  switch (KindOf(call.api)) {
    case Kind::kRnn: {
      const Rnn rnn = ReadRnn(call);
      text = absl::StrCat(kCells[rnn.cell], " tokens=", rnn.tokens, " input=", rnn.input,
                          " hidden=", rnn.hidden);
      if (rnn.projection > 0) absl::StrAppend(&text, " projection=", rnn.projection);
      absl::StrAppend(&text, " layers=", rnn.layers, rnn.bidirectional ? " bidirectional" : "",
                      rnn.skips_input ? " skip_input" : "");
      break;
    }
    case Kind::kConvolution:
      text = absl::StrCat("outputs=", sizes[0], " per_output=", sizes[1], " batch=", sizes[2],
                          " channels=", sizes[3], " groups=", sizes[4]);
      break;
    case Kind::kAttention:
      text = absl::StrCat("m=", sizes[0], " n=", sizes[1], " k=", sizes[2], " batch=", sizes[3]);
      break;
    case Kind::kNone:
      break;
  }
  absl::StrAppend(&text, " type=", DataTypeText(call.type));
  if (call.math_mode != 0) absl::StrAppend(&text, " math=", int{call.math_mode});
  return text;
}

std::string OlderCudnnComputeType(const shm::LibraryCall& call) {
  const std::string type = DataTypeText(call.type);
  if (type == "f32") {
    return CudnnComputeType("CUDNN_DATA_FLOAT",
                            call.math_mode == kFmaMath ? TensorCores::kNo : TensorCores::kUnknown);
  }
  if (type == "f64") return "fp64";
  if (type == "f16") return "fp16";
  if (type == "bf16") return "bf16";
  if (type == "i8" || type == "u8") return "int8";
  return "";
}

}  // namespace flopsprof::model
