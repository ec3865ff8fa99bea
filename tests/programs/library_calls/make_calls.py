#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a C program that calls each hooked library function once, with small sizes.

    make_calls.py OUT.c        names of the calls, one a line, on stdout

The program: calls link|dlopen|dlsym [FOLDER]; compiled with -DLINKED it knows `link` only.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "injector" / "hooks" / "table"))
import api_rules  # noqa: E402
import scan_exports  # noqa: E402

TYPES = {"p": "void*", "c": "signed char", "i": "int", "l": "long long", "f": "float",
         "d": "double", "F": "struct complex_float", "D": "struct complex_double", "v": "void"}
# By the name of the parameter; everything else of an integer type is 0.
SIZES = {"m": 3, "n": 5, "k": 7, "kl": 1, "ku": 2, "nrhs": 4, "batchcount": 2, "batchsize": 2,
         "group_count": 2, "incx": 1, "incy": 1, "lda": 16, "ldb": 16, "ldc": 16, "ldv": 16,
         "ldu": 16, "ldvt": 16}
CHARACTERS = {"side": "'L'", "uplo": "'U'"}
LIBRARIES = {"cublas": "libcublas.so.13", "cusolver": "libcusolver.so.12",
             "cusparse": "libcusparse.so.12", "cufft": "libcufft.so.12"}
FOLDERS = {"cublas": "cu13", "cusolver": "cu13", "cusparse": "cu13", "cufft": "cu13"}
GROUPS = {"m_array": "3, 1", "n_array": "5, 2", "k_array": "7, 4", "group_size": "2, 3"}


def functions():
    """(library, name, result, parameters) of everything to call."""
    own = scan_exports.own_table()
    for (library, name), forms in sorted(api_rules.read_signatures().items()):
        if library not in LIBRARIES:
            continue
        form = next((f for f, seen in forms.items() if f is not None and "13.0" in seen), None)
        if form is None or name.startswith("cublasCreate"):
            continue
        if name in own or name.removesuffix("_64") in own:
            if name.startswith("cusparse"):
                continue  # sparse.c: they need descriptors
        elif api_rules.judge(RULES, library, name)[0]["kind"] not in api_rules.HOOKED:
            continue
        yield library, name, form[0], form[1]


def argument(library, function, name, code):
    low = name.lower()
    if code == "c":
        return CHARACTERS.get(low, "'N'")
    if name == "handle" and library == "cublas" and "Xt" not in function:
        return "cublas"
    if name in GROUPS:
        return f"{name}{'_64' if function.endswith('_64') else ''}"
    if code == "p":
        return "memory"
    if code in "FD":
        return f"({TYPES[code]}){{1, 0}}"
    if code in "fd":
        return "1"
    if low == "computetype" and library == "cublas":
        return "68"  # CUBLAS_COMPUTE_32F
    return str(SIZES.get(low, 0))


HEAD = r"""// Made by make_calls.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct complex_float { float x, y; };
struct complex_double { double x, y; } __attribute__((aligned(16)));

// Room for every array; full of its own address, for arrays of pointers.
static void* memory[8192];
static void* cublas;
"""
OPENING = r"""
static void* library_of(const char* file, const char* mode, const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  void* library = dlopen(path, strcmp(mode, "dlsym") == 0 ? RTLD_NOW | RTLD_GLOBAL
                                                          : RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "calls: %s\n", dlerror());
    exit(3);
  }
  return strcmp(mode, "dlsym") == 0 ? RTLD_DEFAULT : library;
}

static void* found(void* library, const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) {
    fprintf(stderr, "calls: %s\n", dlerror());
    exit(3);
  }
  return function;
}
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = list(functions())
    text = HEAD
    for name, values in GROUPS.items():
        text += f"static int {name}[] = {{{values}}};\nstatic long long {name}_64[] = {{{values}}};\n"
    create = ("cublas", "cublasCreate_v2", "i", (("handle", "p"),))
    text += "#ifdef LINKED\n"
    for _, name, result, parameters in [create, *rows]:
        kinds = ", ".join(TYPES[code] for _, code in parameters)
        text += f"{TYPES[result]} {name}({kinds});\n#define to_{name} (&{name})\n"
    text += "#else\n" + OPENING
    text += "static void* in_" + ", *in_".join(LIBRARIES) + ";\n"
    for library, name, result, parameters in [create, *rows]:
        kinds = ", ".join(TYPES[code] for _, code in parameters)
        text += (f"#define to_{name} (({TYPES[result]} (*)({kinds}))found(in_{library}, "
                 f"\"{name}\"))\n")
    text += "#endif\n\nint main(int argc, char** argv) {\n  (void)argc;\n  (void)argv;\n"
    text += "#ifndef LINKED\n"
    for library, file in LIBRARIES.items():
        text += f'  in_{library} = library_of("{file}", argv[1], argv[2]);\n'
    text += ("#endif\n  for (int i = 0; i < 8192; i++) memory[i] = memory;\n"
             "  int failed = to_cublasCreate_v2(&cublas) != 0;\n")
    for library, name, result, parameters in rows:
        call = f"to_{name}({', '.join(argument(library, name, p, c) for p, c in parameters)})"
        if result == "i":
            text += f'  if ({call} != 0) failed++, printf("refused: {name}\\n");\n'
        else:
            text += f"  {call};\n"
    text += '  printf("done\\n");\n  return failed != 0;\n}\n'
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print("\n".join(name for _, name, _, _ in rows))


RULES = api_rules.load_rules()
main()
