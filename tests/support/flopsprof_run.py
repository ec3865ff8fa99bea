# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command with or without the profiler and returns everything it left behind.

The product comes from FLOPSPROF_TEST_PRODUCT (a folder with bin/ and lib/), else build/.
The Python of the stand-in GPU comes from FLOPSPROF_TEST_PYTHON, else from
scripts/simgpu_env.sh.
"""

import functools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from typing import Callable, Optional

import kept_sums

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "tests", "programs")
ACCEPTANCE = os.path.join(PROGRAMS, "acceptance")
OWN_VARIABLES = ("FLOPSPROF_", "SIMGPU_", "SIM_", "SIMLOG", "SIMSTAT", "SIMCALLS")
RUNS_WITHOUT_US = 50  # of a command that died at exit under us, to see whether it does so alone


def product(name: str) -> str:
    """Absolute path of a built file, e.g. product("bin/flopsprof")."""
    folder = os.environ.get("FLOPSPROF_TEST_PRODUCT", os.path.join(ROOT, "build"))
    return os.path.join(folder, name)


def cache_folder() -> str:
    """Where scripts install what tests need."""
    return os.environ.get("FLOPSPROF_CACHE_DIR") or os.path.expanduser("~/.cache/flopsprof")


@functools.lru_cache(maxsize=None)
def sim_python() -> str:
    """The python of the environment in which the stand-in GPU is installed."""
    path = os.environ.get("FLOPSPROF_TEST_PYTHON")
    if path:
        return path
    script = os.path.join(ROOT, "scripts", "simgpu_env.sh")
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def torchrun(ranks: int, *argv: str) -> list:
    """A torchrun command line on a port of its own."""
    program = os.path.join(os.path.dirname(sim_python()), "torchrun")
    return [program, "--standalone", "--nproc-per-node", str(ranks), *argv]


def acceptance(name: str, *options: str) -> list:
    """[program, options...] of an acceptance program, without the interpreter."""
    return [os.path.join(ACCEPTANCE, name + ".py"), *options]


def ends_of(text: str, most: int) -> str:
    """The text, without its middle when it is longer: an abort is told first, reports come last."""
    return text if len(text) <= most else f"{text[:most // 2]}\n[...]\n{text[-(most // 2):]}"


@dataclass
class Run:
    """What a command left: for an unprofiled run `folder` and `summary` are None."""

    argv: list
    exit_code: int  # negative: killed by that signal, as subprocess says
    stdout: str
    stderr: str
    seconds: float
    folder: Optional[str] = None
    summary: Optional[dict] = None
    ledger: list = field(default_factory=list)  # all processes' lines, with "pid"
    calls: dict = field(default_factory=dict)  # file name -> lines of the call log

    def ended_well(self) -> bool:
        return self.exit_code == 0

    def lost_the_exit_race(self) -> bool:
        """Looks like CPython 3.11's race at exit: an autograd thread that wants the GIL while
        Python finalises is ended by pthread_exit inside C++ code. A crash of ours can look the
        same. The exit code is 134 or -6, or the launcher's own."""
        race = "terminate called without an active exception" in self.stderr
        return self.exit_code != 0 and race

    def module(self, path: str) -> dict:
        return next(m for m in self.summary["modules"] if m["path"] == path)

    def found(self, kind: str) -> list:
        """The findings of that kind (docs/findings.md)."""
        return [finding for finding in self.summary["findings"] if finding["kind"] == kind]

    def report(self) -> str:
        with open(os.path.join(self.folder, "report.txt"), encoding="utf-8") as file:
            return file.read()

    def explain(self) -> str:
        """For assertion messages: the command and the ends of what it printed."""
        return (
            f"command: {' '.join(self.argv)}\nexit code: {self.exit_code}\n"
            f"stdout: {ends_of(self.stdout, 2000)}\nstderr: {ends_of(self.stderr, 4000)}"
        )


