# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Small C++ ranks on sixteen nodes of Slurm: who is there, who is missing, who claims another's rank.

And launchers that take what `flopsprof env` prints.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess

import pytest
import summary_checks
from by_name import library_folders
from collector_process import Collector
from flopsprof_run import environment, product, run_plain, sim_python
from virtual_nodes import Slurm, remote_shell
from wait_until import wait_until

pytestmark = pytest.mark.full

RUN = product("bin/flopsprof-run")
TOOL = product("bin/flopsprof")
PROGRAM = product("bin/cpp_ranges")
STEPS = 3
FLOPS = STEPS * 74752  # by hand from the sizes in tests/programs/cpp_ranges/cpp_ranges.cc
NODES = [f"n{number}" for number in range(16)]
EACH = 2
ALL = len(NODES) * EACH


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with Slurm(tmp_path_factory.mktemp("slurm"), NODES) as cluster:
        yield cluster


def roll_call(slurm, tmp_path, script, nodes=len(NODES)):
    """srun sh -c SCRIPT, where $profile is flopsprof-run with its options; the run's summary."""
    with Collector(tmp_path / "store") as collector:
        # Slurm's job and step are the run's id.
        profile = [RUN, "--collector", f"127.0.0.1:{collector.port}", "--"]
        env = {
            **slurm.env, "LD_LIBRARY_PATH": library_folders(), "profile": " ".join(profile),
            "program": PROGRAM, "folder": str(tmp_path),
        }  # fmt: skip
        srun = ["srun", "-N", str(nodes), "--ntasks-per-node", str(EACH), "sh", "-c", script]
        done = run_plain(srun, env=env)
        assert done.ended_well(), done.explain()
        assert collector.end() == 0
        ((name, summary),) = collector.summaries().items()
    assert name.startswith("slurm-")
    assert summary_checks.problems(summary) == []
    return summary


def rank_findings(summary):
    return {f["kind"]: f["text"] for f in summary["findings"] if f["kind"].startswith("rank")}


