# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The work of every module of the acceptance programs, counted without the profiler.

    python tests/golden/make_modules.py                # writes tests/golden/modules.json, minutes
    python tests/golden/make_modules.py --check [ID ...]   # compares with it; prints differences

One step of every configuration of golden.json, on meta tensors (`amp.py`: CPU), under
tests/support/module_counter.py. Needs torch and what the programs need, no GPU.
"""

import argparse
import json
import os
import sys
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [
    os.path.join(ROOT, "tests", "support"),
    os.path.join(ROOT, "tests", "programs", "acceptance"),
]
PATH = os.path.join(HERE, "modules.json")

import torch  # noqa: E402

import harness  # noqa: E402
import module_counter  # noqa: E402

# Options of this run besides the configuration's: the same products without a compiler; autocast
# knows no meta device.
OPTIONS = {
    "compiled.py": ["--backend", "none", "--device", "meta"],
    "amp.py": ["--device", "cpu"],
}


def counted(argv: list) -> dict:
    program, *options = argv
    module = harness.load(os.path.join(ROOT, "tests", "programs", "acceptance", program))
    args = harness.parse(module, [*options, *OPTIONS.get(program, ["--device", "meta"])])
    args.distributed = False
    work = harness.create(module, args)
    with module_counter.ModuleCounter(work.model) as counter:
        harness.step(work, args)
    return counter.finish()


def write(rows: dict) -> None:
    """A line for each module, so that a difference can be read."""
    with open(PATH, "w", encoding="utf-8") as file:
        parts = []
        for name, modules in rows.items():
            lines = ",\n".join(
                f"  {json.dumps(path)}: {json.dumps(kinds)}" for path, kinds in modules.items()
            )
            parts.append(f' {json.dumps(name)}: {{\n{lines}\n }}')
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("ids", nargs="*", help="only these configurations (with --check)")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    with open(os.path.join(HERE, "golden.json"), encoding="utf-8") as file:
        golden = [entry for entry in json.load(file) if "same_as" not in entry]
    rows = {}
    for entry in golden:
        if args.ids and entry["id"] not in args.ids:
            continue
        begin = time.monotonic()
        rows[entry["id"]] = counted(entry["argv"])
        print(f"{entry['id']}: {time.monotonic() - begin:.1f} s", file=sys.stderr)
    if not args.check:
        write(rows)
        return 0
    with open(PATH, encoding="utf-8") as file:
        there = json.load(file)
    different = [name for name in rows if rows[name] != there.get(name)]
    for name in different:
        print(f"{name}: {rows[name]}, not {there.get(name)}")
    print(f"{len(rows) - len(different)} of {len(rows)} equal")
    return 1 if different or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
