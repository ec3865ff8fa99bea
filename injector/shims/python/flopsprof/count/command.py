# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""python -m flopsprof.count: the command line."""

import argparse
import functools
import os
import signal
import sys

from .errors import CountError, words_of

_EPILOG = """\
examples:
  python -m flopsprof.count resnet18                                  a model of torchvision, 1x3x224x224
  python -m flopsprof.count net.py:Net --input 8x3x32x32              a class of a file
  python -m flopsprof.count net.py:make --device meta                 a function that gives (model, input)
  python -m flopsprof.count torch.nn:LSTM --arg input_size=10 --arg hidden_size=20 --input 5x3x10
                                                                      a class of a package
  python -m flopsprof.count bert.py:make --input input_ids=1x128:int64
                                                                      where an argument is an object, in
                                                                      bert.py: def make(): return
                                                                      BertModel(BertConfig())
  python -m flopsprof.count --json train.py --batch 8                 the first call of a model in a script
The command line has it too: flopsprof count, with --python PROGRAM in front for another Python.
"""


def _add_options(parser) -> None:
    parser.add_argument("--input", action="append", default=[], metavar="[NAME=]SIZES[:TYPE]",
                        help="sizes of an input, 1x3x224x224 or input_ids=1x128:int64; zeros")  # fmt: skip
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE",
                        help="an argument of the class or function")  # fmt: skip
    parser.add_argument("--class", dest="kind", metavar="NAME", help="of a script: count the first call of this class")
    parser.add_argument("--device", help="where the model is made: cpu, cuda, meta (no memory)")
    parser.add_argument("--train", action="store_true", help="in training mode (else in eval mode)")
    parser.add_argument("--depth", type=int, default=2, help="levels of modules in the table (2)")
    parser.add_argument("--operators", action="store_true", help="a table of operators too")
    parser.add_argument("--compat", choices=("right", "quirks"), help="quirks: numbers of DeepSpeed 0.19.8")
    parser.add_argument("--json", action="store_true", help="whole numbers of all modules and operators")
    parser.add_argument("--csv", action="store_true", help="whole numbers of all modules")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of stdout")


def _options():
    """Without the target: what may also stand behind a model."""
    parser = argparse.ArgumentParser(add_help=False)
    _add_options(parser)
    return parser


def _parser(options):
    parser = argparse.ArgumentParser(
        prog="python -m flopsprof.count",
        usage="%(prog)s [options] MODEL\n       %(prog)s [options] SCRIPT.py [ARGUMENT ...]",
        description="Counts flops, MACs and parameters of one call of a model, without training it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[options],
    )
    parser.add_argument("target", metavar="MODEL", help="FILE.py:NAME, MODULE:NAME, a name of torchvision.models,"
                        " or a script")  # fmt: skip
    arguments = parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments.required = False  # else the message of a missing MODEL names it too
    return parser


def _parse(words):
    """Our options stand before the target and, where it is no script, behind it."""
    behind = _options()
    parser = _parser(behind)
    options = parser.parse_args(words)
    options.is_script = options.target.endswith(".py")
    options.behind = _ours_among(options.arguments, behind) if options.is_script else []
    if not options.is_script:
        options, rest = behind.parse_known_args(options.arguments, options)
        if rest:
            parser.error(f"a model takes no arguments: {' '.join(rest)}; its input is --input SIZES")
    for given, name in ((options.input, "--input"), (options.arg, "--arg"), (options.device, "--device"),
                        (options.train, "--train")):  # fmt: skip
        if given and options.is_script:
            parser.error(f"{name}: a script makes its model and input itself; name a model: {options.target}:NAME")
    if options.kind and not options.is_script:
        parser.error("--class: for scripts; name the class itself: MODULE:NAME")
    if options.json and options.csv:
        parser.error("--json or --csv, not both")
    if options.operators and (options.csv or options.compat == "quirks"):
        parser.error("--operators: not with --csv (--json has them) nor with --compat quirks")
    if options.depth < 0:
        parser.error("--depth: 0 is the model alone; give 0 or more")
    return options


def _ours_among(words, options) -> list:
    """Those that a script got and that are spelled as ours."""
    ours = {text for action in options._actions for text in action.option_strings}
    return [word for word in words if word.split("=")[0] in ours]


def _count(options, tell) -> None:
    from ..deepspeed.api import settings

    settings.set_defaults(options.compat)
    if options.is_script:
        from .first_call import count_script

        count_script(options.target, options.arguments, options.kind, tell, options.behind)
        return
    from .counted import count_call
    from .target import model_and_input

    sys.path.insert(0, os.getcwd())
    model, args, kwargs = model_and_input(options.target, options.input, options.arg, options.device, options.train)
    try:
        counted = count_call(model, args, kwargs, quietly=True)
    except Exception as error:
        step = "check --input: sizes, type, and one for each argument of its forward"
        if options.device == "meta":
            step += "; with --device meta tensors have no values: leave it out"
        raise CountError(f"{options.target} cannot be called with this input: {words_of(error)}",
                         step) from error  # fmt: skip
    tell(counted)


def _write(text, path, out) -> None:
    if not path:
        _print(text, out)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CountError(f"cannot write {path}: {error.strerror}", "give another file with -o") from error


def _print(text, out) -> None:
    from ..deepspeed.report.printable import write

    step = "give a file with -o"
    if out is None:
        raise CountError("cannot write stdout: it is closed", step)
    try:
        write(text, out)
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _send_nowhere(out)
        raise CountError(f"cannot write stdout: {error.strerror}", step) from error


def _send_nowhere(out) -> None:
    """Python must not write the rest at its end either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _notes(options, counted) -> list:
    """What a script's table says of how it came about."""
    notes = []
    if options.is_script and not options.kind:
        notes.append(f"first call of a module with parameters: {counted.model}; another: --class NAME")
    if options.behind:
        notes.append(f"{' '.join(options.behind)} went to {options.target}: options of flopsprof.count stand before"
                     " the script")  # fmt: skip
    return notes


def _tell(options, out, counted) -> None:
    from . import pages

    if options.json:
        text = pages.as_json(counted)
    elif options.csv:
        text = pages.as_csv(counted)
    else:
        zeros = not options.is_script and (bool(options.input) or ":" not in options.target)
        text = pages.text(counted, options.depth, options.operators, _notes(options, counted), zeros)
    _write(text, options.output, out)


def main(words=None) -> None:
    options = _parse(sys.argv[1:] if words is None else words)
    try:
        try:
            import torch  # noqa: F401
        except ImportError as error:
            raise CountError(f"PyTorch is not in this Python ({sys.executable}): {error}",
                             "use the Python that the model runs with: flopsprof count --python PROGRAM ..."
                             ) from None  # fmt: skip
        _count(options, functools.partial(_tell, options, sys.stdout))
    except CountError as error:
        sys.exit(f"flopsprof.count: {error}")
    except BrokenPipeError:  # as of `| head`
        _send_nowhere(sys.stdout)
        sys.exit(128 + signal.SIGPIPE)
