#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the hooks of api_table.toml.

generate_hooks.py TABLE wrappers OUT.cc    wrappers of the cuBLAS and NCCL calls
generate_hooks.py TABLE check OUT.cc       every prototype against the real headers
generate_hooks.py TABLE symbols OUT.txt    names that the library may export for hooks

and of api_rules.toml:

generate_hooks.py TABLE library OUT.cc     wrappers of all other calls
generate_hooks.py TABLE facts OUT.inc      formulas of these calls, for collector/model
generate_hooks.py TABLE ids OUT.h          proto/shm/library_api_ids.h, new names added
generate_hooks.py TABLE coverage OUT.md    docs/coverage.md
"""
import sys
import tomllib

import coverage_page
import library_hooks

LICENSE = """// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Made by generate_hooks.py from api_table.toml.
"""

C_TYPES = {"p": "void*", "e": "int", "n": "int", "l": "int64_t", "z": "size_t",
           "f": "float", "d": "double", "u": "UniqueId"}
# cudaDataType of the letters in cuBLAS names (library_types.h).
LETTER_TYPES = {"S": "kReal32F", "D": "kReal64F", "C": "kComplex32F", "Z": "kComplex64F",
                "H": "kReal16F"}


def parameters_of(text, ilp64=False):
    """[(name, C type)] of "name:code ..."."""
    result = []
    for item in text.split():
        name, code = item.split(":")
        result.append((name, "int64_t" if ilp64 and code == "n" else C_TYPES[code]))
    return result


def declaration(parameters):
    return ", ".join(f"{kind} {name}" for name, kind in parameters)


def types_only(parameters):
    return ", ".join(kind for _, kind in parameters)


def names_only(parameters):
    return ", ".join(name for name, _ in parameters)


def cublas_calls(table):
    """(exported name, name of the ApiId, layout, call, parameters) of every cuBLAS wrapper."""
    for name, call in table["cublas"].items():
        layout = table["layouts"][call["layout"]]
        yield name, name, layout, call, parameters_of(layout["parameters"])
        if call.get("ilp64"):
            yield (name + "_64", name, layout, call,
                   parameters_of(layout["parameters"], ilp64=True))


def cublas_wrapper(name, api, layout, call, parameters):
    if "types" in layout:
        types = layout["types"]
    else:
        types = [LETTER_TYPES[call["types"]]] * 3
    fields = [layout["m"], layout["n"], layout["k"], layout.get("batch", "1"), *types,
              layout.get("compute_type", "0")]
    return f"""
FLOPSPROF_EXPORT int {name}({declaration(parameters)}) {{
  static RealFunction real("{name}", "libcublas.so");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)({types_only(parameters)})>(real.Enter(&caller));
  if (function == nullptr) return kCublasNotSupported;
  CallScope call(shm::ApiId::{api});
  if (!call.counted()) return function({names_only(parameters)});
  const Product product = {{{", ".join(fields)}}};
  BeginCublasCall(&call, handle, caller);
  const int status = function({names_only(parameters)});
  EndCublasCall(&call, status, handle, caller, product);
  return status;
}}
"""


def nccl_wrapper(name, call):
    parameters = parameters_of(call["parameters"])
    peer = "peer" if any(p == "peer" for p, _ in parameters) else "-1"
    return f"""
FLOPSPROF_EXPORT int {name}({declaration(parameters)}) {{
  static RealFunction real("{name}", "libnccl.so");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)({types_only(parameters)})>(real.Enter(&caller));
  if (function == nullptr) return kNcclInvalidUsage;
  CallScope call(shm::ApiId::{name});
  if (!call.counted()) {{
    const int status = function({names_only(parameters)});
    if (call.outermost()) SkipCollective(status, shm::CollectiveKind::{call["kind"]}, {peer}, comm);
    return status;
  }}
  call.AskCapture(stream, caller);
  const int status = function({names_only(parameters)});
  EndCollective(&call, status, caller,
                {{shm::CollectiveKind::{call["kind"]}, count, datatype, {peer}, comm}});
  return status;
}}
"""


def wrappers(table):
    text = LICENSE + """
#include "injector/hooks/call_scope.h"
#include "injector/hooks/cublas/cublas_call.h"
#include "injector/hooks/nccl/nccl_call.h"
#include "injector/loader/real_function.h"
#include "injector/base/platform.h"

using namespace flopsprof::injector;  // NOLINT: generated
namespace shm = flopsprof::shm;
"""
    for call in cublas_calls(table):
        text += cublas_wrapper(*call)
    for name, call in table["nccl"].items():
        text += nccl_wrapper(name, call)
    return text


# Headers give these calls a C++ overload: the C function is chosen by its exact type.
OVERLOADED = ("cublasGemmEx", "cublasGemmBatchedEx", "cublasGemmStridedBatchedEx", "cudaMalloc")


def exact_type(name, parameters):
    if name == "cudaMalloc":
        return "cudaError_t (*)(void**, size_t)"
    arrays = "Batched" in name and "Strided" not in name
    exact = {"handle": "cublasHandle_t", "transa": "cublasOperation_t",
             "transb": "cublasOperation_t", "alpha": "const void*", "beta": "const void*",
             "A": "const void* const*" if arrays else "const void*",
             "B": "const void* const*" if arrays else "const void*",
             "C": "void* const*" if arrays else "void*",
             "Atype": "cudaDataType", "Btype": "cudaDataType", "Ctype": "cudaDataType",
             "computeType": "cublasComputeType_t", "algo": "cublasGemmAlgo_t"}
    kinds = ", ".join({"int64_t": "long long"}.get(k, k) if p not in exact else exact[p]
                      for p, k in parameters)
    return f"cublasStatus_t (*)({kinds})"


def check(table):
    text = LICENSE + """
// Compiles only if every hook has the calling convention of the function that it stands for.
#include "prototype_check.h"

// Calls that the headers call deprecated are hooked all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

"""
    groups = {"cublas": [(n, p) for n, _, _, _, p in cublas_calls(table)],
              "nccl": [(n, parameters_of(c["parameters"])) for n, c in table["nccl"].items()]}
    for name, call in table["handwritten"].items():
        if "parameters" in call:
            groups.setdefault(call["header"], []).append((name, parameters_of(call["parameters"])))
    checked = {h: [(n, f"int({types_only(p)})") for n, p in calls] for h, calls in groups.items()}
    for header, calls in library_hooks.check(table).items():
        checked.setdefault(header, []).extend(calls)
    for header, calls in checked.items():
        text += f"#ifdef FLOPSPROF_CHECK_{header.upper()}\n"
        for name, prototype in calls:
            function = f"&::{name}"
            if name in OVERLOADED:
                function = f"static_cast<{exact_type(name, dict(groups[header])[name])}>({function})"
            text += f"CHECK_PROTOTYPE(({function}), {prototype});\n"
        text += "#endif\n"
    return text


def symbols(table):
    names = [c[0] for c in cublas_calls(table)] + list(table["nccl"]) + list(table["handwritten"])
    names += [entry.name for entry in library_hooks.hooked(table)]
    return "\n".join(sorted(names)) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        table = tomllib.load(file)
    made = {"wrappers": wrappers, "check": check, "symbols": symbols,
            "library": lambda t: library_hooks.wrappers(t, LICENSE),
            "facts": lambda t: library_hooks.facts(t, LICENSE),
            "ids": lambda t: library_hooks.ids(t, LICENSE),
            "coverage": coverage_page.page}[sys.argv[2]](table)
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(made)


main()
