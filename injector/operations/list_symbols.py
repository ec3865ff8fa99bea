#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the symbols that the files *_hooks.cc export, one a line.

list_symbols.py [LIBTORCH_CUDA]   with a library: "yes" or "no" before each, is it there
"""
import pathlib
import re
import subprocess
import sys

ROOM = pathlib.Path(__file__).resolve().parent


def symbols() -> list:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(ROOM.glob("*_hooks.cc")))
    text = text.replace("\\\n", "")
    text = re.sub(r'"\s*"', "", text)  # neighbouring literals are one
    return sorted(set(re.findall(r'"(_ZN2at\w+)"', text)))


def main() -> int:
    found = None
    if len(sys.argv) > 1:
        done = subprocess.run(
            ["nm", "-D", "--defined-only", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True
        )
        found = {line.split()[-1] for line in done.stdout.splitlines()}
    for symbol in symbols():
        print(symbol if found is None else f"{'yes' if symbol in found else 'no '} {symbol}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
