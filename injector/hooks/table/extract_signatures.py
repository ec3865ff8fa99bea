#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes signatures/*.txt: what NVIDIA's libraries export, and with which arguments.

    extract_signatures.py CUDA=FOLDER...      e.g. 13.0=.../site-packages/nvidia

FOLDER holds the wheels of one CUDA release, unpacked: headers under */include, libraries under
*/lib. A library that was replaced is read from LIBRARY.real; where only `nm -D` output was kept,
from LIBRARY.nm. One line per name and calling convention:

    <releases> <name> <result> <parameter>:<code> ...       or       <releases> <name> -

`-`: exported, but in no public header. Codes: p pointer, c character, i any other integer of 32
bits or less and any enumeration, l of 64 bits, f float, d double, F cuComplex and D
cuDoubleComplex by value; the result also v (nothing).
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# file of signatures: (beginning of the library's file name, groups of headers that can be
# included together; an earlier group goes first)
LIBRARIES = {
    "cublas": ("libcublas.so", [["cublas_v2.h", "cublasXt.h"], ["cublas.h"]]),
    "cublaslt": ("libcublasLt.so", [["cublasLt.h"]]),
    "cusolver": ("libcusolver.so",
                 [["cusolverDn.h", "cusolverSp.h", "cusolverRf.h",
                   "cusolverSp_LOWLEVEL_PREVIEW.h"]]),
    "cusolvermg": ("libcusolverMg.so", [["cusolverMg.h"]]),
    "cusparse": ("libcusparse.so", [["cusparse.h"]]),
    "cusparselt": ("libcusparseLt.so", [["cusparseLt.h"]]),
    "cufft": ("libcufft.so", [["cufft.h", "cufftXt.h"]]),
    "cufftw": ("libcufftw.so", [["cufftw.h"]]),
    "nccl": ("libnccl.so", [["nccl.h"]]),
    "nvblas": ("libnvblas.so", [["nvblas.h"]]),
    "cudnn": ("libcudnn.so", [["cudnn.h"]]),
}
FUNCTION = re.compile(r"((?:\bconst\s+)?\b[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)*[\s*]+)"
                      r"\b([A-Za-z_]\w*)\s*\(([^()]*)\)\s*;")
KEYWORDS = {"const", "struct", "enum", "unsigned", "int", "long", "short", "char", "float",
            "double", "void", "signed", "volatile"}
TYPE_PROGRAM = """
#include <cstdio>
#include <type_traits>
template <class T> const char* Code() {
  if (std::is_void<T>::value) return "v";
  if (std::is_pointer<T>::value) return "p";
  if (std::is_same<T, float>::value) return "f";
  if (std::is_same<T, double>::value) return "d";
  if (std::is_integral<T>::value || std::is_enum<T>::value) {
    return sizeof(T) > 4 ? "l" : sizeof(T) == 1 ? "c" : "i";
  }
  if (sizeof(T) == 8) return "F";
  if (sizeof(T) == 16) return "D";
  return "?";
}
template <> const char* Code<void>() { return "v"; }
"""


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


# Of a library that exports its own kernels' names too, only these count.
PREFIXES = {"libcusparseLt.so": "cusparseLt"}


def exports(folder, library):
    """Names of the functions that the library of a release exports; None without it."""
    for file in sorted(folder.rglob(library + "*")):
        if file.suffix == ".nm":
            text = file.read_text()
        else:
            real = file.with_name(file.name + ".real")
            text = run(["nm", "-D", "--defined-only", str(real if real.exists() else file)]).stdout
        rows = (line.split() for line in text.splitlines())
        # Mangled and compiler's own names: internals that no program can call by intention.
        return {row[2].split("@")[0] for row in rows
                if len(row) == 3 and row[1] in "TtWi" and not row[2].startswith("_")
                and row[2].startswith(PREFIXES.get(library, ""))}
    return None


