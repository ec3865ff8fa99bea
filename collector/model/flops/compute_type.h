// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/shm/records.h"

namespace flopsprof::model {

// The type whose peak a call is compared with: "fp64", "fp32", "tf32", "bf16", "fp16", "fp8",
// "fp6", "fp4", "int8", "int4", "fp32_emulated", "fp64_emulated"; "" = cannot be told. From the
// function, the data types, the compute type and the math mode; never from a kernel's name. The
// environment variable NVIDIA_TF32_OVERRIDE of the process is not visible here.
std::string GemmComputeType(const shm::GemmCall& call);

// The compute type of a cuDNN operation on tensors of a type ("CUDNN_DATA_HALF"). `tensor_cores`:
// what the engine's numerical notes say. Without them fp32 tensors may run as fp32 or as tf32:
// "fp32_or_tf32". (PyTorch tells the two by the same note when TF32 is not allowed.)
enum class TensorCores {
  kUnknown,
  kNo,
  kYes,
  kNarrowerInputs,  // the engine rounds its inputs to a narrower type, which it does not name
};
std::string CudnnComputeType(std::string_view data_type, TensorCores tensor_cores);

// Short text of a cudaDataType ("f32", "bf16", "c64" ...), "type<N>" for an unknown one.
std::string DataTypeText(uint8_t cuda_data_type);

// Whether a cudaDataType is complex; nullopt for an unknown one is spelled kUnknown.
enum class NumberKind { kUnknown, kReal, kComplex };
NumberKind NumberKindOf(uint8_t cuda_data_type);

// cudaDataType that the name of an API fixes for its operands (cublasSgemm_v2 -> 0), -1 = the
// call's arguments say it.
int FixedDataType(uint16_t api);

// Text of the compute type and the math mode, as far as they are not the default: "tf32",
// "pedantic", "compute=68" ...; "" = default.
std::string MathText(const shm::GemmCall& call);

}  // namespace flopsprof::model
