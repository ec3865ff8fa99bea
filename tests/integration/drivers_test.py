# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What drivers and cards do that a stand-in has to be told to do: cuInit with its locks, contexts
that end, programs without a shared cudart, GPU memory that CUPTI takes."""

import json
import os
import subprocess
import sys

import ledger as book
import pytest
import summary_checks
from by_name import library_folders, nvidia
from flopsprof_run import ROOT, product, run_profiled

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

# Where the driver is used before torch is imported (numba, cuda.bindings, decord ...), and the loader
# would find a libcupti of another toolkit: its folder is argument 2.
DRIVER_FIRST = """
import ctypes, sys
assert ctypes.CDLL(sys.argv[1]).cuInit(0) == 0
import torch
a = torch.ones(64, 64, device="cuda")
for _ in range(20):
    a @ a
torch.cuda.synchronize()
print({line.split()[-1] for line in open("/proc/self/maps") if "libcupti" in line})
"""

# Prints how often the loader was asked for a libcupti at its start, and after many calls.
NO_CUPTI = """
import ctypes, glob, sys, time
def asked():
    lines = [line for path in glob.glob(sys.argv[2] + ".*") for line in open(path)]
    return sum("libcupti" in line and "dynamically loaded" in line for line in lines)
cuda, count = ctypes.CDLL(sys.argv[1]), ctypes.c_int()
cuda.cudaGetDeviceCount(ctypes.byref(count))
first, quiet = asked(), 0
while quiet < 10:  # our thread has looked again after all that was mapped
    time.sleep(0.1)
    now = asked()
    quiet, first = (quiet + 1, first) if now == first else (0, now)
for _ in range(20):
    assert cuda.cudaGetDeviceCount(ctypes.byref(count)) == 0
    time.sleep(0.05)
print(first > 0, asked() - first)
"""

# One device still works when the context of another one ends.
RESET_OTHER = """
import ctypes, torch
cuda = ctypes.CDLL("libcudart.so.13")
a = torch.ones(64, 64, device="cuda:0")
pointer = ctypes.c_void_p()
assert cuda.cudaSetDevice(1) == 0
assert cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64)) == 0
assert cuda.cudaSetDevice(0) == 0
for _ in range(50):
    a @ a
assert cuda.cudaSetDevice(1) == 0 and cuda.cudaDeviceReset() == 0
assert cuda.cudaSetDevice(0) == 0
torch.cuda.synchronize(0)
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
from torch.profiler import ProfilerActivity, profile
with profile(activities=[ProfilerActivity.CUDA]):
    assert cupti.cuptiActivityGetAttribute(2, ctypes.byref(size), ctypes.byref(value)) == 0
print("the job's own profiler:", value.value)
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


def test_torch_has_its_own_libcupti_though_the_driver_was_used_before_it(python, folder, tmp_path):
    """A library of ours that has its name would be given to it."""
    other = tmp_path / "libcupti.so.13"
    source = tmp_path / "other.c"
    source.write_text("int cuptiGetVersion(unsigned *v) { *v = 130000; return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{other.name}", "-o", other, source],
                   check=True)
    driver = next(path for path in (os.path.join(f, "libcuda.so.1")
                                    for f in library_folders().split(":")) if os.path.exists(path))
    run = run_profiled([python, "-c", DRIVER_FIRST, driver], folder=folder, ledger=True,
                       env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert run.ended_well(), run.explain()
    assert str(other) not in run.stdout and "libcupti" in run.stdout
    assert flops_of(run) == 20 * PRODUCT
    assert_all_times_are_there(run)


def test_a_libcupti_that_is_not_there_is_looked_for_once(python, folder, tmp_path):
    """Each look asks the loader for files: on a slow file system, and under its lock."""
    cudart = tmp_path / "libcudart.so.13"
    cudart.symlink_to(next(path for path in (os.path.join(f, cudart.name)
                                             for f in library_folders().split(":"))
                           if os.path.exists(path)))
    log = tmp_path / "loader"
    run = run_profiled([python, "-c", NO_CUPTI, str(cudart), str(log)], folder=folder,
                       env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(log),
                            "LD_LIBRARY_PATH": library_folders()})
    assert run.ended_well(), run.explain()
    assert run.stdout.split() == ["True", "0"], run.explain()


def test_the_end_of_one_context_leaves_the_times_of_another(python, folder):
    """On a card every product takes 2 ms: they run while the other context ends."""
    run = run_profiled([python, "-c", RESET_OTHER], folder=folder, ledger=True,
                       faults='{"durations": 2000000}')
    assert run.ended_well(), run.explain()
    assert_all_times_are_there(run)


@pytest.mark.parametrize("init_ms, options", [(2500, ["--delay-ms", "1500"]), (7000, [])])
def test_nothing_calls_cupti_inside_of_a_long_cuinit(python, tmp_path, init_ms, options):
    """Whenever the agent answers, and however long the driver takes."""
    agent = os.path.join(ROOT, "tests", "support", "fake_agent.py")
    out = tmp_path / "records.jsonl"
    command = [sys.executable, agent, "--library", product("lib/libflopsprof_inject.so"),
               "--out", str(out), *options, "--", python, "-c", PRODUCTS]
    environment = dict(os.environ, SIMGPU_FAULTS=json.dumps({"init_ms": init_ms}))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert sum(record["type"] == "activity" for record in records) >= 20


def test_an_agent_that_goes_during_cuinit_is_survived(python, tmp_path):
    agent = os.path.join(ROOT, "tests", "support", "fake_agent.py")
    command = [sys.executable, agent, "--library", product("lib/libflopsprof_inject.so"),
               "--vanish-after", "1", "--", python, "-c", PRODUCTS + "print('whole')"]
    environment = dict(os.environ, SIMGPU_FAULTS='{"init_ms": 3000}', FLOPSPROF_RECONNECT_S="0")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "whole" in done.stdout) == (0, True), done.stdout + done.stderr


# 3.2 MB each, and CUPTI's own limit is 250: six for kernels, and one for each 100,000 nodes of
# graphs that are timed before `--graphs auto` goes over to launches.
@pytest.mark.parametrize("graphs, limit, buffers", [
    ("auto", None, 17), ("auto", "50000", 7), ("graph", None, 6), ("node", None, 250)])
def test_gpu_memory_of_cupti_is_bounded(graphs, limit, buffers, python, folder):
    env = {"FLOPSPROF_GRAPH_NODE_LIMIT": limit} if limit else {}
    run = run_profiled([python, "-c", POOL_LIMIT], "--graphs", graphs, folder=folder, env=env)
    assert run.ended_well(), run.explain()
    assert run.stdout == f"buffers: {buffers}\nthe job's own profiler: 250\n"


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
