# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Our MACs of the forward, of every module, against tests/golden/modules.json; on the meta device.

    python tests/deepspeed/golden_counts.py [--full]      # {"id": [what is wrong, ...]}

Without --full the configurations of forwards, which are half of all.
"""

import json
import os
import sys

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "injector", "shims", "python"))
sys.path.insert(0, os.path.join(ROOT, "tests", "programs", "acceptance"))

import harness  # noqa: E402

from flopsprof.deepspeed import FlopsProfiler  # noqa: E402

GOLDEN = os.path.join(ROOT, "tests", "golden")
# As in tests/golden/make_modules.py: the same products without a compiler; autocast knows no meta device.
OPTIONS = {
    "compiled.py": ["--backend", "none", "--device", "meta"],
    "amp.py": ["--device", "cpu"],
}
# Replays of captured graphs and steps of several models are no forward of one model.
LEFT_OUT = ("graphs.py", "ganlike.py")


def judge(row, modules) -> list:
    program, *options = row["argv"]
    module = harness.load(os.path.join(ROOT, "tests", "programs", "acceptance", program))
    args = harness.parse(module, [*options, *OPTIONS.get(program, ["--device", "meta"])])
    args.distributed = False
    work = harness.create(module, args)
    profiler = FlopsProfiler(work.model)
    profiler.start_profile()
    with torch.set_grad_enabled(args.mode == "train"):
        work.forward()
    profiler.stop_profile()
    wrong = []
    if profiler.get_total_macs() != row["fwd"]["macs"]:
        wrong.append(["total", profiler.get_total_macs(), row["fwd"]["macs"]])
    records = profiler._session.records
    for path, part in work.model.named_modules():
        expected = modules.get(path, {})
        forward = sum(kind[0] for kind in expected.values())
        if 2 * records[id(part)].macs != forward:
            wrong.append([path, 2 * records[id(part)].macs, forward])
    unknown = profiler.uncounted_operators()
    profiler.end_profile()
    return wrong + [["uncounted", *item] for item in unknown.items()]


def main() -> None:
    torch.set_num_threads(1)
    with open(os.path.join(GOLDEN, "golden.json"), encoding="utf-8") as file:
        rows = json.load(file)
    with open(os.path.join(GOLDEN, "modules.json"), encoding="utf-8") as file:
        modules = json.load(file)
    result = {}
    for row in rows:
        short = "--full" in sys.argv or "fwd" in row["argv"]
        if "same_as" in row or row["argv"][0] in LEFT_OUT or not short:
            continue
        try:
            result[row["id"]] = judge(row, modules[row["id"]])
        except Exception as error:
            result[row["id"]] = [repr(error)[:300]]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
