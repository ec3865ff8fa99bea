#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# simgpu_jax_env.sh: makes a Python environment with the CUDA build of JAX in which the stand-in
# libraries of tests/simgpu stand in the place of NVIDIA's: those that simgpu_env.sh has built,
# whose environment it makes first. NVIDIA's wheels are that one's, by hard links: 1.4 GB on disk are
# JAX's own. Nothing is done when nothing changed.
#
# Last line of stdout: the absolute path of the environment's python.
#
# FLOPSPROF_JAX_ENV   where the environment is (default ~/.cache/flopsprof/sim-env-jax)
set -euo pipefail
script_name=simgpu_jax
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$jax_env/bin/python
jax=jax[cuda13]==0.10.2

mkdir -p "$jax_env"
exec 9> "$jax_env/simgpu-lock"
flock 9
"$root/scripts/simgpu_env.sh" > /dev/null
built=$sim_env/simgpu-build
libraries=(
  cu13/lib/lib{cudart.so.13,cublas.so.13,cublasLt.so.13,cupti.so.13}
  cu13/lib/lib{cusolver.so.12,cusparse.so.12,cufft.so.12,cuda.so.1,simcore.so}
  cudnn/lib/libcudnn.so.9 nccl/lib/libnccl.so.2
)

wanted() {
  printf '%s\n' "$jax"
  head -n 1 "$sim_env/simgpu-stamp"
  sha256sum < "$root/tests/simgpu/nvml/nvml.c"
}

if [[ ! -x $python || ! -f $jax_env/stamp || $(< "$jax_env/stamp") != "$(wanted)" ]]; then
  # The same versions of NVIDIA's wheels, so that symbol names are those of the stand-in. What is
  # replaced below and in the other environment is a new file, never the linked one.
  make_venv "$jax_env"
  from=$(echo "$sim_env"/lib/python3*/site-packages)
  into=$(echo "$jax_env"/lib/python3*/site-packages)
  rm -rf "$into"/nvidia "$into"/nvidia_*.dist-info
  cp -al "$from"/nvidia "$from"/nvidia_*.dist-info "$into" 2> /dev/null ||
    cp -a "$from"/nvidia "$from"/nvidia_*.dist-info "$into"  # on another disk
  (cd "$from" && ls -d nvidia_*.dist-info) |
    sed -n 's/^\(nvidia_.*\)-\([0-9.]*\)\.dist-info$/\1==\2/p' | tr _ - > "$jax_env/constraints.txt"
  say "installing JAX"
  "$python" -m pip install --disable-pip-version-check -q --no-cache-dir \
    -c "$jax_env/constraints.txt" "$jax" >&2
  say "putting the stand-in libraries in place"
  nvidia=("$jax_env"/lib/python3*/site-packages/nvidia)
  for target in "${libraries[@]}"; do
    cp "$built/${target##*/}" "${nvidia[0]}/$target.new"
    mv -f "${nvidia[0]}/$target.new" "${nvidia[0]}/$target"
  done
  gcc -O2 -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 \
    -o "${nvidia[0]}/cu13/lib/libnvidia-ml.so.1" "$root/tests/simgpu/nvml/nvml.c"
  wanted > "$jax_env/stamp"
  say "ready: $python"
fi
printf '%s\n' "$python"
