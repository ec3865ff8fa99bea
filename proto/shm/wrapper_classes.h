// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Wrapper classes that reports fold, if one of these packages defines them. The injector sends
// these names also for classes derived from them, and readers fold by these names. A class of the
// program itself with such a name is sent with its Python module's name before it.

namespace flopsprof::shm {

struct WrapperClass {
  const char* name;
  const char* component;  // the attribute that holds what is wrapped
};

inline constexpr WrapperClass kWrapperClasses[] = {
    {"OptimizedModule", "_orig_mod"},
    {"FullyShardedDataParallel", "_fsdp_wrapped_module"},
    {"CheckpointWrapper", "_checkpoint_wrapped_module"},
    {"OffloadWrapper", "_checkpoint_wrapped_module"},
    {"ActivationWrapper", "_checkpoint_wrapped_module"},
    {"DistributedDataParallel", "module"},
    {"DataParallel", "module"},
    {"DeepSpeedEngine", "module"},
};

inline constexpr const char* kWrapperPackages[] = {"torch", "torch_geometric", "deepspeed",
                                                   "apex",  "megatron",        "fairscale"};

}  // namespace flopsprof::shm
