# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA 12: the unmodified wheels of PyTorch 2.4.1 (cu121) and 2.8.0 (cu128) train on stand-ins with
their names, signatures and records, and every count is that of CUDA 13.

The tests are those of other files, called with another Python (`scripts/simgpu_env.sh --torch`).
"""

import functools
import os
import subprocess

import flopsprof_run
import graphs_test
import harmless_test
import ledger_test
import main_job_test
import parallel_test
import phases_test
import pytest

VERSIONS = ("2.4.1", pytest.param("2.8.0", marks=pytest.mark.full))
RELEASE = {"2.4.1": "12.1", "2.8.0": "12.8"}
# torch.distributed.tensor, which the others use, is public from 2.5 on.
DATA_PARALLEL = ["DdpNet", "FlatNet", "OriginalNet", "ShardedNet", "ShardedCheckpointNet"]
PARALLEL = {"2.4.1": DATA_PARALLEL, "2.8.0": parallel_test.ALL}


@functools.lru_cache(maxsize=None)
def python_of(version: str) -> str:
    script = os.path.join(flopsprof_run.ROOT, "scripts", "simgpu_env.sh")
    done = subprocess.run(
        [script, "--torch", version], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.split()[-1]


@pytest.fixture(scope="module", params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def python(version):
    """The Python of that torch, here and in what the tests call (torchrun, PATH)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLOPSPROF_TEST_PYTHON", python_of(version))
        flopsprof_run.sim_python.cache_clear()
        yield python_of(version)
    flopsprof_run.sim_python.cache_clear()


@pytest.fixture(scope="module")
def main_job(python, tmp_path_factory):
    return main_job_test.run_main_job(tmp_path_factory)


def test_the_wheel_is_one_of_cuda_12(python, version):
    program = "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.device_count())"
    done = subprocess.run([python, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    torch, cuda, devices = done.stdout.split()
    assert (torch.split("+")[0], cuda, devices) == (version, RELEASE[version], "2")


@pytest.mark.parametrize(
    "check",
    [
        main_job_test.test_the_summary_is_consistent,
        main_job_test.test_each_rank_has_the_exact_counts,
        main_job_test.test_every_module_has_the_exact_counts,
        main_job_test.test_the_wrapped_model_is_the_root,
        main_job_test.test_coverage_says_what_holds_no_products,
    ],
)
def test_the_main_job(main_job, check):
    check(main_job)


@pytest.mark.parametrize("way", ["engine", "callback"])
def test_ways_of_following_the_backward_pass(way, python, tmp_path):
    main_job_test.test_each_way_of_following_the_backward_pass_has_the_exact_counts(
        way, python, tmp_path
    )


@pytest.mark.parametrize("case", ["lenet5", "amp"])
def test_times_are_the_ledgers(case, python, folder):
    ledger_test.test_totals_and_coverage_shares_are_the_ledgers(case, python, folder)


def test_times_of_two_ranks_are_their_ledgers(python, folder):
    ledger_test.test_two_ranks_have_the_times_of_their_own_ledgers(python, folder)


def test_phases(python, folder):
    phases_test.test_clipping_scaling_and_evaluation_are_phases_of_their_own(python, folder)


@pytest.mark.parametrize(
    "check",
    [
        graphs_test.test_a_hundred_replays_count_a_hundred_times_timed_by_node,
        graphs_test.test_a_hundred_replays_count_a_hundred_times_timed_by_launch,
    ],
)
def test_graphs(check, python, folder):
    check(python, folder)


def test_attention_of_flash_kind_is_modelled(python, folder):
    """By the arguments that its operation has in that PyTorch."""
    batch, heads, tokens, dim, steps = 2, 4, 64, 32, 2
    sizes = ("--batch", str(batch), "--heads", str(heads), "--kv-heads", str(heads),
             "--seq", str(tokens), "--dim", str(dim))  # fmt: skip
    command = flopsprof_run.acceptance(
        "sdpa", "--backend", "flash", "--mode", "train", "--steps", str(steps), *sizes
    )
    run = flopsprof_run.run_profiled([python, *command], folder=folder)
    assert run.ended_well(), run.explain()
    product = 2 * batch * heads * tokens * tokens * dim
    modelled = run.summary["totals"]["flops_modelled"]
    assert modelled["forward"] == steps * 2 * product
    assert modelled["backward"] == steps * 4 * product
    assert modelled["recompute"] == steps * product


@pytest.mark.parametrize("when", ["before", "after", "between"])
def test_the_jobs_own_torch_profiler(when, python, folder):
    harmless_test.test_the_jobs_own_torch_profiler_comes_first(when, python, folder)


def test_library_calls_are_those_without_us(python, folder):
    harmless_test.test_the_library_calls_are_equal_per_thread("cifar_net", python, folder)


@pytest.fixture(scope="module")
def one(python, tmp_path_factory):
    return parallel_test.run([python, parallel_test.PROGRAM], tmp_path_factory.mktemp("one")).summary


@pytest.fixture(scope="module")
def two(python, version, tmp_path_factory):
    only = ["data"] if PARALLEL[version] == DATA_PARALLEL else []
    command = flopsprof_run.torchrun(2, parallel_test.PROGRAM, *only)
    return parallel_test.run(command, tmp_path_factory.mktemp("two"))


def test_parallel_training(one, two, version):
    for name in PARALLEL[version]:
        parallel_test.test_the_ranks_together_do_the_work_of_one_process(one, two, name)
    for name in ("FlatNet", "ShardedNet"):
        parallel_test.test_gathers_and_scatters_belong_to_the_module_that_they_serve(two, name)
    parallel_test.test_bytes_are_those_of_the_module(two)
