#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# simgpu_jax_env.sh: makes a Python environment with the CUDA build of JAX in which the stand-in
# libraries of tests/simgpu stand in the place of NVIDIA's. It needs the environment of
# simgpu_env.sh for headers. About 2 GB to download, 5 GB on disk. The test of JAX is skipped
# without it; run the script again after a change of tests/simgpu.
#
# Last line of stdout: the absolute path of the environment's python.
#
# FLOPSPROF_JAX_ENV   where the environment is (default ~/.cache/flopsprof/sim-env-jax)
# SIMGPU_JOBS         parallel compilers (default 2)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
env_dir=${FLOPSPROF_JAX_ENV:-$HOME/.cache/flopsprof/sim-env-jax}
mkdir -p "$env_dir"
env_dir=$(cd "$env_dir" && pwd)
python=$env_dir/bin/python
say() { printf 'simgpu_jax: %s\n' "$*" >&2; }

sim_python=$("$root/scripts/simgpu_env.sh" | tail -n 1)
sim_site=$("$sim_python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')

# The same versions of NVIDIA's wheels, so that symbol names are those of the stand-in.
[[ -x $python ]] || python3 -m venv "$env_dir" >&2
(cd "$sim_site" && ls -d nvidia_*.dist-info) |
  sed -n 's/^\(nvidia_.*\)-\([0-9.]*\)\.dist-info$/\1==\2/p' | tr _ - > "$env_dir/constraints.txt"
say "installing JAX"
"$python" -m pip install --disable-pip-version-check -q -c "$env_dir/constraints.txt" \
  'jax[cuda13]==0.10.2' >&2

say "building the stand-in libraries"
build=$env_dir/simgpu-build
NVIDIA=$sim_site/nvidia JOBS=${SIMGPU_JOBS:-2} "$root/tests/simgpu/build.sh" "$build" >&2
gcc -O2 -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o "$build/libnvidia-ml.so.1" \
  "$root/tests/simgpu/nvml/nvml.c"

nvidia=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/nvidia
for target in cu13/lib/lib{cudart.so.13,cublas.so.13,cublasLt.so.13,cupti.so.13} \
  cu13/lib/lib{cusolver.so.12,cusparse.so.12,cufft.so.12,cuda.so.1,simcore.so,nvidia-ml.so.1} \
  cudnn/lib/libcudnn.so.9 nccl/lib/libnccl.so.2; do
  cp "$build/${target##*/}" "$nvidia/$target.new"
  mv -f "$nvidia/$target.new" "$nvidia/$target"
done
say "ready: $python"
printf '%s\n' "$python"
