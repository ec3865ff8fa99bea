# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Callers that do not reach the hooks by name, on the stand-in GPU, through the whole product:
with LD_PRELOAD and by CUDA_INJECTION64_PATH alone."""

import glob
import os

import pytest
from by_name import library_folders
from flopsprof_run import PROGRAMS, product, run_profiled

# Where scripts/simgpu_jax_env.sh makes it.
JAX = os.path.join(
    os.environ.get("FLOPSPROF_JAX_ENV", os.path.expanduser("~/.cache/flopsprof/sim-env-jax")),
    "bin", "python",
)  # fmt: skip
WAYS = {"preload": [], "injection alone": ["/usr/bin/env", "-u", "LD_PRELOAD"]}


@pytest.fixture(params=WAYS)
def way(request) -> list:
    return WAYS[request.param]


def stand_in(name: str) -> str:
    (path,) = [p for f in library_folders().split(":") for p in glob.glob(os.path.join(f, name))]
    return path


def run(way, folder, command, may_lose=(), **variables):
    done = run_profiled([*way, *command], folder=folder, env=variables)
    assert done.exit_code == 0, done.explain()
    (rank,) = done.summary["ranks"]
    assert set(rank["loss"]) <= set(may_lose), rank["loss"]
    return done.summary


def test_a_table_filled_by_dlsym(way, folder):
    """As XLA has one: opened by path, RTLD_LOCAL. Products of 5 x 2 x 3 and 6 x 2 x 3."""
    command = [product("bin/caller"), "init", f"path={stand_in('libcublas.so.13')}", "fill",
               "table=5", "table=6"]  # fmt: skip
    variables = {"LD_LIBRARY_PATH": library_folders(), "FLOPSPROF_CUPTI": stand_in("libcupti.so.13")}
    summary = run(way, folder, command, **variables)
    assert summary["totals"]["flops"]["other"] == 2 * 5 * 2 * 3 + 2 * 6 * 2 * 3


def test_pytorch(way, python, folder):
    command = [python, os.path.join(PROGRAMS, "jobs", "ends_badly.py"), "return"]
    totals = run(way, folder, command)["totals"]["flops"]
    assert totals["forward"] == 3 * 2 * 4 * (64 * 32 + 32 * 16)


def test_jax(way, folder):
    assert os.path.exists(JAX), "scripts/simgpu_jax_env.sh makes its environment"
    nvidia = os.path.join(os.path.dirname(os.path.dirname(JAX)), "lib", "python*", "site-packages",
                          "nvidia", "*", "lib")  # fmt: skip
    command = [JAX, os.path.join(PROGRAMS, "jobs", "jax_products.py")]
    # XLA's ranges have payloads of its own schemas, which are not read.
    libraries = ":".join(sorted(glob.glob(nvidia)))
    summary = run(way, folder, command, may_lose=("nvtx_dropped",), LD_LIBRARY_PATH=libraries)
    assert summary["totals"]["flops"]["other"] == 3 * 2 * 64 * 128 * 256
