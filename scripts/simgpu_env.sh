#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# simgpu_env.sh: makes a Python environment with the CUDA build of PyTorch in which the
# stand-in libraries of tests/simgpu stand in the place of NVIDIA's: same files under
# site-packages/nvidia/*/lib, found by RPATH and loaded RTLD_LOCAL as in production.
# The real libraries stay beside them as *.real.
#
#   simgpu_env.sh --for jobs   what jobs need: PyTorch and torchvision
#   simgpu_env.sh [--for tests]   that, and the packages that tests use
#   simgpu_env.sh --torch VERSION   in the environment of old_torch_envs.sh, with CUDA 12; its torch
#                                   runs on the CPU as before where SIM_DEVICES is 0
#
# Last line of stdout: the absolute path of the environment's python (torchrun is in the
# same folder). Everything else goes to stderr. Nothing is done when nothing changed.
#
# FLOPSPROF_SIM_ENV   where the environment is (default ~/.cache/flopsprof/sim-env)
# SIMGPU_JOBS         parallel compilers (default 2)
#
# Triton looks for libcuda.so.1 only in the linker cache and LD_LIBRARY_PATH. A .pth file
# in the environment sets TRITON_LIBCUDA_PATH at the start of its python, so that it works
# under `env -i PATH HOME` too. It also imports tests/simgpu/quick_import.py where SIM_QUICK_IMPORT is 1.
set -euo pipefail

script_name=simgpu
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source_dir=$root/tests/simgpu

needed_for=tests
old_torch=
while (($#)); do
  case $1 in
    --for) needed_for=${2:?--for needs jobs or tests}; shift 2 ;;
    --torch) old_torch=${2:?--torch needs a version}; shift 2 ;;
    -h | --help) sed -n '5,24s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) printf 'simgpu: error: unknown option %s; see --help\n' "$1" >&2; exit 2 ;;
  esac
done
case $needed_for in
  jobs | tests) ;;
  *) printf 'simgpu: error: --for %s: jobs or tests\n' "$needed_for" >&2; exit 2 ;;
esac

if [[ -n $old_torch ]]; then
  "$root/scripts/old_torch_envs.sh" "$old_torch" > /dev/null
  env_dir=$cache_dir/torch-$old_torch
else
  env_dir=$sim_env
  mkdir -p "$env_dir"
fi
env_dir=$(cd "$env_dir" && pwd)
python=$env_dir/bin/python
build_dir=$env_dir/simgpu-build
stamp=$env_dir/simgpu-stamp

torch_packages=(torch==2.14.1 torchvision==0.29.1 numpy)
# crt and cccl: headers that the other wheels' headers include.
header_packages=(nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85)
model_packages=(transformers==5.24.0 torch_geometric==2.8.1 nvtx==0.2.17)
deepspeed_needs=(setuptools wheel ninja hjson psutil py-cpuinfo pydantic msgpack einops
                 tqdm packaging)
deepspeed_packages=(deepspeed==0.19.8)

required=("${torch_packages[@]}" "${header_packages[@]}")
[[ -z $old_torch ]] || required=("torch==$old_torch")
[[ $needed_for == jobs || -n $old_torch ]] || required+=("${model_packages[@]}" "${deepspeed_packages[@]}")

site_packages() {
  local dirs=("$env_dir"/lib/python3*/site-packages)
  printf '%s' "${dirs[0]}"
}

# Files in the environment's nvidia folder that stand-ins take the place of: `libraries`.
list_libraries() {
  mapfile -t libraries < <(python3 "$source_dir/wheels.py" "$(site_packages)/nvidia")
}

