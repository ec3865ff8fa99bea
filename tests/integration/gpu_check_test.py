# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_check.sh from its archive: every question is answered on the stand-in, and each
assumption is contradicted under the fault script that makes it false.
"""

import fcntl
import json
import os
import subprocess
import sys
import tomllib

import pytest
from flopsprof_run import ROOT, environment

sys.path.append(os.path.join(ROOT, "tests", "gpu"))

import gpu_check  # noqa: E402
import replay_judge  # noqa: E402
from check import contradicted, held, unanswered  # noqa: E402

SCRIPT = os.path.join(ROOT, "scripts", "gpu_check.sh")


QUESTIONS = os.path.join(ROOT, "tests", "gpu", "questions.toml")
with open(QUESTIONS, "rb") as questions_file:
    TABLES = tomllib.load(questions_file)["question"]
IDS = [table["id"] for table in TABLES]
# Two runs of about the same length, for two workers: what asks CUDA itself, and what runs jobs.
PROBES = ",".join(table["id"] for table in TABLES if table["check"].startswith("probe_checks."))
JOBS = ",".join(table["id"] for table in TABLES if not table["check"].startswith("probe_checks."))


@pytest.fixture(scope="session")
def archive(tmp_path_factory) -> str:
    """Packed once for all workers of a test run: their temporary folders have one above."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    path = folder / "gpu-check.tar.gz"
    with open(folder / "gpu-check.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            new = folder / "gpu-check.new.tar.gz"
            subprocess.run([SCRIPT, "--pack", str(new)], check=True, stdout=subprocess.DEVNULL)
            new.rename(path)
    return str(path)


@pytest.fixture
def says_where(tmp_path) -> tuple:
    """(archive, folder of it unpacked) whose checks only print where they would write."""
    name = tmp_path / "flopsprof-gpu-check"
    (name / "bin").mkdir(parents=True)
    (name / "bin" / "flopsprof").write_text("")
    (name / "bin" / "flopsprof").chmod(0o755)
    (name / "tests" / "gpu").mkdir(parents=True)
    (name / "tests" / "gpu" / "gpu_check.py").write_text(
        "import os, sys\nprint(os.path.realpath(sys.argv[sys.argv.index('--out') + 1]))\n"
    )
    (name / "gpu_check.sh").write_bytes(open(SCRIPT, "rb").read())
    (name / "gpu_check.sh").chmod(0o755)
    archive = tmp_path / "check.tar.gz"
    subprocess.run(["tar", "-C", str(tmp_path), "-czf", str(archive), name.name], check=True)
    return str(archive), str(name)


def written_to(*command, cwd) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=cwd)
    return done.stdout.splitlines()[-1]


def test_results_go_where_the_documents_say(says_where, python, tmp_path):
    archive, unpacked = says_where
    source = [SCRIPT, "--archive", archive, "--python", python]
    docs, build = (os.path.join(os.path.realpath(ROOT), *parts, "gpu-results")
                   for parts in (["docs"], ["build"]))  # fmt: skip
    assert written_to(*source, "--run", cwd=tmp_path) == docs
    assert written_to(*source, "--simulated", cwd=tmp_path) == build
    script = os.path.join(unpacked, "gpu_check.sh")
    there = os.path.join(os.path.realpath(unpacked), "gpu-results")
    assert written_to(script, "--run", "--python", python, cwd=unpacked) == there


@pytest.mark.parametrize(
    "env, options, error",
    [
        ({}, (), "stand-in GPU: run with --simulated"),
        ({"CUDA_VISIBLE_DEVICES": ""}, (), "no GPU"),
        ({"CUDA_VISIBLE_DEVICES": ""}, ("--simulated",), "no GPU"),
    ],
    ids=["stand-in", "no GPU", "no stand-in"],
)
def test_what_is_not_a_gpus_is_never_written_as_a_gpus(env, options, error, python, tmp_path):
    """The checks themselves, from the source tree: nothing is run, so nothing is needed."""
    command = [python, os.path.join(ROOT, "tests", "gpu", "gpu_check.py"),
               "--out", str(tmp_path / "out"), *options]  # fmt: skip
    done = subprocess.run(command, env=environment(env), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)  # fmt: skip
    assert done.returncode == 2 and error in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()


def check(archive, python, out, *options, faults=""):
    env = environment({"SIMGPU_FAULTS": faults} if faults else {})
    done = subprocess.run(
        [SCRIPT, "--simulated", "--archive", archive, "--python", python,
         "--out", str(out), *options],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
        cwd="/",
    )  # fmt: skip
    (name,) = [name for name in os.listdir(out) if name.endswith(".json")]
    with open(os.path.join(out, name), encoding="utf-8") as file:
        return done, json.load(file)


def test_the_archive_is_small(archive):
    assert os.path.getsize(archive) < 60 << 20


def test_the_tools_in_it_are_static(archive, tmp_path):
    subprocess.run(["tar", "-xzf", archive, "-C", str(tmp_path)], check=True)
    program = tmp_path / "flopsprof-gpu-check" / "bin" / "flopsprof"
    sections = subprocess.run(
        ["readelf", "-d", str(program)], stdout=subprocess.PIPE, text=True, check=True
    )
    assert "NEEDED" not in sections.stdout
    # An empty root has no libraries at all: only the kernel is left to need.
    subprocess.run([str(program), "version"], check=True, env={}, timeout=30)


