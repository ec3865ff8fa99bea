# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A count as text, JSON or CSV. Text has units; the others have whole numbers."""

import csv
import io
import json

from ..deepspeed.report.printable import cell, printable
from ..deepspeed.units import newest as units
from .errors import several


def _number(value) -> str:
    return units.number_to_string(value).strip()


def _share(part, whole) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def _table(rows, left) -> list:
    """Columns as wide as their cells; the first `left` are aligned to the left."""
    rows = [tuple(map(cell, row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [text.ljust(width) if i < left else text.rjust(width)
                 for i, (text, width) in enumerate(zip(row, widths))]  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return lines


def _depth(module) -> int:
    return module.path.count(".") + 1 if module.path else 0


def text(counted, depth, operators=False, notes=(), zeros=False) -> str:
    """`notes` stand under the heading. `zeros`: the input was made by --input."""
    inputs = ", ".join(counted.inputs) or "nothing"
    lines = [f"{counted.model}, one call with {inputs}", *notes,
             f"flops {counted.flops:,}   MACs {counted.macs:,}   params {counted.params:,}",
             f"{2 * counted.macs:,} flops are products (2 for each MAC), {counted.flops - 2 * counted.macs:,}"
             " other arithmetic", ""]  # fmt: skip
    rows = [("module", "class", "calls", "params", "MACs", "% MACs", "flops", "% flops")]
    shown = [module for module in counted.modules if _depth(module) <= depth]
    for module in shown:
        name = "  " * _depth(module) + (module.path.rsplit(".", 1)[-1] or "(model)")
        rows.append((name, module.kind, str(module.calls), _number(module.params), _number(module.macs),
                     _share(module.macs, counted.macs), _number(module.flops),
                     _share(module.flops, counted.flops)))  # fmt: skip
    lines += _table(rows, left=2)
    deeper = len(counted.modules) - len(shown)
    if deeper:
        most = max(map(_depth, counted.modules))
        lines.append(f"{several(deeper, 'module lies', 'modules lie')} deeper: --depth {most}")
    never = len(counted.never_called)
    if never:
        why = "; the input is zeros" if zeros else ""
        lines.append(f"{several(never, 'module was', 'modules were')} never called{why}")
    if operators:
        rows = [("operator, or layer counted as a whole", "MACs", "% MACs", "flops", "% flops")]
        for name, (flops, macs) in sorted(counted.operators.items(), key=lambda item: (-item[1][0], item[0])):
            rows.append((name, _number(macs), _share(macs, counted.macs), _number(flops),
                         _share(flops, counted.flops)))  # fmt: skip
        lines += ["", *_table(rows, left=1)]
    if counted.uncounted:
        lines += ["", "! work of these operators is unknown and in no number above:"]
        lines += [f"  {name}: {several(calls, 'call', 'calls')}, {why}"
                  for name, (calls, why) in sorted(counted.uncounted.items())]  # fmt: skip
    return printable("\n".join(lines) + "\n")


def as_json(counted) -> str:
    modules = [{"path": m.path, "class": m.kind, "calls": m.calls, "params": m.params, "macs": m.macs,
                "flops": m.flops} for m in counted.modules]  # fmt: skip
    operators = [{"name": name, "macs": macs, "flops": flops}
                 for name, (flops, macs) in sorted(counted.operators.items())]  # fmt: skip
    uncounted = [{"name": name, "calls": calls, "why": why}
                 for name, (calls, why) in sorted(counted.uncounted.items())]  # fmt: skip
    return json.dumps({"format": "flopsprof.count/1", "model": counted.model, "inputs": counted.inputs,
                       "flops": counted.flops, "macs": counted.macs, "params": counted.params,
                       "modules": modules, "operators": operators, "uncounted": uncounted}, indent=1) + "\n"  # fmt: skip


def _csv_text(text) -> str:
    """What a spreadsheet would take for a formula, also behind blanks, also full-width, stays a text."""
    text = cell(text)
    return "'" + text if text.lstrip()[:1] in tuple("=+-@\uff1d\uff0b\uff0d\uff20") else text


def as_csv(counted) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("path", "class", "calls", "params", "macs", "flops"))
    for m in counted.modules:
        writer.writerow((_csv_text(m.path), _csv_text(m.kind), m.calls, m.params, m.macs, m.flops))
    return out.getvalue()
