// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cuDNN operation graph as the library describes it in JSON: tensors and operations, nothing
// computed yet. Reads hostile text: what has another form is left out or makes it unreadable.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/model/flops/compute_type.h"

namespace flopsprof::model {

struct CudnnTensor {
  std::string name;
  std::vector<int64_t> sizes;  // empty: not a list of sizes
  std::string data_type;       // "CUDNN_DATA_HALF"
  bool vectorized = false;     // several elements in one: the sizes do not say how many
  bool ragged = false;         // rows begin where a tensor on the device says
  bool by_value = false;       // a number of the host, not of the device
  bool is_virtual = false;     // an intermediate result
};

// One operation. Keys are in small letters: libraries differ in them ("dX", "DX").
struct CudnnNode {
  std::string kind;  // as CudnnOperation::kind
  std::map<std::string, const CudnnTensor*> tensors;
  std::map<std::string, std::string> texts;           // "comparisonmode" -> "CUDNN_POINTWISE_..."
  std::map<std::string, std::vector<int64_t>> lists;  // "pad" -> {1, 1}
  std::vector<CudnnNode> subgraph;                    // operations fused into this one

  // Null: no such tensor.
  const CudnnTensor* Find(std::string_view role) const;
  std::string_view Text(const char* key) const;
  std::vector<int64_t> List(const char* key) const;
};

struct CudnnGraph {
  std::map<std::string, CudnnTensor> tensors;
  std::vector<CudnnNode> nodes;                      // their pointers lead into `tensors`
  std::string finalize_mode;                         // "SDPA_BWD", "CONV_FWD" ...
  TensorCores tensor_cores = TensorCores::kUnknown;  // by the engine's numerical notes
};

// nullopt: not JSON, not of this form, or beyond sane sizes. Accepted are the graph itself and an
// object with the member "operationGraph"; beside it optional "numericalNotes", and "overrides"
// ([{"uid": 1, "dim": [...]}]), sizes that take the place of the graph's own.
std::optional<CudnnGraph> ReadCudnnGraph(std::string_view json);

}  // namespace flopsprof::model