pip_install() {
  local missing
  mapfile -t missing < <(missing_packages "$(site_packages)" "${@}")
  ((${#missing[@]} == 0)) && return 0
  say "installing ${missing[*]}"
  # DeepSpeed asks for nvcc as soon as it sees a GPU, if only the stand-in of a first run, or a CUDA
  # folder, if only one without nvcc; it builds nothing here.
  CUDA_VISIBLE_DEVICES='' TORCH_CUDA_ARCH_LIST=9.0 DS_BUILD_OPS=0 \
    "$python" -m pip install --disable-pip-version-check -q "${pip_options[@]}" "${missing[@]}" >&2
}

# What the built libraries depend on: the sources, this script, the compiler's version
# and the wheels whose headers and symbol names are read.
source_hash() {
  {
    (cd "$source_dir" &&
      find . -type f -not -path './tests/*' -not -path './*/tests/*' -not -name '*.md' \
        -not -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
    sha256sum < "${BASH_SOURCE[0]}"
    g++ -dumpfullversion -dumpmachine
    (cd "$(site_packages)" && LC_ALL=C ls -d nvidia_*.dist-info 2> /dev/null)
  } | sha256sum | cut -d' ' -f1
}

up_to_date() {
  [[ -x $python && -x $env_dir/bin/torchrun && -f $stamp ]] || return 1
  [[ -z $(missing_packages "$(site_packages)" "${required[@]}") ]] || return 1
  [[ $(head -n 1 "$stamp") == "$(source_hash)" ]] || return 1
  (cd "$(site_packages)/nvidia" && tail -n +2 "$stamp" | sha256sum -c --status) 2> /dev/null
}

make_environment() {
  [[ -z $old_torch ]] || return 0
  make_venv "$env_dir"
  pip_options=()
  if [[ -n $(missing_packages "$(site_packages)" "${torch_packages[@]}") ]]; then
    need_disk 9 "$env_dir"
    say "the CUDA build of PyTorch is about 3 GB to download, 6 GB on disk"
  fi
  pip_install "${torch_packages[@]}"
  pip_install "${header_packages[@]}"
  [[ $needed_for == tests ]] || return 0
  pip_install "${model_packages[@]}" "${deepspeed_needs[@]}"
  # No dependencies: DeepSpeed's own would pull a second CUDA compiler chain.
  pip_options=(--no-deps --no-build-isolation)
  pip_install "${deepspeed_packages[@]}"
}

build_libraries() {
  local headers='' cuda
  if [[ -n $old_torch ]]; then
    cuda=$(sed -n "s/^cuda.*= '\(.*\)'$/\1/p" "$(site_packages)/torch/version.py")
    headers=$("$root/scripts/cuda_headers.sh" | sed -n "s/^$cuda //p")
  fi
  say "building the stand-in libraries"
  NVIDIA=$(site_packages)/nvidia HEADERS=$headers JOBS=${SIMGPU_JOBS:-2} \
    "$source_dir/build.sh" "$build_dir" >&2
}

# Whether a library is one of ours. The marker's name is in its symbol table; grep alone, as
# a pipe from nm would end early and, with pipefail, say no.
is_stand_in() { grep -qaF flopsprof_simulated_gpu "$1"; }

# Fetches the original of a library anew, from the package that brought it.
restore_original() {
  local target=$1 site record package version folder
  site=$(site_packages)
  record=$(cd "$site" && grep -lF "nvidia/$target," nvidia_*.dist-info/RECORD) ||
    die "no package brought $target"
  package=${record%%-*}
  version=${record#*-}
  version=${version%.dist-info/RECORD}
  say "fetching the original of $target from $package $version"
  folder=$(mktemp -d "$env_dir/simgpu-restore.XXXXXX")
  "$python" -m pip download --disable-pip-version-check -q --no-deps -d "$folder" \
    "${package//_/-}==$version" >&2
  "$python" - "$folder" "nvidia/$target" "$site/nvidia/$target.real" << 'END'
import glob, os, shutil, sys, zipfile
folder, member, kept = sys.argv[1:]
(wheel,) = glob.glob(os.path.join(folder, "*.whl"))
with zipfile.ZipFile(wheel) as archive, archive.open(member) as original:
    with open(kept + ".new", "wb") as out:
        shutil.copyfileobj(original, out)
os.replace(kept + ".new", kept)
END
  rm -rf "$folder"
}

# Keeps the originals as *.real: the libraries to stand in for are read from them.
keep_originals() {
  local target file
  for target in "${libraries[@]}"; do
    file=$(site_packages)/nvidia/$target
    case $target in
      */libcuda.so.1 | */libsimcore.so) continue ;;  # no original
    esac
    if [[ -e $file ]] && ! is_stand_in "$file"; then
      ln -f "$file" "$file.real"
    elif [[ ! -e $file.real ]] || is_stand_in "$file.real"; then
      restore_original "$target"
    fi
  done
}

# Puts the libraries in place. Each appears by rename, so that programs that start or run
# meanwhile see the old file or the new one, never half of one.
install_libraries() {
  local nvidia target file
  nvidia=$(site_packages)/nvidia
  for target in "${libraries[@]}"; do
    file=$nvidia/$target
    cp "$build_dir/${target##*/}" "$file.new.$$"
    mv -f "$file.new.$$" "$file"
  done
  local pth
  pth=$(site_packages)/flopsprof_simgpu.pth
  file=$(printf '%s\n' "${libraries[@]}" | grep '/libcuda\.so\.1$')
  cp "$source_dir/quick_import.py" "$(site_packages)/flopsprof_quick_import.py"
  printf '%s\n' "import os; os.environ.setdefault('TRITON_LIBCUDA_PATH', '$nvidia/${file%/*}')" \
    "import os; os.environ.get('SIM_QUICK_IMPORT') == '1' and __import__('flopsprof_quick_import')" \
    > "$pth.new.$$"
  mv -f "$pth.new.$$" "$pth"
}

shopt -s nullglob
if ! up_to_date; then
  exec 9> "$env_dir/simgpu-lock"
  flock 9
  if ! up_to_date; then
    make_environment
    list_libraries
    keep_originals
    hash=$(source_hash)
    build_libraries
    install_libraries
    {
      printf '%s\n' "$hash"
      cd "$(site_packages)/nvidia" && sha256sum "${libraries[@]}"
    } > "$stamp.new"
    mv -f "$stamp.new" "$stamp"
    say "ready: $python"
  fi
fi
printf '%s\n' "$python"
