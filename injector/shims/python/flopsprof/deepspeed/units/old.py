# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Before DeepSpeed 0.10.1, and in the stand-alone package: Python's own floats, `k` for thousands of
parameters, no T for MACs, a duration of 0 without a unit."""


def _by_ladder(number, ladder, suffix, precision):
    for exponent, unit in ladder:
        if number // 10**exponent > 0:
            return f"{round(number / 10.0**exponent, precision)} {unit}{suffix}"
    return None


_LADDER = ((9, "G"), (6, "M"), (3, "K"))


def _in_unit(number, units, suffix, ladder, precision):
    for exponent, unit in ladder:
        if units == unit + suffix:
            return f"{round(number / 10.0**exponent, precision)} {units}"
    return None


def num_to_string(num, precision=2):
    """A small number has no blank behind it."""
    return _by_ladder(num, _LADDER, "", precision) or str(num)


def number_to_string(num, units=None, precision=2):
    if units is None:
        return _by_ladder(num, _LADDER, "", precision) or f"{num} "
    return _in_unit(num, units, "", _LADDER, precision) or f"{num} "


def macs_to_string(macs, units=None, precision=2):
    if units is None:
        return _by_ladder(macs, _LADDER, "MACs", precision) or f"{macs} MACs"
    return _in_unit(macs, units, "MACs", _LADDER, precision) or f"{macs} MACs"


def flops_to_string(flops, units=None, precision=2):
    ladder = ((12, "T"), *_LADDER)
    if units is None:
        return _by_ladder(flops, ladder, "FLOPS", precision) or f"{flops} FLOPS"
    return _in_unit(flops, units, "FLOPS", ladder, precision) or f"{flops} FLOPS"


def params_to_string(params_num, units=None, precision=2):
    if units is None:
        return _by_ladder(params_num, ((6, "M"), (3, "k")), "", 2) or str(params_num)
    return _in_unit(params_num, units, "", ((6, "M"), (3, "K")), precision) or str(params_num)


def duration_to_string(duration, units=None, precision=2):
    if units == "us":
        return f"{round(duration * 10.0**6, precision)} us"
    if units == "ms":
        return f"{round(duration * 10.0**3, precision)} ms"
    if units is not None or duration > 1:
        return f"{round(duration, precision)} s"
    if duration * 10**3 > 1:
        return f"{round(duration * 10**3, precision)} ms"
    if duration * 10**6 > 1:
        return f"{round(duration * 10**6, precision)} us"
    return str(duration)