def preprocessed(headers, include):
    text = "".join(f"#include <{header}>\n" for header in headers)
    done = run(["g++", "-E", "-P", *[f"-I{i}" for i in include], "-x", "c++", "-"], input=text)
    if done.returncode != 0:
        sys.exit(f"extract_signatures: {' '.join(headers)}: {done.stderr.strip()[:800]}")
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", done.stdout)
    return re.sub(r"\bextern\b|\b__inline\w*\b", "", text)


def split_parameter(text, position):
    """(type, name) of a declaration such as `const float *A[]`."""
    array = "[" in text
    text = " ".join(re.sub(r"\[[^\]]*\]", "", text).split())
    match = re.match(r"(.*[\s*])(\w+)$", text)
    if match and match[2] not in KEYWORDS and match[1].strip() not in ("", "const"):
        kind, name = match[1].strip(), match[2]
    else:
        kind, name = text, f"a{position}"
    return kind + ("*" if array else ""), name


def declarations(text, wanted):
    """name -> (result type, [(type, name)]) of the wanted functions."""
    found = {}
    for match in FUNCTION.finditer(text):
        name = match[2]
        if name not in wanted or name in found or "typedef" in match[1].split():
            continue
        inside = match[3].strip()
        items = [] if inside in ("", "void") else inside.split(",")
        found[name] = (match[1].strip(), [split_parameter(x, i) for i, x in enumerate(items)])
    return found


def codes(kinds, headers, include):
    """type -> its code, by the compiler."""
    kinds = sorted(kinds)
    body = "".join(f'  std::puts(Code<std::remove_cv<{kind}>::type>());\n' for kind in kinds)
    program = "".join(f"#include <{h}>\n" for h in headers) + TYPE_PROGRAM + \
        "int main() {\n" + body + "}\n"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "types"
        done = run(["g++", "-w", *[f"-I{i}" for i in include], "-x", "c++", "-", "-o", str(out)],
                   input=program)
        if done.returncode != 0:
            sys.exit(f"extract_signatures: types: {done.stderr[:2000]}")
        return dict(zip(kinds, run([str(out)]).stdout.split()))


def signatures(folder, library, groups):
    """name -> (names of parameters, line without names) of one release; None without it."""
    names = exports(folder, library)
    if names is None:
        return None
    include = sorted(p for p in folder.rglob("include")
                     if p.is_dir() and "include" not in p.parent.parts)
    known = {p.name for i in include for p in i.glob("*.h")}
    found, code = {}, {}
    for group in groups:
        headers = [h for h in group if h in known]
        if not headers:
            continue
        new = declarations(preprocessed(headers, include), names - found.keys())
        kinds = {k for result, parameters in new.values()
                 for k in [result, *[p[0] for p in parameters]]}
        code |= codes(kinds, headers, include)
        found |= new
    lines = {}
    for name in names:
        if name not in found:
            lines[name] = (None, "-")
            continue
        result, parameters = found[name]
        lines[name] = ([p[1] for p in parameters],
                       " ".join([code[result], *[code[p[0]] for p in parameters]]))
    return lines


def main():
    releases = [argument.split("=", 1) for argument in sys.argv[1:]]
    if not releases or any(len(r) != 2 for r in releases):
        sys.exit(__doc__)
    for file, (library, groups) in LIBRARIES.items():
        merged = {}  # (name, codes) -> ([releases], parameter names)
        for release, folder in releases:
            lines = signatures(Path(folder), library, groups)
            if lines is None:
                print(f"extract_signatures: no {library} in {release}", file=sys.stderr)
                continue
            for name, (parameters, code) in lines.items():
                merged.setdefault((name, code), ([], parameters))[0].append(release)
        text = ("# SPDX-FileCopyrightText: 2026 The flopsprof authors\n"
                "# SPDX-License-Identifier: Apache-2.0\n"
                f"# Exports of {library}, by extract_signatures.py, which says how to read this.\n")
        for (name, code), (seen, parameters) in sorted(merged.items()):
            signature = "-"
            if parameters is not None:
                kinds = code.split()
                named = [f"{p}:{k}" for p, k in zip(parameters, kinds[1:])]
                signature = " ".join([kinds[0], *named])
            text += f"{','.join(seen)} {name} {signature}\n"
        if merged:
            (HERE / "signatures" / f"{file}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
