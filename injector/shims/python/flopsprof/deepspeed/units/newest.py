# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Since DeepSpeed 0.10.1. The number is rounded after its unit was chosen: 999999 is "1000 K"."""

DEFAULT_PRECISION = 2

_LADDER = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"))
_MAGNITUDES = {"T": 1e12, "G": 1e9, "M": 1e6, "K": 1e3, "m": 1e-3, "u": 1e-6}


def _unit_of(num) -> tuple:
    for magnitude, unit in _LADDER:
        if num >= magnitude:
            return magnitude, unit
    if num >= 1 or num == 0:
        return 1, ""
    return (1e-3, "m") if num >= 1e-3 else (1e-6, "u")


def number_to_string(num, units=None, precision=DEFAULT_PRECISION):
    magnitude, unit = _unit_of(num) if units is None else (_MAGNITUDES.get(units, 1), units)
    return f"{round(num / magnitude, precision):g} {unit}"


def macs_to_string(macs, units=None, precision=DEFAULT_PRECISION):
    return f"{number_to_string(macs, units=units, precision=precision)}MACs"


def flops_to_string(flops, units=None, precision=DEFAULT_PRECISION):
    return f"{number_to_string(flops, units=units, precision=precision)}FLOPS"


def bytes_to_string(b, units=None, precision=DEFAULT_PRECISION):
    return f"{number_to_string(b, units=units, precision=precision)}B"


def params_to_string(params_num, units=None, precision=DEFAULT_PRECISION):
    """Billions for giga, no blank at the end."""
    units = units.replace("B", "G") if units else units
    text = number_to_string(params_num, units=units, precision=precision)
    return text.replace("G", "B").strip()


def duration_to_string(duration, units=None, precision=DEFAULT_PRECISION):
    return f"{number_to_string(duration, units=units, precision=precision)}s"
