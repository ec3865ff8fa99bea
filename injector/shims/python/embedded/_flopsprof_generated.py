# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which weight a later product in the same piece of Inductor's code uses with the same gradient.

The product that makes a weight's gradient may come before the one that uses the weight with the
same gradient, so that memory does not tell yet whose it is. The code does: both name the gradient.
Read once for each line; what the line says is then looked up among the variables of the call.
"""

import ast
import linecache
import re

MOST_LINES = 65536  # that are remembered
KERNEL = re.compile(r"^ *extern_kernels\.(\w+)\(")
CHANGED = re.compile(r"^ *(?:del (\w+)|(\w+) = )|; del (\w+)")

_read: dict = {}  # (code, line) -> ((name of the gradient, names of weights) ...)


def base_names(line, factors) -> list:
    """Variables behind the factors of a call: `reinterpret_tensor(buf3, ...)` is of buf3."""
    match = KERNEL.match(line)
    if match is None or match[1] not in factors:
        return []
    call = ast.parse(line.strip()).body[0].value
    names = []
    for argument in call.args[factors[match[1]] :][:2]:
        while isinstance(argument, ast.Call) and argument.args:
            argument = argument.args[0]
        names.append(argument.id if isinstance(argument, ast.Name) else "")
    return names if len(names) == 2 else []


def read(lines, factors) -> tuple:
    """Of the first line's product: for each factor the others that it meets later, while it lives.

    `factors`: function -> position of the first of the two factors. ((name, others) ...)
    """
    alive = dict.fromkeys(filter(None, base_names(lines[0], factors)), ())
    found = dict(alive)
    indent = len(lines[0]) - len(lines[0].lstrip())
    for line in lines[1:]:
        if not alive or (line.strip() and len(line) - len(line.lstrip()) < indent):
            break
        names = base_names(line, factors)
        for mine, other in zip(names, reversed(names)):
            if mine in alive and other and other != mine:
                found[mine] += (other,)
        for changed in CHANGED.finditer(line):
            alive.pop(changed[1] or changed[2] or changed[3], None)
    return tuple((name, others) for name, others in found.items() if others)


def variables_met_later(frame, factors) -> list:
    """Values of the variables that a later product multiplies by one of this product's factors."""
    code, number = frame.f_code, frame.f_lineno
    pairs = _read.get((code, number))
    if pairs is None:
        lines = linecache.getlines(code.co_filename)[number - 1 :]
        pairs = read(lines, factors) if lines else ()
        if len(_read) >= MOST_LINES:
            _read.clear()
        _read[code, number] = pairs
    if not pairs:
        return []
    variables = frame.f_locals
    values = [variables.get(other) for _, others in pairs for other in others]
    if type(variables) is dict:  # before Python 3.13 a copy, which would keep tensors alive
        variables.clear()
    return [value for value in values if value is not None]
