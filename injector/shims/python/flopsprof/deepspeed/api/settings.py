# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The two switches, for programs that cannot pass them: compat and style.

A call's own argument comes first, then set_defaults() (python -m flopsprof.deepspeed uses it), then
FLOPSPROF_DEEPSPEED_COMPAT and FLOPSPROF_DEEPSPEED_STYLE.
"""

import os

COMPATS = ("right", "quirks")
_defaults = {}


def set_defaults(compat=None, style=None) -> None:
    if compat is not None:
        _defaults["compat"] = _checked("compat", compat, COMPATS)
    if style is not None:
        _defaults["style"] = _checked("style", style, styles())


def compat_of(given) -> str:
    return _choose("compat", given, COMPATS, "right")


def style_of(given) -> str:
    return _choose("style", given, styles(), "deepspeed")


def styles() -> tuple:
    from ..report import STYLES

    return tuple(STYLES)


def given(name):
    """What is set for the whole program, or None."""
    return _defaults.get(name) or os.environ.get(f"FLOPSPROF_DEEPSPEED_{name.upper()}") or None


def _choose(name, value, allowed, otherwise) -> str:
    return _checked(name, value or given(name) or otherwise, allowed)


def _checked(name, value, allowed) -> str:
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(allowed)}")
    return value
