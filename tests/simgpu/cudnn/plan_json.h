// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend_descriptor.h"

namespace sim::cudnn {

// The JSON (CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) of a hand-made plan, in the form in
// which the real library writes its own: cudnnVersion, operationGraph with tensors and nodes,
// engine. Operations are named completely; of operations that FindOperationType does not know,
// the type number only.
std::string PlanJson(const Descriptor& plan);

}  // namespace sim::cudnn
