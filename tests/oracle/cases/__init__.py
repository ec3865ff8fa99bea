# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""All cases of the oracle, in the order of the table."""

from cases import attention, convolutions, others, products, recurrent, solvers


def all_cases() -> list:
    made = [
        case
        for family in (products, convolutions, attention, recurrent, solvers, others)
        for case in family.cases()
    ]
    ids = [case.id for case in made]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    assert not twice, f"cases of the same name: {twice}"
    return made
