#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the public entry points of one stand-in library.

    gen.py LIB --nvidia SITE_PACKAGES/nvidia --out DIR SOURCE...

A source file defines `API <return type> <name>(...)` for each function that it
implements.  `defs.h` (force-included) renames those to `impl_<name>`; `entries.cpp`
defines what programs call: every function that the real library exports, each a
wrapper that counts the call, lets the fault script refuse it, opens a frame
around it (cudart and cuda: the one CUPTI callbacks and records are made of;
libraries: the `call` of the ledger), and calls the implementation.  What has no
implementation logs `STUB`, in the mathematical libraries launches one kernel of its
name when it computes, and returns 0.  `exports.map` gives symbols the version
that the real library gives them.
"""

import argparse
import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

from wheels import Wheels

# library: its headers. Its symbols have its SONAME as their version, but for NCCL's.
LIBRARIES = {
    "core": [],  # only the names of callback ids
    "cudart": [],
    "cuda": [],
    "cublas": ["cublas_v2.h", "cublasXt.h"],
    "cublasLt": ["cublasLt.h"],
    "cudnn": ["cudnn.h"],
    "cupti": ["cupti.h"],
    "nccl": ["nccl.h"],
    "cusolver": ["cusolverDn.h"],
    "cusparse": ["cusparse.h"],
    "cufft": ["cufft.h", "cufftXt.h"],
}
UNVERSIONED = {"nccl", "cuda"}

HERE = Path(__file__).resolve().parent
MARKER = "flopsprof_simulated_gpu"

# Entry points without parameters have no parameter struct but do have a callback id.
NO_PARAMETERS = {
    "cudaDeviceSynchronize", "cudaDeviceReset", "cudaGetLastError",
    "cudaPeekAtLastError", "cudaThreadExit", "cudaThreadSynchronize",
    "cudaProfilerStart", "cudaProfilerStop", "cuCtxSynchronize",
    "cuProfilerStart", "cuProfilerStop",
}

# nvcc 13 launches through these; their parameter structs are not public, so the
# layout here is one of our own and never shown to a CUPTI client.
HIDDEN_RUNTIME = {
    "__cudaLaunchKernel": [
        ("cudaKernel_t", "kernel"), ("dim3", "gridDim"), ("dim3", "blockDim"),
        ("void **", "args"), ("size_t", "sharedMem"), ("cudaStream_t", "stream")],
    "__cudaLaunchKernel_ptsz": [
        ("cudaKernel_t", "kernel"), ("dim3", "gridDim"), ("dim3", "blockDim"),
        ("void **", "args"), ("size_t", "sharedMem"), ("cudaStream_t", "stream")],
    "__cudaGetKernel": [("cudaKernel_t *", "kernel"), ("const void *", "func")],
}

# Libraries whose functions without implementation launch a kernel, and what they call that
# computes nothing.
COMPUTING = {"cublas", "cusolver", "cusparse", "cufft"}
COMPUTES_NOTHING = re.compile(
    r"Create|Destroy|Get|Set|[bB]uffer|Init|Query|Logger|Plan|Version|Estimate|Alloc|Free|Shutdown|"
    r"Xerbla|Select|Boards|Info|Params|_analysis|ZeroPivot|_zeroPivot|Size|Malloc|Memcpy|Debug")

TYPE_WORDS = {"int", "unsigned", "char", "short", "long", "float", "double", "void"}

# What `API` of sim.h becomes when a source is read for the functions it defines.
API = re.compile(r"SIMGPU_API_MARK\s+(?:const\s+)?\w+[\s\*]+?(\w+)\s*\(")


@contextlib.contextmanager
def written(path):
    """A text to write into; the file changes only if the text is another one."""
    text = io.StringIO()
    yield text
    if not path.exists() or path.read_text(encoding="utf-8") != text.getvalue():
        path.write_text(text.getvalue(), encoding="utf-8")


def preprocess(headers, include, options=()):
    """The text of `headers` after the preprocessor, attributes removed."""
    text = "".join(f'#include "{h}"\n' for h in headers)
    command = ["g++", "-E", "-P", *options, *[f"-I{i}" for i in include], "-x", "c++", "-"]
    out = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", out.stdout)


def prototypes(headers, include):
    """name -> (return type, [(declaration, name)]) of the functions declared."""
    found = {}
    if not headers:
        return found
    pattern = re.compile(
        r"((?:const\s+)?\b\w+[\s\*]+)(?:__stdcall\s+)?\b(cu\w+|nccl\w+)\s*\(([^()]*)\)\s*;")
    for match in pattern.finditer(preprocess(headers, include)):
        result, name, text = match[1].strip(), match[2], match[3].strip()
        if result in ("return", "typedef") or name in found:
            continue
        parameters = []
        for i, item in enumerate([] if text in ("", "void") else text.split(",")):
            item = " ".join(item.split())
            named = re.match(r"(.*[\s\*])(\w+)(?:\[\w*\])*$", item)
            if named and named[2] not in TYPE_WORDS and named[1].strip() != "const":
                parameters.append((item, named[2]))
            else:
                parameters.append((f"{item} a{i}", f"a{i}"))
        found[name] = (result, parameters)
    return found


def exported_functions(library):
    if subprocess.run(["grep", "-qaF", MARKER, str(library)], check=False).returncode == 0:
        sys.exit(f"gen.py: {library} is a stand-in, not the real library")
    out = subprocess.run(["nm", "-D", "--defined-only", str(library)],
                         capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in out.splitlines())
    return {row[2].split("@")[0] for row in rows if row[1] in "TtWi"}


def driver_functions(include):
    """What cuda.h declares: today's names, those of per-thread default streams, and the
    legacy ones without a version suffix that libcuda still exports."""
    names = {"cuGetExportTable"}
    for define in ("SIMGPU_PLAIN", "CUDA_API_PER_THREAD_DEFAULT_STREAM",
                   "__CUDA_API_VERSION_INTERNAL"):
        names |= set(re.findall(r"\bCUresult\s+(?:__stdcall\s+)?(cu\w+)\s*\(",
                                preprocess(["cuda.h"], include, [f"-D{define}"])))
    return names


def callback_ids(domain, header):
    """name -> (callback enumerator, version, fields or None) of one API domain."""
    meta, ids, prefix = {
        "cudart": ("generated_cuda_runtime_api_meta.h", "cupti_runtime_cbid.h",
                   "CUPTI_RUNTIME_TRACE_CBID_"),
        "cuda": ("generated_cuda_meta.h", "cupti_driver_cbid.h",
                 "CUPTI_DRIVER_TRACE_CBID_"),
    }[domain]
    known = set(re.findall(prefix + r"(\w+)\s*=", header(ids).read_text()))

    def split(full):
        if domain == "cuda":
            return full, 0
        match = re.match(r"(\w+)_v(\d+)$", full)
        return (match[1], int(match[2])) if match else (None, 0)

    table = {}
    structs = re.finditer(r"typedef struct (\w+)_params_st \{(.*?)\} \w+;",
                          header(meta).read_text(), re.S)
    for struct in structs:
        name, version = split(struct[1])
        if struct[1] not in known or name is None:
            continue
        fields = []
        for line in filter(None, (l.strip() for l in struct[2].split(";"))):
            field = re.match(r"(.*?)(\w+)$", line, re.S)
            if "[" in line or "(" in line or not field:
                fields = None
                break
            fields.append((field[1].strip(), field[2]))
        if fields is not None and (name not in table or table[name][1] < version):
            table[name] = (struct[1], version, fields)
    for full in known:
        name, version = split(full)
        if name and name not in table:
            table[name] = (full, version, None)
    return table, prefix


def symbol_expression(domain, name, fields):
    """C++ expression for the kernel name of a launch call, or nullptr."""
    names = [f for _, f in fields]
    if "aunch" not in name or "Host" in name:
        return "nullptr"
    if domain == "cudart" and name.startswith("__cudaLaunchKernel"):
        return f"sim_function_name({names[0]})"
    if domain == "cudart" and "func" in names:
        return "sim_rt_name(func)"
    if domain == "cuda" and "f" in names:
        return "sim_function_name(f)"
    return "nullptr"


def kernel(symbol, library):
    """The launch of a function that computes."""
    if library not in COMPUTING or COMPUTES_NOTHING.search(symbol) or symbol.startswith("_"):
        return ""
    inner = "  sim_solver_products();\n" if library == "cusolver" else ""
    return inner + f'  sim_launch_lib("{symbol}_kernel", nullptr, 1, 1, 1, 128, 0, 0, 0);\n'


def stub(symbol, library):
    return (f'VISIBLE long stub_{symbol}() __asm__("{symbol}");\n'
            f"long stub_{symbol}() {{\n"
            f'  sim_count("{library}:{symbol}");\n'
            f'  sim_unimpl("{library}:{symbol}");\n'
            f"{kernel(symbol, library)}"
            f"  return 0;\n}}\n")


def write_cuda_api(library, symbols, implemented, header, out):
    """Wrappers of cudart and cuda: the frames of CUPTI callbacks and records."""
    ids, prefix = callback_ids(library, header)
    result, domain = {"cudart": ("cudaError_t", "SIM_RUNTIME"),
                      "cuda": ("CUresult", "SIM_DRIVER")}[library]
    if library == "cudart":
        out.write('#include <cuda_runtime_api.h>\n'
                  '#include <generated_cuda_runtime_api_meta.h>\n'
                  '#include <cupti_runtime_cbid.h>\n'
                  '#include "entry.h"\n\n'
                  'const char* sim_rt_name(const void* function);\n\n')
        for name, fields in HIDDEN_RUNTIME.items():
            if name not in ids:  # CUDA 12 exports them, but calls no callback
                continue
            body = " ".join(f"{t} {f};" for t, f in fields)
            out.write(f"struct {name}_v13000_params {{ {body} }};\n")
            ids[name] = (f"{name}_v13000", 13000, fields)
    else:
        out.write('#include <cuda.h>\n#include "meta_compat.h"\n'
                  '#include <cupti_driver_cbid.h>\n#include "entry.h"\n\n')
    for symbol in sorted(symbols | implemented):
        entry = ids.get(symbol)
        base = re.sub(r"_(ptsz|ptds)$", "", symbol)
        target = symbol if symbol in implemented else base if base in implemented else None
        for version in (base + "_v2", base.removesuffix("_v2")):
            other = ids.get(version)
            if not target and entry and other and version in implemented \
                    and entry[2] is not None and other[2] is not None \
                    and [t for t, _ in entry[2]] == [t for t, _ in other[2]]:
                target = version  # the name with or without a version, with the same arguments
        if entry and (entry[2] is not None or symbol in NO_PARAMETERS):
            fields = entry[2] or []
            typed = ", ".join(f"{t} {f}" for t, f in fields)
            names = ", ".join(f for _, f in fields)
            if target:
                out.write(f'extern "C" {result} impl_{symbol}({typed}) '
                          f'__asm__("impl_{target}");\n')
                call = f"impl_{symbol}({names})"
            else:
                call = f'(sim_unimpl("{library}:{symbol}"), ({result})0)'
            if fields:
                parameters = f"{entry[0]}_params params_ = {{{names}}};"
                pointer = "&params_"
                if symbol in HIDDEN_RUNTIME:
                    parameters, pointer = "", "nullptr"
            else:
                parameters, pointer = "", "nullptr"
            symbol_name = symbol_expression(library, symbol, fields)
            out.write(
                f'VISIBLE {result} entry_{symbol}({typed}) __asm__("{symbol}");\n'
                f"{result} entry_{symbol}({typed}) {{\n"
                f'  SIM_ENTRY({result}, "{library}", "{symbol}");\n'
                f"  constexpr unsigned kId = {prefix}{entry[0]};\n"
                f"  if (__builtin_expect(!sim_on[{domain}][kId], 1)) return {call};\n"
                f"  {parameters}\n"
                f"  {result} result_ = ({result})0;\n"
                f'  SimApiScope scope_({domain}, kId, "{symbol}", {pointer}, &result_, '
                f"{symbol_name});\n"
                f"  return result_ = {call};\n}}\n")
        elif symbol in implemented:
            out.write(f'extern "C" void alias_{symbol}() __asm__("impl_{symbol}");\n'
                      f'__asm__(".globl {symbol}\\n.type {symbol}, @function\\n'
                      f'{symbol}: jmp impl_{symbol}\\n");\n')
        else:
            out.write(stub(symbol, library))


def write_library_api(library, symbols, implemented, headers, include, out):
    """Wrappers of all other libraries: the `call` frames of the ledger."""
    out.write("".join(f"#include <{h}>\n" for h in headers))
    out.write('#include "entry.h"\n\n')
    known = prototypes(headers, include)
    frame = "SIM_CUPTI_ENTRY" if library == "cupti" else "SIM_LIBRARY_ENTRY"
    for symbol in sorted(symbols):
        if symbol not in known:
            if symbol in implemented:
                out.write(f'__asm__(".globl {symbol}\\n.type {symbol}, @function\\n'
                          f'{symbol}: jmp impl_{symbol}\\n");\n')
            else:
                out.write(stub(symbol, library))
            continue
        result, parameters = known[symbol]
        typed = ", ".join(p for p, _ in parameters)
        names = ", ".join(n for _, n in parameters)
        out.write(f'VISIBLE {result} entry_{symbol}({typed}) __asm__("{symbol}");\n')
        if symbol in implemented:
            out.write(f'extern "C" {result} impl_{symbol}({typed});\n')
        out.write(f"{result} entry_{symbol}({typed}) {{\n")
        if "*" not in result and result != "void":
            out.write(f'  {frame}({result}, "{library}", "{symbol}");\n')
        if symbol in implemented:
            out.write(f"  return impl_{symbol}({names});\n}}\n")
            continue
        out.write(f'  sim_unimpl("{library}:{symbol}");\n')
        out.write(kernel(symbol, library))
        for declaration, name in parameters:
            kind = declaration[: -len(name)].strip() if declaration.endswith(name) else ""
            if re.match(r"size_t ?\*$", kind) and "ize" in symbol:
                out.write(f"  if ({name}) *{name} = 65536;\n")
            elif re.match(r"int ?\*$", kind) and "ufferSize" in symbol:
                out.write(f"  if ({name}) *{name} = 1024;\n")
            elif "reate" in symbol and re.match(r"\w+_t ?\*$", kind):
                out.write(f"  if ({name}) *(void**){name} = calloc(1, 8192);\n")
        out.write("}\n" if result == "void" else f"  return ({result})0;\n}}\n")


def write_callback_names(wheels_header, out):
    out.write('#include "simcore.h"\n\n'
              "const char* sim_cbid_name(int domain, uint32_t id) {\n")
    for number, header, prefix in (
            (1, "cupti_driver_cbid.h", "CUPTI_DRIVER_TRACE_CBID_"),
            (2, "cupti_runtime_cbid.h", "CUPTI_RUNTIME_TRACE_CBID_")):
        out.write(f"  if (domain == {number}) switch (id) {{\n")
        for match in re.finditer(prefix + r"(\w+)\s*=\s*(\d+)",
                                 wheels_header(header).read_text()):
            if match[1] not in ("INVALID", "SIZE", "FORCE_INT"):
                out.write(f'    case {match[2]}: return "{match[1]}";\n')
        out.write("    default: return nullptr;\n  }\n")
    out.write("  return nullptr;\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=sorted(LIBRARIES))
    parser.add_argument("--nvidia", type=Path, required=True)
    parser.add_argument("--headers", type=Path, help="a folder of headers that the wheels lack")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("sources", nargs="*", type=Path)
    args = parser.parse_intermixed_args()
    headers = LIBRARIES[args.library]
    wheels = Wheels(args.nvidia)
    include = [*wheels.include(), *([args.headers] if args.headers else [])]
    if args.library == "core":
        args.out.mkdir(parents=True, exist_ok=True)
        with written(args.out / "callback_names.cpp") as out:
            out.write("// Generated by gen.py. Do not edit.\n")
            write_callback_names(wheels.header, out)
        return
    implemented = set()
    for source in args.sources:
        text = preprocess([source.resolve()], [HERE / "core", source.parent, *include],
                          ["-std=c++17", "-DSIMGPU_API_MARKED"])
        implemented |= set(API.findall(text))
    if args.library == "cuda":
        symbols = driver_functions(include)
    else:
        # The real library stands beside the stand-in once that has its place.
        path = args.nvidia / wheels.libraries()[args.library]
        kept = path.with_name(path.name + ".real")
        symbols = exported_functions(kept if kept.exists() else path)
    symbols -= {"_init", "_fini"}
    args.out.mkdir(parents=True, exist_ok=True)
    with written(args.out / "entries.cpp") as out:
        out.write("// Generated by gen.py. Do not edit.\n")
        if args.library in ("cudart", "cuda"):
            write_cuda_api(args.library, symbols, implemented, wheels.header, out)
        else:
            write_library_api(args.library, symbols, implemented, headers, include, out)
    with written(args.out / "defs.h") as out:
        out.write("#pragma once\n// Generated by gen.py. Do not edit.\n")
        for name in sorted(implemented):
            out.write(f"#define {name} impl_{name}\n")
    file = Path(wheels.libraries()[args.library]).name
    node = "" if args.library in UNVERSIONED else file
    names = sorted(symbols | implemented) + [MARKER, "simgpu_*"]
    with written(args.out / "exports.map") as out:
        out.write(f"{node} {{ global:\n" + "".join(f"  {n};\n" for n in names))
        out.write("local: *; };\n")


if __name__ == "__main__":
    main()
