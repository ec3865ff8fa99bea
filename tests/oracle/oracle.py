# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases under flopsprof and under the other counters, and judges.

    python3 tests/oracle/oracle.py [--table] [--write] [--keep DIR] [--reuse DIR]

Prints "ok CASE" or "FAIL CASE why" for every case and check, the table of differences on
stderr with --table. --write renews docs/accuracy.md. Product and python as for the integration
tests (FLOPSPROF_TEST_PRODUCT, FLOPSPROF_TEST_PYTHON); fvcore by scripts/oracle_packages.sh.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]
TIME_LIMIT_S = 600


def run_all(folder: str) -> None:
    """Leaves summary.json of the profiled run and the counts of the others in the folder."""
    from flopsprof_run import product, sim_python

    # A run folder is never written over: an old one would be read in its place.
    shutil.rmtree(os.path.join(folder, "run"), ignore_errors=True)
    script = os.path.join(ROOT, "scripts", "oracle_packages.sh")
    packages = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True)
    python = sim_python()
    profiled = [
        product("bin/flopsprof-run"), "-o", os.path.join(folder, "run"), "--", python,
        os.path.join(HERE, "run_cases.py"), os.path.join(folder, "errors.json"),
    ]  # fmt: skip
    peers = [python, os.path.join(HERE, "count_peers.py")]
    on_cpu = {"PYTHONPATH": packages.stdout.strip(), "CUDA_VISIBLE_DEVICES": ""}
    commands = [
        ("run", profiled, {}),
        ("cpu", [*peers, os.path.join(folder, "cpu.json"), "cpu"], on_cpu),
        ("cuda", [*peers, os.path.join(folder, "cuda.json"), "cuda"], {}),
    ]
    for name, command, environment in commands:
        done = subprocess.run(
            command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT_S,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"{name} ended with {done.returncode}:\n{done.stdout[-4000:]}")


def read(folder: str, name: str):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def gather(folder: str, cases: list) -> tuple:
    """({case: {tool: {phase: number}}}, problems)."""
    from run_cases import child_name

    summary = read(folder, "run/summary.json")
    modules = {module["path"]: module for module in summary["modules"]}
    errors, cpu, cuda = (read(folder, f"{n}.json") for n in ("errors", "cpu", "cuda"))
    counts, problems = {}, []
    for number, case in enumerate(cases):
        module = modules.get(child_name(number))
        if module is None or case.id in errors:
            problems.append(f"{case.id}: did not run: {errors.get(case.id, 'no module')}")
            ours = {"forward": None, "backward": None, "recompute": None, "unknown_s": 0}
        else:
            ours = {p: module["flops"][p] for p in ("forward", "backward", "recompute")}
            ours["unknown_s"] = module["unknown_gpu_time_s"]
            for phase in ("optimizer", "other"):
                if module["flops"][phase]:
                    problems.append(f"{case.id}: {module['flops'][phase]} flops in {phase}")
        counts[case.id] = {"flopsprof": ours, **cpu[case.id], **cuda[case.id]}
    outside = modules.get("(outside)", {}).get("flops", {})
    if any(outside.values()):
        problems.append(f"flops outside of every case: {outside}")
    if not summary["simulated"]:
        problems.append("the oracle ran on a real GPU: kernels may differ")
    return counts, problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="every difference on stderr")
    parser.add_argument("--write", action="store_true", help="renew docs/accuracy.md")
    parser.add_argument("--keep", help="leave the runs' files in this folder")
    parser.add_argument("--reuse", help="judge the files of an earlier --keep")
    parser.add_argument("--judge", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not args.judge:
        # The cases import torch: judging needs the python that has it.
        from flopsprof_run import sim_python

        with tempfile.TemporaryDirectory() as temporary:
            folder = args.reuse or args.keep or temporary
            if not args.reuse:
                os.makedirs(folder, exist_ok=True)
                run_all(folder)
            flags = [f"--{n}" for n in ("table", "write") if getattr(args, n)]
            command = [sim_python(), __file__, "--judge", "--reuse", folder, *flags]
            return subprocess.run(command).returncode

    import accuracy
    import judge
    from cases import all_cases

    cases = all_cases()
    counts, problems = gather(args.reuse, cases)
    rules = judge.load_rules(os.path.join(HERE, "reasons.toml"))
    found = judge.differences(cases, counts, rules)
    text = accuracy.render(cases, found, rules)
    if args.write:
        accuracy.write(text)
    return accuracy.report(cases, found, rules, problems, text, args.table)


if __name__ == "__main__":
    sys.exit(main())
