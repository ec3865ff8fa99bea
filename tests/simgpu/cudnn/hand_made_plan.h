// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_descriptor.h"

// Plans for what the real library cannot plan without a GPU, and for everything when it is
// not there. A hand-made plan has one engine, no knobs, no workspace, and a JSON of the form
// that the real library documents by what it writes. README.md lists where they are in use.
namespace sim::cudnn {

// One call of cudnnBackendGetAttribute.
struct Query {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  int64_t requested;
  int64_t* count;
  void* elements;
};

// Whether a descriptor that the real library refused with `status` is to be made by hand; if
// so it is marked, and so is whatever will refer to it.
bool MakeByHand(Descriptor& descriptor, cudnnStatus_t status);

// Answers for hand-made descriptors.
cudnnStatus_t GetHandMade(const Descriptor& descriptor, const Query& query);

// Makes `attribute` of `from` refer to `to`, as SetAttribute by a program would.
void LinkDescriptor(Descriptor& from, int attribute, DescriptorPtr to);

}  // namespace sim::cudnn
