# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_check.sh from its archive: passes on the stand-in, and fails when one kernel
duration, one correlation id or one shape is falsified.
"""

import json
import os
import subprocess

import pytest
from flopsprof_run import ROOT, environment

SCRIPT = os.path.join(ROOT, "scripts", "gpu_check.sh")


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("archive") / "check.tar.gz"
    subprocess.run([SCRIPT, "--pack", str(path)], check=True, stdout=subprocess.DEVNULL)
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


def test_all_checks_pass_on_the_stand_in(archive, python, tmp_path):
    done, result = check(archive, python, tmp_path / "out")
    assert done.returncode == 0, done.stdout[-6000:]
    assert result["simulated"] is True
    assert result["seconds"] < 480
    verdicts = {row["name"]: row["verdict"] for row in result["checks"]}
    assert len(verdicts) >= 10
    assert set(verdicts.values()) == {"passed"}, done.stdout[-6000:]
    (markdown,) = [name for name in os.listdir(tmp_path / "out") if name.endswith(".md")]
    text = (tmp_path / "out" / markdown).read_text()
    assert "Simulated" in text
    for name in verdicts:
        assert name in text


@pytest.mark.parametrize(
    "faults, part",
    [
        ('{"falsify_duration": [40]}', "times equal the ledger"),
        ('{"falsify_correlation": [40]}', "every record joins"),
        ('{"falsify_shape": [3]}', "shapes equal the ledger"),
    ],
    ids=["duration", "correlation id", "shape"],
)
def test_one_falsified_value_fails_the_check(faults, part, archive, python, tmp_path):
    good, _ = check(archive, python, tmp_path / "good", "--only", part)
    assert good.returncode == 0, good.stdout[-4000:]
    bad, result = check(archive, python, tmp_path / "bad", "--only", part, faults=faults)
    assert bad.returncode != 0, bad.stdout[-4000:]
    assert [row["verdict"] for row in result["checks"]] == ["failed"]
