#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes OUT/build.ninja for the stand-in libraries (called by build.sh)."""

import argparse
import shutil
from pathlib import Path

from wheels import Wheels

HERE = Path(__file__).resolve().parent

# library: its sources relative to this folder
LIBRARIES = {
    "cudart": "cudart/*.cpp",
    "cuda": "cuda/*.cpp",
    "cublas": "cublas/*.cpp",
    "cublasLt": "cublaslt/*.cpp",
    "cudnn": "cudnn/*.cpp",
    "nccl": "nccl/*.cpp",
    "cupti": "cupti/*.cpp",
    "cusolver": "misc/cusolver*.cpp",
    "cusparse": "misc/cusparse*.cpp",
    "cufft": "misc/cufft*.cpp",
}

# Which of the others a library calls by their exported symbols, as the real ones do.
CALLS = {"cublas": ["cublasLt"], "cusolver": ["cublas"]}

RULES = """\
ninja_required_version = 1.8
rule cxx
  command = nice {ccache} g++ $flags -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = compile $in
rule gen
  command = python3 {here}/gen.py $library --nvidia {nvidia} {headers} --out $dir $sources
  description = generate $library
  restat = 1
rule link
  command = nice g++ -shared -o $out.tmp $in $flags && mv -f $out.tmp $out
  description = link $out
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--nvidia", type=Path, required=True)
    parser.add_argument("--headers", type=Path, help="a folder of headers that the wheels lack")
    args = parser.parse_args()
    out, nvidia = args.out.resolve(), args.nvidia.resolve()
    ccache = "ccache" if shutil.which("ccache") else ""
    wheels = Wheels(nvidia)
    more = [args.headers.resolve()] if args.headers else []
    include = [HERE / "core", *wheels.include(), *more]
    common = ("-std=c++17 -O2 -g -fPIC -fvisibility=hidden -fno-builtin -fno-strict-aliasing -Wall -Wextra "
              "-Wno-unused-parameter -Wno-deprecated-declarations -DSIMGPU_BUILD "
              + f"-ffile-prefix-map={HERE}=tests/simgpu "
              + " ".join(f"-I{HERE / 'core'}" if i == HERE / "core" else f"-isystem {i}"
                         for i in include))
    text = [RULES.format(ccache=ccache, here=HERE, nvidia=nvidia,
                         headers=" ".join(f"--headers {f}" for f in more))]

    def compile_all(library, sources, flags, order_only):
        objects = []
        for source in sources:
            obj = f"obj/{library}/{source.stem}.o"
            text.append(f"build {obj}: cxx {source} || {order_only}\n  flags = {flags}")
            objects.append(obj)
        return objects

    text.append("build none: phony")
    names = "gen/core/callback_names.cpp"
    text.append(f"build {names}: gen | {HERE / 'gen.py'}\n"
                "  library = core\n  dir = gen/core\n  sources = ")
    core = compile_all("core", [*sorted((HERE / "core").glob("*.cpp")), Path(names)],
                       common, "none")
    text.append(f"build libsimcore.so: link {' '.join(core)}\n"
                "  flags = -Wl,-soname,libsimcore.so -ldl -lpthread")
    targets = ["libsimcore.so"]
    files = wheels.libraries()
    for library, pattern in LIBRARIES.items():
        file = Path(files[library]).name
        sources = sorted(HERE.glob(pattern))
        gen = f"gen/{library}"
        generated = [f"{gen}/{n}" for n in ("entries.cpp", "defs.h", "exports.map")]
        names = " ".join(map(str, sources))
        text.append(f"build {' '.join(generated)}: gen {names} | {HERE / 'gen.py'}\n"
                    f"  library = {library}\n  dir = {gen}\n  sources = {names}")
        objects = compile_all(library, sources,
                              f"{common} -include {out / gen / 'defs.h'}",
                              f"{gen}/defs.h")
        text.append(f"build obj/{library}/entries.o: cxx {gen}/entries.cpp\n"
                    f"  flags = {common} -w")
        called = " ".join(Path(files[other]).name for other in CALLS.get(library, []))
        text.append(
            f"build {file}: link {' '.join(objects)} obj/{library}/entries.o"
            f" | libsimcore.so {called} {gen}/exports.map\n"
            f"  flags = -Wl,-soname,{file} -Wl,--version-script={gen}/exports.map"
            f" -L. {called} -lsimcore -ldl -lpthread"
            f" -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../../{wheels.runtime}/lib:$$ORIGIN/../../cublas/lib'")
        targets.append(file)
    text.append("default " + " ".join(targets))
    new = "\n".join(text) + "\n"
    ninja = out / "build.ninja"
    if not ninja.exists() or ninja.read_text() != new:
        ninja.write_text(new)


if __name__ == "__main__":
    main()