def test_all_ranks_of_sixteen_nodes_are_there_once(slurm, tmp_path):
    summary = roll_call(slurm, tmp_path, f"exec $profile $program {STEPS}")
    assert rank_findings(summary) == {}
    assert summary["job"]["world_size"] == ALL
    assert sorted(summary["job"]["node_names"]) == sorted(NODES)
    found = [(row["rank"], row["local_rank"], row["node"]) for row in summary["ranks"]]
    assert found == [(rank, rank % EACH, NODES[rank // EACH]) for rank in range(ALL)]
    assert {summary_checks.total(row["flops"]) for row in summary["ranks"]} == {FLOPS}
    assert summary_checks.total(summary["totals"]["flops"]) == ALL * FLOPS


def test_ranks_of_a_node_without_the_profiler_are_missing(slurm, tmp_path):
    script = f'[ "$SLURM_NODEID" = 15 ] && profile=; exec $profile $program {STEPS}'
    summary = roll_call(slurm, tmp_path, script)
    (text,) = rank_findings(summary).values()
    assert list(rank_findings(summary)) == ["ranks_missing"]
    assert text.startswith("ranks 30-31 of 32 are missing: ")
    assert summary_checks.total(summary["totals"]["flops"]) == (ALL - EACH) * FLOPS


def test_two_nodes_that_claim_the_same_ranks_are_told_apart(slurm, tmp_path):
    # Each ends only when all have printed: they are there at the same time.
    script = f"""
        export RANK=$SLURM_LOCALID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE={EACH}
        until [ "$(find $folder -name '*.said' -size +0 | wc -l)" = {2 * EACH} ]; do sleep 0.1; done |
          $profile $program {STEPS} wait > $folder/$SLURM_PROCID.said
    """
    summary = roll_call(slurm, tmp_path, script, nodes=2)
    findings = rank_findings(summary)
    assert list(findings) == ["rank_claimed_twice"]
    assert findings["rank_claimed_twice"].startswith("ranks 0-1 are claimed by several nodes ")
    found = sorted((row["rank"], row["node"]) for row in summary["ranks"])
    assert found == [(0, "n0"), (0, "n1"), (1, "n0"), (1, "n1")]
    assert {summary_checks.total(row["flops"]) for row in summary["ranks"]} == {FLOPS}


@contextlib.contextmanager
def agent(folder):
    """`flopsprof-run -- sleep infinity`; gives what `flopsprof env` prints in a format."""
    argv = [RUN, "-o", str(folder), "--", "sleep", "infinity"]
    launcher = subprocess.Popen(argv, env=environment(), stderr=subprocess.DEVNULL)
    log = folder / "log.txt"

    def printed(style):
        (socket,) = re.findall(r"agent at (.*)$", log.read_text(), re.M)
        argv = [TOOL, "env", "--socket", socket, "--format", style]
        return subprocess.run(
            argv, stdout=subprocess.PIPE, text=True, env=environment(), check=True
        ).stdout

    try:
        wait_until(lambda: log.exists() and "agent at " in log.read_text(), 60, "the agent is there")
        yield printed
    finally:
        launcher.send_signal(signal.SIGTERM)
        launcher.wait(60)


def variables(shell: str) -> dict:
    words = shlex.split(shell)
    assert words[::2] == ["export"] * (len(words) // 2)
    return dict(word.split("=", 1) for word in words[1::2])


def judge_two_ranks(folder):
    summary = json.loads((folder / "summary.json").read_text())
    assert [(r["rank"], r["local_rank"]) for r in summary["ranks"]] == [(0, 0), (1, 1)]
    assert summary["job"]["world_size"] == 2
    assert {summary_checks.total(row["flops"]) for row in summary["ranks"]} == {FLOPS}


def test_open_mpi_takes_the_options_that_env_prints(tmp_path):
    with agent(tmp_path / "run") as printed:
        line = (
            "mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 "
            f"{printed('openmpi').strip()} {PROGRAM} {STEPS}"
        )
        done = run_plain(["sh", "-c", line], env={"LD_LIBRARY_PATH": library_folders()})
        assert done.ended_well(), done.explain()
    judge_two_ranks(tmp_path / "run")


def test_srun_takes_the_option_that_env_prints(slurm, tmp_path):
    with agent(tmp_path / "run") as printed:
        line = f"srun -N 1 -n 2 {printed('slurm').strip()} {PROGRAM} {STEPS}"
        done = run_plain(
            ["sh", "-c", line], env={**slurm.env, "LD_LIBRARY_PATH": library_folders()}
        )
        assert done.ended_well(), done.explain()
    judge_two_ranks(tmp_path / "run")


def deepspeed(tmp_path, *argv, exported):
    """DeepSpeed's launcher over pdsh on two nodes with two ranks each, which run argv."""
    shells = tmp_path / "shells"
    shells.mkdir()
    os.rename(remote_shell(shells), shells / "ssh")  # pdsh's
    hosts = tmp_path / "hosts"
    hosts.write_text("node-a slots=2\nnode-b slots=2\n")
    (tmp_path / ".deepspeed_env").write_text(exported)
    launcher = [
        sim_python(), "-m", "deepspeed.launcher.runner", "--hostfile", str(hosts), "--no_python",
        "--no_local_rank", "--master_addr", "127.0.0.1", *argv,
    ]  # fmt: skip
    done = run_plain(
        ["sh", "-c", 'cd "$0" && PATH=$0/shells:$PATH exec "$@"', str(tmp_path), *launcher],
        env={"HOME": str(tmp_path)},
    )
    assert done.ended_well(), done.explain()


def test_deepspeed_takes_the_file_that_env_prints(tmp_path):
    with agent(tmp_path / "run") as printed:
        exported = printed("deepspeed") + f"LD_LIBRARY_PATH={library_folders()}\n"
        deepspeed(tmp_path, PROGRAM, str(STEPS), exported=exported)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    # All four came to the one agent.
    assert [r["rank"] for r in summary["ranks"]] == [0, 1, 2, 3]
    assert summary["job"]["world_size"] == 4
    assert {summary_checks.total(row["flops"]) for row in summary["ranks"]} == {FLOPS}


def test_the_profiler_inside_of_deepspeed_over_pdsh(tmp_path):
    with Collector(tmp_path / "store") as collector:
        profile = [RUN, "--collector", f"127.0.0.1:{collector.port}", "--run-id", "job", "--"]
        exported = f"LD_LIBRARY_PATH={library_folders()}\n"
        deepspeed(tmp_path, *profile, PROGRAM, str(STEPS), exported=exported)
        assert collector.end() == 0
        summary = collector.summaries()["job"]
    assert rank_findings(summary) == {}
    found = [(row["rank"], row["local_rank"], row["node"]) for row in summary["ranks"]]
    assert found == [(0, 0, "node-a"), (1, 1, "node-a"), (2, 0, "node-b"), (3, 1, "node-b")]
    assert summary["job"]["world_size"] == 4
    assert {summary_checks.total(row["flops"]) for row in summary["ranks"]} == {FLOPS}


def test_the_other_formats_hold_the_same_variables(tmp_path):
    with agent(tmp_path / "run") as printed:
        wanted = variables(printed("sh"))
        assert os.path.exists(wanted["FLOPSPROF_SOCKET"])
        lines = printed("deepspeed").splitlines()
        assert dict(line.split("=", 1) for line in lines) == wanted
        ray = json.loads(printed("ray").partition("runtime_env=")[2])
        assert ray == {"env_vars": wanted}
        reader = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"
        done = subprocess.run(
            [sim_python(), "-c", reader], input=printed("k8s"), stdout=subprocess.PIPE, text=True,
            check=True,
        )  # fmt: skip
        assert json.loads(done.stdout) == [{"name": n, "value": v} for n, v in wanted.items()]
