# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs of real launchers, on one node and on two: one report with all ranks, each counted once.

Nodes are host names, and for torchrun and its kin networks, of their own on this machine
(tests/support/virtual_nodes.py). The yardstick is one process that nobody launched.
"""

import json
import os
import subprocess

import pytest
import summary_checks
from collector_process import Collector
from flopsprof_run import (
    ROOT,
    acceptance,
    environment,
    product,
    run_plain,
    run_profiled,
    sim_python,
    torchrun,
)
from virtual_nodes import Networks, Slurm, remote_shell

pytestmark = pytest.mark.full

RUN = product("bin/flopsprof-run")
NODES = ("node-a", "node-b")
STEPS = 2
JOB = acceptance("cifar_net", "--batch", "8", "--steps", str(STEPS))
UNRANKED = [sim_python(), *JOB]  # MPI and Slurm: each rank trains a model of its own
AS_ROOT = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """The job as one process."""
    run = run_profiled(UNRANKED, folder=str(tmp_path_factory.mktemp("one") / "run"))
    assert run.ended_well(), run.explain()
    with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
        golden = next(e for e in json.load(file) if e["id"] == "cifar_net-batch-8-mode-train")
    assert summary_checks.total(run.summary["totals"]["flops"]) == STEPS * golden["step_flops"]
    return run.summary


def judge(summary, one, places):
    """places: (node, local rank) of each rank."""
    assert summary_checks.problems(summary) == []
    assert summary["job"]["world_size"] == len(places)
    found = {row["rank"]: (row["node"], row["local_rank"]) for row in summary["ranks"]}
    assert len(summary["ranks"]) == len(places)
    assert found == dict(enumerate(places))
    assert sorted(summary["job"]["node_names"]) == sorted({node for node, _ in places})
    assert summary["job"]["nodes"] == len({node for node, _ in places})
    single = one["totals"]["flops"]
    for row in summary["ranks"]:
        assert row["flops"] == single, row["rank"]
    assert summary["totals"]["flops"] == {
        phase: count if count is None else len(places) * count for phase, count in single.items()
    }
    assert [f for f in summary["findings"] if f["kind"].startswith("rank")] == []


def here(ranks):
    return [(os.uname().nodename, number) for number in range(ranks)]


TWO_NODES = [(node, number) for node in NODES for number in range(2)]


def only_summary(collector, run_id):
    assert collector.end() == 0
    found = collector.summaries()
    assert list(found) == [run_id]
    return found[run_id]


def run_inside(tmp_path, launcher, run_id="job", env=None):
    """LAUNCHER flopsprof-run ... for each rank, and a collector."""
    with Collector(tmp_path / "store") as collector:
        where = ["--collector", f"127.0.0.1:{collector.port}", "--run-id", run_id]
        done = run_plain([*launcher, RUN, *where, "--", *UNRANKED], env=env)
        assert done.ended_well(), done.explain()
        return only_summary(collector, run_id)


@pytest.mark.parametrize("launcher", [[*AS_ROOT, "-n", "2"], ["mpiexec.hydra", "-n", "2"]])
def test_the_profiler_outside_of_mpirun(launcher, one, tmp_path):
    run = run_profiled([*launcher, *UNRANKED], folder=str(tmp_path / "run"))
    assert run.ended_well(), run.explain()
    judge(run.summary, one, here(2))


def test_the_profiler_inside_of_open_mpi_on_two_nodes(one, tmp_path):
    # Its remote shell hands nothing on but what -x names.
    launcher = [
        *AS_ROOT, "-x", "PATH", "-x", "OMP_NUM_THREADS",
        "--host", ",".join(f"{node}:2" for node in NODES),
        "--mca", "plm_rsh_agent", remote_shell(tmp_path), "--mca", "oob_tcp_if_include", "lo",
    ]  # fmt: skip
    judge(run_inside(tmp_path, launcher), one, TWO_NODES)


def test_the_profiler_inside_of_mpich_on_two_nodes(one, tmp_path):
    launcher = [
        "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", remote_shell(tmp_path),
        "-localhost", "127.0.0.1", "-hosts", ",".join(NODES), "-ppn", "2", "-n", "4",
    ]  # fmt: skip
    judge(run_inside(tmp_path, launcher), one, TWO_NODES)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    nodes = [f"n{number}" for number in range(16)]
    with Slurm(tmp_path_factory.mktemp("slurm"), nodes) as cluster:
        yield cluster


def test_the_profiler_inside_of_srun_on_two_nodes(slurm, one, tmp_path):
    launcher = ["srun", "-N", "2", "--ntasks-per-node", "2", "-w", "n0,n1"]
    summary = run_inside(tmp_path, launcher, env=slurm.env)
    judge(summary, one, [(node, number) for node in ("n0", "n1") for number in range(2)])


@pytest.fixture(scope="module")
def networks():
    with Networks(NODES) as nodes:
        yield nodes


BY_CABLE = {"NCCL_SOCKET_IFNAME": "cable", "GLOO_SOCKET_IFNAME": "cable"}


def on_both(networks, tmp_path, command_of, env=None):
    """flopsprof-run on each node, around the launcher's part of that node; a collector on the first."""
    head = Networks.ADDRESSES[0]
    prefix = networks.on(0)
    with Collector(tmp_path / "store", "--insecure", listen=f"{head}:0", prefix=prefix) as collector:
        options = ["--collector", f"{head}:{collector.port}", "--run-id", "job"]
        parts = []
        for number in range(2):
            argv = networks.on(number, RUN, *options, "--", *command_of(number, head))
            with open(tmp_path / f"node-{number}.txt", "wb") as out:
                settings = environment({**BY_CABLE, **(env or {})})
                parts.append(subprocess.Popen(argv, stdout=out, stderr=out, env=settings))
        try:
            codes = [part.wait(120) for part in parts]
        finally:
            for part in parts:
                if part.poll() is None:
                    part.terminate()
                    part.wait(30)
        said = [(tmp_path / f"node-{number}.txt").read_text()[-3000:] for number in range(2)]
        assert codes == [0, 0], "\n".join(said)
        return only_summary(collector, "job")


