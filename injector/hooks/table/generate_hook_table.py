#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the table that hook_table.h describes, from the names of all hooks.

generate_hook_table.py NAMES.txt OUT.S
"""
import sys

# Functions of libc: never entered through a door, never an answer of dlsym.
PLAIN = {"_exit", "_Exit", "quick_exit", "dlsym", "dlvsym", "dlopen", "dlmopen"}
FIRST_LETTERS = {"cu", "nc", "dl", "_e", "_E", "qu"}  # as MayBeHooked in hook_table.h

HEAD = """// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Made by generate_hook_table.py.
"""


def fnv1a(name):
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def index_of(names):
    """Open addressing with linear probing: number of the hook, from 1; 0 is a free slot."""
    slots = 1
    while slots < 2 * len(names):
        slots *= 2
    index = [0] * slots
    for number, name in enumerate(names, 1):
        at = fnv1a(name) % slots
        while index[at]:
            at = (at + 1) % slots
        index[at] = number
    return index


def assembler(names):
    index = index_of(names)
    lines = [HEAD, "        .section .rodata"]
    for number, name in enumerate(names):
        lines.append(f'name{number}: .asciz "{name}"')
    lines += ["        .p2align 2", "        .globl flopsprof_hook_index_mask",
              "        .hidden flopsprof_hook_index_mask",
              f"flopsprof_hook_index_mask: .long {len(index) - 1}",
              "        .globl flopsprof_hook_index", "        .hidden flopsprof_hook_index",
              "flopsprof_hook_index:"]
    for begin in range(0, len(index), 16):
        lines.append("        .short " + ", ".join(map(str, index[begin:begin + 16])))
    lines += ["        .section .data.rel.ro, \"aw\"", "        .p2align 3",
              "        .globl flopsprof_hooks", "        .hidden flopsprof_hooks",
              "flopsprof_hooks:"]
    for number, name in enumerate(names):
        lines.append(f"        .quad name{number}, {name}, {int(name in PLAIN)}")
    lines.append('        .section .note.GNU-stack, "", @progbits')
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        names = file.read().split()
    unseen = [name for name in names if name[:2] not in FIRST_LETTERS]
    if unseen:
        sys.exit(f"generate_hook_table: MayBeHooked in hook_table.h leaves out {unseen[0]}: "
                 "give it and FIRST_LETTERS here the new first letters")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(assembler(names))


main()
