# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What drivers and cards do that a stand-in has to be told to do: cuInit with its locks, contexts
that end, programs without a shared cudart, GPU memory that CUPTI takes."""

import os
import subprocess

import ledger as book
import pytest
import summary_checks
from by_name import library_folders, nvidia
from flopsprof_run import run_profiled

PRODUCT = 2 * 64 * 64 * 64

TWO_CONTEXTS = """
import ctypes, torch
cuda = ctypes.CDLL("libcudart.so.13")
a = torch.ones(64, 64, device="cuda")
for _ in range(50):
    a @ a
assert cuda.cudaDeviceReset() == 0
b = torch.ones(64, 64, device="cuda")
for _ in range(50):
    b @ b
torch.cuda.synchronize()
"""

PRODUCTS = """
import torch
a = torch.ones(64, 64, device="cuda")
for _ in range(20):
    a @ a
torch.cuda.synchronize()
"""

POOL_LIMIT = """
import ctypes, torch
a = torch.ones(64, 64, device="cuda")
a @ a
torch.cuda.synchronize()
cupti = ctypes.CDLL("libcupti.so.13")
value, size = ctypes.c_size_t(), ctypes.c_size_t(8)
assert cupti.cuptiActivityGetAttribute(2, ctypes.byref(size), ctypes.byref(value)) == 0
print("buffers:", value.value)
"""

# A program of the driver's interface: no cudart is mapped, as where it is linked statically.
DRIVER_ONLY = r"""
#include <cuda.h>
#include <stdio.h>
#define CHECK(call) do { int e = (call); if (e) { printf("%s: %d\n", #call, e); return 1; } } while (0)
int main(void) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, ""));
  CHECK(cuModuleGetFunction(&function, module, "a_kernel_of_mine"));
  for (int i = 0; i < 30; i++) CHECK(cuLaunchKernel(function, 8, 1, 1, 32, 1, 1, 0, 0, 0, 0));
  CHECK(cuCtxSynchronize());
  return 0;
}
"""


def launched_ns(run) -> int:
    """GPU time of all that ran, by the stand-in's own ledger."""
    return sum(book.duration(row) for row in book.executed(run.ledger))


def flops_of(run) -> int:
    return sum(flops or 0 for flops in run.summary["totals"]["flops"].values())


def assert_all_times_are_there(run) -> None:
    coverage = run.summary["coverage"]
    assert launched_ns(run) > 0
    assert summary_checks.nanoseconds(coverage["gpu_time_s"]) == launched_ns(run), run.explain()
    assert not [reason for reason in coverage["reasons"] if "times" in reason], coverage


def test_nothing_calls_cupti_while_the_program_is_inside_of_cuinit(python, folder):
    """Both take the driver's locks: the stand-in ends the process where a real one may hang."""
    run = run_profiled([python, "-c", PRODUCTS], folder=folder, faults='{"init_ms": 2500}',
                       ledger=True)
    assert run.ended_well(), run.explain()
    assert flops_of(run) == 20 * PRODUCT
    assert_all_times_are_there(run)


def test_records_of_a_context_that_ends_are_not_lost(python, folder):
    run = run_profiled([python, "-c", TWO_CONTEXTS], folder=folder, ledger=True)
    assert run.ended_well(), run.explain()
    assert flops_of(run) == 100 * PRODUCT
    assert_all_times_are_there(run)


# 3.2 MB each, and CUPTI's own limit is 250: six for kernels, and one for each 100,000 nodes of
# graphs that are timed before `--graphs auto` goes over to launches.
@pytest.mark.parametrize("graphs, limit, buffers", [
    ("auto", None, 17), ("auto", "50000", 7), ("graph", None, 6), ("node", None, 250)])
def test_gpu_memory_of_cupti_is_bounded(graphs, limit, buffers, python, folder):
    env = {"FLOPSPROF_GRAPH_NODE_LIMIT": limit} if limit else {}
    run = run_profiled([python, "-c", POOL_LIMIT], "--graphs", graphs, folder=folder, env=env)
    assert run.ended_well(), run.explain()
    assert run.stdout == f"buffers: {buffers}\n"


def test_a_program_without_a_shared_cudart_has_times(folder, tmp_path):
    source, program = tmp_path / "driver_only.c", tmp_path / "driver_only"
    source.write_text(DRIVER_ONLY)
    folders = library_folders()
    libcuda = next(path for path in (os.path.join(f, "libcuda.so.1") for f in folders.split(":"))
                   if os.path.exists(path))
    subprocess.run(["cc", "-o", str(program), str(source), "-I",
                    os.path.join(nvidia(), "cu13", "include"), libcuda], check=True)
    run = run_profiled([str(program)], folder=folder, env={"LD_LIBRARY_PATH": folders}, ledger=True)
    assert run.ended_well(), run.explain()
    assert_all_times_are_there(run)
