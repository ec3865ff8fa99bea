# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs public models under flopsprof and under a yardstick, and holds every module to it.

    python3 tests/sweep/sweep.py [--full] [--write] [--only TEXT] [--keep DIR] [--reuse DIR]

Prints "ok MODEL" or "FAIL MODEL why" for every model, then for every check. Without --full a
fixed tenth of every family runs. --write renews found.tsv and docs/accuracy.md, which say of models
that did not run that they did not.
Product and python as for the integration tests (FLOPSPROF_TEST_PRODUCT, FLOPSPROF_TEST_PYTHON);
libraries of models by scripts/sweep_packages.sh.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "support")]

import found  # noqa: E402
import verdicts  # noqa: E402
from models import families  # noqa: E402

A_PROCESS = 20
TIME_LIMIT_S = 900
ALONE_LIMIT_S = 240
TENTH = 10


def chosen(full: bool, only: str) -> list:
    """Ids of the models to run: all, or the first and each tenth of every family after it."""
    ids = []
    for members in families().values():
        ids += [m.id for number, m in enumerate(members) if full or number % TENTH == 0]
    return [name for name in ids if only in name]


def environment() -> dict:
    from flopsprof_run import environment as clean

    script = os.path.join(ROOT, "scripts", "sweep_packages.sh")
    packages = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True)
    return clean(
        {
            "PYTHONPATH": packages.stdout.strip(),
            "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "SIM_REALTIME": "0",
            # Each tensor in fresh pages, so that what nobody wrote is 0 in both processes: sizes
            # that come from values are the same.
            "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",
        }
    )


def run_process(command, env, limit, log) -> str:
    """Empty, or how it ended badly."""
    with open(log, "wb") as file:
        try:
            done = subprocess.run(
                command, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return f"not done after {limit} s"
    return "" if done.returncode == 0 else f"process ended with {done.returncode}"


def write_part(folder: str, part: dict) -> None:
    with open(os.path.join(folder, "part.json"), "w", encoding="utf-8") as file:
        json.dump(part, file)


def keep_end_of_all(folders: list, end: str) -> None:
    """Says of models that ran alone how they ended together, if none of them shows it alone."""
    parts = []
    for folder in folders:
        with open(os.path.join(folder, "part.json"), encoding="utf-8") as file:
            parts.append(json.load(file))
    if any(part["ended"]["run"] for part in parts):
        return
    for folder, part in zip(folders, parts):
        part["ended"]["run"] = f"with others: {end}"
        write_part(folder, part)


def run_part(folder: str, names: list, env: dict, limit: int) -> list:
    """Both processes of some models; returns the folder with what they left. Where one of them
    ends badly, each model runs alone. What ended badly under flopsprof alone is kept: when no
    model does it again by itself, all of them have it."""
    from flopsprof_run import product, sim_python

    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    python, job = sim_python(), os.path.join(HERE, "job.py")
    run = os.path.join(folder, "run")
    commands = {
        "count": [python, job, "--count", os.path.join(folder, "count.json"), *names],
        "run": [
            product("bin/flopsprof-run"), "-o", run, "--", python, job,
            os.path.join(folder, "ours.json"), *names,
        ],
    }  # fmt: skip
    ended = {}
    for kind, command in commands.items():
        ended[kind] = run_process(command, env, limit, os.path.join(folder, f"{kind}.log"))
        if ended[kind] and len(names) > 1:
            break
    if any(ended.values()) and len(names) > 1:
        shutil.rmtree(folder)
        parts = [
            part
            for number, name in enumerate(names)
            for part in run_part(f"{folder}-{number:02}", [name], env, ALONE_LIMIT_S)
        ]
        if not ended["count"]:
            keep_end_of_all(parts, ended["run"])
        return parts
    write_part(folder, {"names": names, "ended": ended})
    # What is judged is in summary.json; hundreds of databases are not kept.
    if os.path.isdir(run):
        for name in os.listdir(run):
            if name not in ("summary.json", "report.txt", "log.txt"):
                path = os.path.join(run, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    return [folder]


def run_all(folder: str, names: list, jobs: int) -> None:
    """Runs the models that the folder has nothing of."""
    there = verdicts.read_folder(folder)
    names = [name for name in names if name not in there]
    numbers = [int(part[4:7]) for part in os.listdir(folder) if part.startswith("part")]
    first = max(numbers, default=-1) + 1
    env = environment()
    parts = [names[i : i + A_PROCESS] for i in range(0, len(names), A_PROCESS)]

    def one(number):
        part = os.path.join(folder, f"part{first + number:03}")
        made = run_part(part, parts[number], env, TIME_LIMIT_S)
        print(f"sweep: {number + 1} of {len(parts)} processes", file=sys.stderr, flush=True)
        return made

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, range(len(parts))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all models, not a tenth")
    parser.add_argument("--write", action="store_true", help="renew found.tsv and the document")
    parser.add_argument("--only", default="", help="models whose id has this text")
    parser.add_argument("--table", action="store_true", help="every difference on stderr")
    parser.add_argument("--keep", help="leave what the runs left there; a second run goes on")
    parser.add_argument("--reuse", help="judge the folder of an earlier --keep")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", "2")))
    args = parser.parse_args()
    if args.write and args.only:
        parser.error("--write takes no --only")
    names = chosen(args.full, args.only)
    with tempfile.TemporaryDirectory(prefix="flopsprof-sweep-") as temporary:
        folder = args.reuse or args.keep or temporary
        if not args.reuse:
            os.makedirs(folder, exist_ok=True)
            run_all(folder, names, args.jobs)
        results = verdicts.read_folder(folder)
    reasons = verdicts.load_reasons(os.path.join(HERE, "reasons.toml"))
    judged = [verdicts.judge(name, results.get(name), reasons) for name in names]
    kernels = verdicts.kernels_without_reason(
        {id(part): part for part in map(results.get, names)}.values(), reasons
    )
    if args.write:
        found.write(judged, reasons, chosen(full=True, only=""))
    return found.report(judged, reasons, args.full and not args.only, args.table, kernels)


if __name__ == "__main__":
    sys.exit(main())
