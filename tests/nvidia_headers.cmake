# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# Real headers of CUDA, cuDNN and NCCL, where a Python environment or a toolkit has them.
# FLOPSPROF_SIM_ENV is what scripts/build.sh found; FLOPSPROF_NVIDIA_INCLUDES overrules it.
set(FLOPSPROF_SIM_ENV "$ENV{HOME}/.cache/flopsprof/sim-env" CACHE PATH
  "Environment of the stand-in GPU")
set(FLOPSPROF_NVIDIA_INCLUDES "" CACHE STRING
  "Folders with cupti.h, cublas_v2.h, cudnn.h, nccl.h: prototypes are checked against them")
if(NOT FLOPSPROF_NVIDIA_INCLUDES)
  # Not kept: an environment that is made later counts.
  file(GLOB nvidia_includes CONFIGURE_DEPENDS
    ${FLOPSPROF_SIM_ENV}/lib/python3*/site-packages/nvidia/*/include
    /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include)
  set(FLOPSPROF_NVIDIA_INCLUDES "${nvidia_includes}")
endif()