def environment(extra: Optional[dict] = None) -> dict:
    """The caller's environment without our and the stand-in's switches."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OWN_VARIABLES)}
    kept.pop("LD_PRELOAD", None)
    kept["PATH"] = os.path.dirname(sim_python()) + os.pathsep + kept.get("PATH", "")
    kept.setdefault("OMP_NUM_THREADS", "1")  # torchrun's default; equal for all runs
    # Inductor compiles in the process, not in two that import PyTorch once more; compile_test.py
    # has both.
    kept.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    kept["SIM_QUICK_IMPORT"] = "1"
    kept.update({k: str(v) for k, v in (extra or {}).items()})
    return kept


def read_json_lines(folder: str) -> list:
    rows = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.endswith("\n"):
                    continue  # the last line of a killed process
                row = json.loads(line)
                row.setdefault("file", name)
                rows.append(row)
    return rows


def read_lines(folder: str) -> dict:
    result = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            result[name] = file.read().splitlines()
    return result


def execute(argv: list, env: dict, timeout: float, while_running: Optional[Callable]):
    """Starts argv in a process group of its own; kills the group at the time limit."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env,
            start_new_session=True,
        )  # fmt: skip
        try:
            if while_running:
                while_running(process)
            code = process.wait(timeout)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            out.seek(0)
            err.seek(0)
            if isinstance(error, subprocess.TimeoutExpired):
                raise AssertionError(
                    f"not done after {timeout} s: {' '.join(argv)}\n"
                    f"stdout: {out.read()[-2000:]!r}\nstderr: {err.read()[-4000:]!r}"
                ) from None
            raise
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read(), time.monotonic() - begin


def crashes_without_us(command: list, options: dict) -> bool:
    """Whether the bare command ends in the same way, in one of some runs: then it is not ours."""
    bare = {k: v for k, v in options.items() if k not in ("prefix", "ledger", "calls")}
    return any(run_once(command, **bare).lost_the_exit_race() for _ in range(RUNS_WITHOUT_US))


def run_plain(command: list, out_folder: Optional[str] = None, **options) -> Run:
    """Runs prefix + command; with `ledger` and `calls` reads the stand-in's records.

    A run that looks like one that lost the race at exit is made again, twice at most, and only if
    the command without the prefix was seen to end like that too. Else the run stands.
    """
    run = run_once(command, out_folder=out_folder, **options)
    if not run.lost_the_exit_race() or options.get("while_running"):
        return run
    if options.get("prefix") and not crashes_without_us(command, options):
        return run
    for _ in range(2):
        warnings.warn(f"again, crashes at exit without us too: {' '.join(run.argv)}", stacklevel=2)
        if out_folder:
            shutil.rmtree(out_folder, ignore_errors=True)
        run = run_once(command, out_folder=out_folder, **options)
        if not run.lost_the_exit_race():
            break
    return run


def run_once(
    command: list,
    env: Optional[dict] = None,
    faults: str = "",
    ledger: bool = False,
    calls: bool = False,
    timeout: float = 300,
    while_running: Optional[Callable] = None,
    prefix: tuple = (),
    out_folder: Optional[str] = None,
) -> Run:
    with tempfile.TemporaryDirectory(prefix="flopsprof-test-") as scratch:
        extra = dict(env or {})
        if faults:
            extra["SIMGPU_FAULTS"] = faults
        for wanted, name in ((ledger, "SIMGPU_LEDGER"), (calls, "SIMGPU_CALLS")):
            if wanted:
                extra[name] = os.path.join(scratch, name)
                os.mkdir(extra[name])
        argv = [*prefix, *command]
        code, out, err, seconds = execute(argv, environment(extra), timeout, while_running)
        run = Run(
            argv, code, out.decode(errors="replace"), err.decode(errors="replace"), seconds
        )
        if ledger:
            run.ledger = read_json_lines(extra["SIMGPU_LEDGER"])
        if calls:
            run.calls = read_lines(extra["SIMGPU_CALLS"])
        if out_folder:
            run.folder = out_folder
            path = os.path.join(out_folder, "summary.json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    run.summary = json.load(file)
        return run


def run_profiled(command: list, *options: str, folder: str, **more) -> Run:
    """`flopsprof-run OPTIONS -o FOLDER -- COMMAND`; folder must not exist yet."""
    prefix = (product("bin/flopsprof-run"), *options, "-o", folder, "--")
    run = run_plain(command, prefix=prefix, out_folder=folder, **more)
    if kept_sums.keeps_sums(folder):
        # The archive of gpu_check holds only what users get.
        in_archive = os.path.exists(os.path.join(ROOT, "VERSION"))
        wrong = kept_sums.differences(product, folder, kept_sums.SHORT, in_turn=not in_archive)
        assert not wrong, f"not what the rows give: {wrong[0]}"
    return run
