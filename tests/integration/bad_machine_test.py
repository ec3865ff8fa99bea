# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Machines that are not as they should be: the job prints what it prints without us and ends as it
does, and one sentence says what is missing.
"""

import json
import os
import subprocess

import pytest
from by_name import compiled
from flopsprof_run import PROGRAMS, run_plain, run_profiled

SOURCE = os.path.join(PROGRAMS, "machines", "products.c")
PRODUCTS = 10
FLOPS = 2 * 64 * 64 * 64


def broken(status, start=0):
    return json.dumps({"broken_cuda": {"status": status, "from": start}})


def refused(function, status):
    return json.dumps({"fail": {function: {"calls": True, "status": status}}})


# fault script; how many of the products succeed and are counted; what the finding says of why, and
# of what to do.
MACHINES = {
    "driver older than the toolkit": (broken(35), 0, "CUDA: not usable: the driver is older than", "update the driver"),
    "compatibility package of another driver": (broken(803), 0, "CUDA: not usable: the libcuda of", "update the driver"),
    "compatibility package on a GeForce": (broken(804), 0, "CUDA: not usable: CUDA compatibility", "remove the package"),
    "MPS server away": (broken(805), 0, "CUDA: not usable: the MPS server could not be reached", "start the MPS server"),
    "MPS server full": (broken(808), 0, "CUDA: not usable: the MPS server has as many clients", "fewer processes"),
    "no fabric manager": (broken(802), 0, "CUDA: not usable: the system is not ready", "fabricmanager"),
    "exclusive to others": (broken(46), 0, "CUDA: not usable: the GPUs are busy", "nvidia-smi"),
    "card falls off the bus": (broken(46, start=4), 4, "not complete: CUPTI gave no records", "first CUDA error"),
    "illegal address": (broken(700, start=4), 4, "not complete: CUPTI gave no records", "first CUDA error"),
    "CUPTI older than the driver": (refused("cuptiSubscribe", 14), 10, "CUPTI does not fit the driver (cuptiSubscribe: 14)", "update the driver"),
    "driver too old for CUPTI": (refused("cuptiSubscribe", 15), 10, "found no driver that it can use", "update the driver"),
    "CUPTI for root only": (refused("cuptiActivityEnable", 35), 10, "this user may not use CUPTI (cuptiActivityEnable(CONCURRENT_KERNEL): 35)", "NVreg_RestrictProfilingToAdminUsers=0"),
    "no GPU memory for CUPTI": (refused("cuptiActivityEnable", 8), 10, "no GPU memory was left", "60 MB"),
    "CUPTI refused under MPS": (refused("cuptiActivityEnable", 27), 10, "cannot trace on this device", "counts are right"),
    "CUPTI refused on a MIG slice": (refused("cuptiSubscribe", 43), 10, "on a MIG slice", "a whole GPU"),
    "virtual GPU": (refused("cuptiActivityEnable", 40), 10, "switched off by its host", "administrator"),
    "confidential computing": (refused("cuptiSubscribe", 41), 10, "confidential computing", "counts are right"),
    "a refusal that nobody knows": (refused("cuptiSubscribe", 999), 10, "refused a call (cuptiSubscribe: 999)", "flopsprof doctor"),
}  # fmt: skip


@pytest.fixture(scope="module")
def products(tmp_path_factory):
    out = str(tmp_path_factory.mktemp("machines") / "products")
    return compiled(SOURCE, out, "link", {"cu13": "libcudart.so.13 libcublas.so.13"})


def both(command, folder, faults="", env=None, **more):
    plain = run_plain(command, faults=faults, env=env)
    run = run_profiled(command, folder=folder, faults=faults, env=env, **more)
    assert (run.exit_code, run.stdout) == (plain.exit_code, plain.stdout), run.explain()
    assert plain.stderr in run.stderr
    return run


def counted(run) -> int:
    return sum(flops or 0 for flops in run.summary["totals"]["flops"].values())


def reasons(run) -> str:
    return "\n".join(run.summary["coverage"]["reasons"])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_job_is_as_without_us_and_a_sentence_says_what_is_missing(machine, products, folder):
    faults, succeed, sentence, mend = MACHINES[machine]
    run = both([products], folder, faults)
    assert counted(run) == succeed * FLOPS, run.explain()
    (finding,) = [it for it in run.summary["findings"] if sentence in it["evidence"]]
    assert mend in finding["next"], finding
    # "not complete": not all along, which is of the same kind.
    assert (finding["kind"] == "no_gpu_times") == (sentence[:5] != "CUDA:")
    times = "no GPU times" in finding["text"]
    assert times == (sentence[:5] != "CUDA:" and succeed == PRODUCTS), finding
    assert " ".join(run.stderr.split()).count(sentence) == 1, run.stderr


def test_a_slice_of_a_card_has_no_peak_of_the_card(products, folder):
    run = both([products], folder, '{"mig": true}')
    assert counted(run) == PRODUCTS * FLOPS
    (rank,) = run.summary["ranks"]
    assert "MIG 1g.10gb" in rank["devices"][0]["name"]
    assert rank["devices"][0]["peak_flop_per_s"] is None, rank["devices"]


# Devices 1, 2, 3 of the machine have uuids that begin with 02, 03, 04.
@pytest.mark.parametrize(
    "visible, uuid",
    [("1", "02"), ("3,1", "04"), ("GPU-03", "03"), ("2,-1,0", "03"), ("-1", None),
     ("MIG-1b2c3d4e-0000-0000-0000-000000000000", None)],
)  # fmt: skip
def test_a_device_is_known_by_its_uuid_however_it_is_numbered(visible, uuid, products, folder):
    env = {"SIM_DEVICES": "4", "CUDA_VISIBLE_DEVICES": visible}
    run = both([products], folder, env=env)
    if uuid is None:
        assert run.summary["empty"] and counted(run) == 0
        return
    (rank,) = run.summary["ranks"]
    assert [device["uuid"].replace("GPU-", "")[:2] for device in rank["devices"]] == [uuid]
    assert counted(run) == PRODUCTS * FLOPS


def library(folder, name, text) -> str:
    path = folder / name
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", str(path), f"-Wl,-soname,{name}", "-xc", "-"],
                   input=text, text=True, check=True)  # fmt: skip
    return str(path)


OTHER_CUDART = "int cudaRuntimeGetVersion(int* v) { *v = 12040; return 0; }"
OTHER_CUPTI = "int cuptiGetVersion(unsigned* v) { *v = 22; return 0; }"


@pytest.mark.parametrize("others", [("cudart",), ("cupti",), ("cupti", "cudart")])
def test_of_two_cuda_versions_the_one_in_use_gives_the_times(others, products, folder, tmp_path):
    texts = {"cudart": OTHER_CUDART, "cupti": OTHER_CUPTI}
    paths = [library(tmp_path, f"lib{name}.so.12", texts[name]) for name in others]
    run = both([products, *paths], folder)
    assert run.stdout.count("opened: 1\n") == len(others)
    assert counted(run) == PRODUCTS * FLOPS
    assert run.summary["coverage"]["gpu_time_s"] > 0, reasons(run)
    assert "times" not in reasons(run)


def test_children_of_a_fork_are_as_without_us(products, folder):
    run = both([products, "forks"], folder)
    assert "idle child: 7\nfirst: devices" in run.stdout
    assert "child: devices -1 (3)" in run.stdout and "cuda child: 1" in run.stdout
    # Twice in the parent; once in the program that a child became.
    assert counted(run) == 3 * PRODUCTS * FLOPS, run.explain()
    assert not any(rank["loss"] for rank in run.summary["ranks"])


def test_work_before_and_after_a_reset_is_counted_and_timed(products, folder):
    run = both([products, "resets"], folder)
    assert counted(run) == 2 * PRODUCTS * FLOPS
    assert "launches without" not in reasons(run)
