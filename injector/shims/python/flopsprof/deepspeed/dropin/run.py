# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""python -m flopsprof.deepspeed: the command line."""

import argparse
import os
import runpy
import sys

from ..api import settings
from . import imports


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m flopsprof.deepspeed",
        usage="%(prog)s [options] SCRIPT [ARGUMENT ...]\n       %(prog)s [options] -m MODULE ...",
        description="Runs a script in which DeepSpeed's flops profiler is flopsprof's.",
    )
    parser.add_argument("--compat", choices=settings.COMPATS, help="quirks: DeepSpeed's own numbers")
    parser.add_argument("--style", choices=settings.styles(), help="layout of the report")
    parser.add_argument("--without-deepspeed", action="store_true",
                        help="do not load DeepSpeed, even where it is installed")  # fmt: skip
    parser.add_argument("-m", dest="module", metavar="MODULE", help="a module instead of a script")
    parser.add_argument("script", nargs="?", help=argparse.SUPPRESS)
    return parser


def _split(arguments) -> tuple:
    """Our options end where the script's name stands; what follows is the script's."""
    parser = _parser()
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word == "-m":
            return parser.parse_args(arguments[: index + 2]), arguments[index + 2 :]
        if word in ("--compat", "--style"):
            index += 2
        elif word.startswith("-"):
            index += 1
        else:
            break
    options = parser.parse_args(arguments[: index + 1])
    if options.script is None:
        parser.error("which script?")
    return options, arguments[index + 1 :]


def main(arguments=None) -> None:
    options, rest = _split(sys.argv[1:] if arguments is None else arguments)
    settings.set_defaults(options.compat, options.style)
    imports.install(options.without_deepspeed)
    if options.module:
        sys.argv = [options.module, *rest]
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(options.script):
        sys.exit(f"python -m flopsprof.deepspeed: no file {options.script}")
    sys.argv = [options.script, *rest]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    runpy.run_path(options.script, run_name="__main__")