def test_torchrun_with_two_agents_in_two_networks(networks, one, tmp_path):
    program = torchrun(2)[0]

    def command(number, head):
        return [
            program, "--nnodes", "2", "--nproc-per-node", "2", "--node-rank", str(number),
            "--master-addr", head, "--master-port", "29511", *JOB,
        ]  # fmt: skip

    judge(on_both(networks, tmp_path, command), one, TWO_NODES)


def test_the_launcher_of_deepspeed_on_two_nodes(networks, one, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("".join(f"{address} slots=2\n" for address in Networks.ADDRESSES))

    def command(number, head):
        return [
            sim_python(), "-m", "deepspeed.launcher.runner", "--hostfile", str(hosts), "--no_ssh", "--no_local_rank",
            "--node_rank", str(number), "--master_addr", head, "--master_port", "29512", *JOB,
        ]  # fmt: skip

    judge(on_both(networks, tmp_path, command), one, TWO_NODES)


def test_accelerate_on_two_nodes(networks, one, tmp_path):
    script = os.path.join(ROOT, "scripts", "trainer_packages.sh")
    packages = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def command(number, head):
        return [
            sim_python(), "-m", "accelerate.commands.launch", "--multi_gpu", "--num_machines", "2",
            "--num_processes", "4", "--machine_rank", str(number), "--main_process_ip", head,
            "--main_process_port", "29513", "--mixed_precision", "no", "--dynamo_backend", "no", *JOB,
        ]  # fmt: skip

    judge(on_both(networks, tmp_path, command, {"PYTHONPATH": packages}), one, TWO_NODES)
