# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the user can mend: one message, without a traceback."""

import os
import sysconfig
import traceback


class CountError(Exception):
    """`message` says what is wrong, `next_step` what to do."""

    def __init__(self, message, next_step):
        super().__init__(f"{message}\n  {next_step}")


def words_of(error) -> str:
    """Its class and the first line of its message."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return ": ".join([type(error).__name__, *text.splitlines()[:1]])


def place_of(error) -> str:
    """FILE, line N: the deepest line of the user's own code, else the deepest line."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}, line {error.lineno}"
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [frame for frame in frames if not _is_others(frame[0])]
    name, line = (own or frames)[-1]
    return f"{_short(name)}, line {line}"


def _is_others(path) -> bool:
    """Ours, Python's, or of an installed package."""
    paths = sysconfig.get_paths()
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = (package, paths["stdlib"], paths["purelib"], paths["platlib"])
    return path.startswith("<") or any(os.path.abspath(path).startswith(folder + os.sep) for folder in folders)


def _short(path) -> str:
    """From here where that is below."""
    near = os.path.relpath(path)
    return path if near.startswith(os.pardir) else near


def loading_error(verb, what, error) -> CountError:
    """The user's code raised while it was loaded."""
    step = "mend" if isinstance(error, SyntaxError) else "at"
    return CountError(f"cannot {verb} {what}: {words_of(error)}", f"{step} {place_of(error)}")


def several(number, one, more) -> str:
    return f"{number} {one if number == 1 else more}"


def a(kind) -> str:
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"
