# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Products by JAX, which finds every library function by dlsym: 3 of 64 x 128 x 256.

Without Triton's kernels and without tuning runs each is one call of cuBLAS or cuBLASLt.
"""

import os

os.environ["JAX_PLATFORMS"] = "cuda"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.environ["XLA_FLAGS"] = "--xla_gpu_enable_triton_gemm=false --xla_gpu_autotune_level=0"

import jax._src.hardware_utils  # noqa: E402

# JAX looks for a device file before it asks CUDA.
jax._src.hardware_utils.has_visible_nvidia_gpu = lambda: True

import jax.numpy as jnp  # noqa: E402

a = jnp.ones((64, 256), jnp.float32)
b = jnp.ones((256, 128), jnp.float32)
for _ in range(3):
    jnp.dot(a, b).block_until_ready()
print("products made", flush=True)