def test_a_question_says_what_the_code_assumes_and_where():
    """Nobody can know whether `file` and `symbol` are the right place; that they are there."""
    assert len(IDS) == len(set(IDS)) >= 25
    for table in TABLES:
        assert {"question", "why", "assumption", "fault", "budget_s"} <= set(table), table["id"]
        module, function = table["check"].split(".")
        with open(os.path.join(ROOT, "tests", "gpu", module + ".py"), encoding="utf-8") as file:
            assert f"def {function}(context: Context, budget_s: float)" in file.read()
        with open(os.path.join(ROOT, table["file"]), encoding="utf-8") as file:
            assert table["symbol"] in file.read(), (table["id"], table["file"], table["symbol"])


def test_the_time_of_all_questions_is_within_the_limit():
    own = [table for table in TABLES if not table.get("simulated_only")]
    runs = {table["id"]: table["budget_s"] for table in own if "same_run_as" not in table}
    assert sum(runs.values()) <= gpu_check.LIMIT_S <= 8 * 60
    for table in own:  # who is answered by the run of another comes after it, with the same budget
        before = IDS[: IDS.index(table["id"])]
        first = table.get("same_run_as", table["id"])
        assert table["budget_s"] == runs[first]
        assert first == table["id"] or first in before


def test_counts_records_and_overhead_are_asked_in_half_of_the_time():
    first = IDS[: max(IDS.index(name) for name in ("counts", "every-record-joins", "overhead")) + 1]
    spent = [t["budget_s"] for t in TABLES if t["id"] in first and "same_run_as" not in t]
    assert sum(spent) <= gpu_check.LIMIT_S / 2


@pytest.mark.parametrize(
    "given, status",
    [
        ([held(), held()], 0),
        ([held(), unanswered("no time left")], 3),
        ([], 3),
        ([held(), contradicted("3 of 4"), unanswered("no time left")], 1),
        ([held(), unanswered(f"{gpu_check.FAILED} KeyError")], 1),
    ],
    ids=["held", "one not answered", "none asked", "contradicted", "failed"],
)
def test_the_exit_status_says_whether_all_is_answered(given, status):
    assert gpu_check.exit_status(given) == status


def replays(activities=9000, time_s=0.25, **lost) -> bool:
    """What is said of 1,000 replays of 20 kernels that took 0.25 s by cudaEvents."""
    said = {"replays": 1000, "kernels": 20, "replay_s": 250e-6}
    line = {"replays": 1000, "activities": activities, "gpu_time_s": time_s}
    return replay_judge.replays_are_right(said, line, lost)


def test_replays_that_took_less_or_more_than_the_events_say_are_seen():
    assert replays() and replays(replay_times_twice=3)
    assert not replays(time_s=0.2) and not replays(time_s=0.3)
    assert not replays(activities=20000) and not replays(invalid_timestamp=3)


def answers(result: dict) -> dict:
    return {row["id"]: row["verdict"] for row in result["questions"]}


@pytest.mark.parametrize("part", [PROBES, JOBS], ids=["probes", "jobs"])
def test_every_question_is_answered_on_the_stand_in(part, archive, python, tmp_path):
    done, result = check(archive, python, tmp_path / "out", "--only", part)
    assert done.returncode == 0, done.stdout[-6000:]
    assert result["simulated"] is True
    assert answers(result) == dict.fromkeys(part.split(","), "held"), done.stdout[-6000:]
    (markdown,) = [name for name in os.listdir(tmp_path / "out") if name.endswith(".md")]
    text = (tmp_path / "out" / markdown).read_text()
    assert "Simulated" in text and "## Findings" not in text
    for row in result["questions"]:
        assert f"| {row['id']}: {row['question']} | held |" in text


def test_cuda_itself_is_asked_on_cuda_12(archive, tmp_path):
    """With torch 2.4.1 (cu121) and stand-ins with CUDA 12's names and records."""
    command = [os.path.join(ROOT, "scripts", "simgpu_env.sh"), "--torch", "2.4.1"]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    python = made.stdout.split()[-1]
    done, result = check(archive, python, tmp_path / "out", "--only", PROBES)
    assert done.returncode == 0, done.stdout[-6000:]
    assert result["machine"]["cuda"] == "12.1"
    assert answers(result) == dict.fromkeys(PROBES.split(","), "held")


def test_what_there_is_no_time_for_is_not_answered(archive, python, tmp_path):
    done, result = check(archive, python, tmp_path / "out", "--budget", "0")
    assert done.returncode == 3
    assert answers(result) == dict.fromkeys(IDS, "not answered")
    assert {row["answer"] for row in result["questions"]} == {"no time left"}


@pytest.mark.parametrize("part", [PROBES, JOBS], ids=["probes", "jobs"])
def test_every_assumption_is_contradicted_when_it_is_false(part, archive, python, tmp_path):
    done, result = check(archive, python, tmp_path / "out", "--only", part, "--contradict")
    assert done.returncode == 1, done.stdout[-6000:]
    wrong = dict.fromkeys(part.split(","), "contradicted")
    assert answers(result) == wrong, done.stdout[-6000:]
    (markdown,) = [name for name in os.listdir(tmp_path / "out") if name.endswith(".md")]
    findings = (tmp_path / "out" / markdown).read_text().split("## Findings")[1]
    for table in TABLES:
        if table["id"] in wrong:
            assert f"(`{table['file']}: {table['symbol']}`)" in findings
