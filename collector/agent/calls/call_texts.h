// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of calls in words: kind, shape, type and detail of the row that a call is counted in.
// Pure functions.

#include <cstddef>
#include <cstdint>
#include <string>

#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Name of a library function; "api<number>" for a number that has none.
std::string ApiText(uint16_t api);

// A text that the receiver keys rows by. One that is cut keeps its length and a hash, so that it
// stays different from others with the same beginning.
std::string BoundedIdentity(std::string text, size_t max_bytes = 4096);

void DescribeGemm(const shm::GemmCall& gemm, v1::CallRow* out);
void DescribeLibrary(const shm::LibraryCall& library, v1::CallRow* out);
void DescribeOperation(const shm::OperationCall& operation, v1::CallRow* out);
void DescribeCollective(const shm::CollectiveCall& collective, v1::CallRow* out);

}  // namespace flopsprof::agent
