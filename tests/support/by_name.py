# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""C and C++ programs that call libraries, built so that they reach them in another way.

A program is written and linked as usual. For `dlopen` and `dlsym` a header is put in front of
it, in which each function of a library that the program calls is a macro: it asks the loader for
the name, at each call, and calls what it gets.
"""

import glob
import os
import re
import subprocess

from flopsprof_run import sim_python

CALLS = re.compile(r"\b((?:cuda|cudnn|cublas|cublasLt|cusparse|nccl)[A-Z]\w*)\(")
WAYS = ("link", "dlopen", "dlsym")

FINDER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
// `dlopen`: by the handle of a library opened for itself, as XLA does. `dlsym`: in the global
// name space, after everything was opened.
static void* by_name(const char* name) {
  static const char* const files[] = {%s};
  static void* handles[sizeof files / sizeof *files];
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
    if (handles[i] == NULL) {
      handles[i] = dlopen(files[i], RTLD_NOW | (%d ? RTLD_GLOBAL : RTLD_LOCAL));
    }
    if (handles[i] == NULL) {
      fprintf(stderr, "by_name: %%s\n", dlerror());
      exit(3);
    }
  }
  void* function = NULL;
  for (unsigned i = 0; function == NULL && i < sizeof files / sizeof *files; i++) {
    function = dlsym(%d ? RTLD_DEFAULT : handles[i], name);
  }
  if (function == NULL) {
    fprintf(stderr, "by_name: %%s\n", dlerror());
    exit(3);
  }
  return function;
}
"""


def called_names(source: str) -> list:
    """The library functions that the text of a program calls."""
    return sorted(set(CALLS.findall(source)))


def header(source: str, way: str, libraries: list) -> str:
    """The header for `way` ("dlopen" or "dlsym"); `libraries` are paths."""
    includes = re.findall(r"^#include <[^>]*>$", source, re.MULTILINE)
    files = ", ".join(f'"{path}"' for path in libraries)
    text = "// Made by by_name.py.\n#define _GNU_SOURCE\n" + "\n".join(includes)
    is_global = way == "dlsym"
    text += FINDER % (files, is_global, is_global)
    text += "#define BY_NAME_TEXT(x) #x\n#define BY_NAME_OF(x) BY_NAME_TEXT(x)\n"
    for name in called_names(source):
        # Type and name first: the library's own header may have a macro that means another function.
        text += (f"typedef __typeof__(&{name}) by_name_type_{name};\n"
                 f"static const char by_name_of_{name}[] = BY_NAME_OF({name});\n"
                 f"#undef {name}\n#define {name}(...) "
                 f"(((by_name_type_{name})by_name(by_name_of_{name}))(__VA_ARGS__))\n")
    return text


def nvidia() -> str:
    environment = os.path.dirname(os.path.dirname(sim_python()))
    (folder,) = glob.glob(os.path.join(environment, "lib/python3*/site-packages/nvidia"))
    return folder


def library_folders() -> str:
    """The folders of the stand-in libraries in the test environment, for the loader."""
    return ":".join(sorted(glob.glob(os.path.join(nvidia(), "*", "lib"))))


def compiled(source: str, out: str, way: str, libraries: dict) -> str:
    """Compiles `source` to `out`. `libraries`: part of the CUDA wheels -> file names, separated
    by blanks."""
    cxx = source.endswith(".cc")
    folders = {part: os.path.join(nvidia(), part, "lib") for part in libraries}
    files = [(part, name) for part, names in libraries.items() for name in names.split()]
    command = ["g++", "-std=c++17"] if cxx else ["gcc"]
    command += ["-w", "-o", out, *[f"-I{nvidia()}/{part}/include" for part in libraries]]
    if way == "link":
        command += [source, *[f"-L{folder}" for folder in folders.values()],
                    *[f"-l:{name}" for _, name in files], "-Wl,--allow-shlib-undefined"]
    else:
        made = out + ".h"
        with open(source, encoding="utf-8") as file:
            text = header(file.read(), way, [os.path.join(folders[p], n) for p, n in files])
        with open(made, "w", encoding="utf-8") as file:
            file.write(text)
        command += ["-include", made, source]
    # RPATH in every way: the libraries look for each other.
    command += ["-Wl,-rpath," + ":".join(folders.values()), "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return out
