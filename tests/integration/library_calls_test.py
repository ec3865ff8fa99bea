# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Each hooked function of cuBLAS, cuSOLVER, cuSPARSE and cuFFT: linked, by dlopen, by dlsym.

The numbers are worked out by hand in tests/programs/library_calls.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys

import by_name
import pytest
from flopsprof_run import PROGRAMS, ROOT, run_profiled

sys.path.insert(0, os.path.join(ROOT, "injector", "hooks", "table"))
import api_rules  # noqa: E402
import scan_exports  # noqa: E402

FOLDER = os.path.join(PROGRAMS, "library_calls")
LIBRARIES = ["libcublas.so.13", "libcusolver.so.12", "libcusparse.so.12", "libcufft.so.12"]

COLLECTIVES = [f"nccl{name}" for name in (
    "AllGather", "AllReduce", "AlltoAll", "Bcast", "Broadcast", "Gather", "Recv", "Reduce",
    "ReduceScatter", "Scatter", "Send")]
# Beside the generated program: those that make objects first.
OTHERS = [os.path.join(FOLDER, "matmul.c"), os.path.join(FOLDER, "sparse.c"),
          os.path.join(PROGRAMS, "cudnn_calls", "cudnn_calls.cc")]
# Of api_table.toml, but no work of their own: they tell of plans, sessions, communicators
# and graphs.
TELLS = re.compile(r"cublasCreate_v2|cudnnBackend(Set|Get|Destroy).*|ncclGroup(Start|End)"
                   r"|ncclComm(Init.*|Split|Shrink|Destroy|Abort)|cu(da)?(Graph|Stream|Malloc|GetDeviceCount).*"
                   r"|cupti.*|_.*|quick_exit|dl.*")


def expectations() -> list:
    """(pattern, flops of real types, of complex types), or (pattern, None, reason)."""
    rows = []
    with open(os.path.join(FOLDER, "expected.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                pattern, first, second = line.split(maxsplit=2)
                unknown = first == "?"
                rows.append((re.compile(pattern), None if unknown else int(first),
                             second.strip() if unknown else int(second)))
    return rows


def expected(name: str, rows: list):
    """Flops, or the beginning of the reason."""
    base = re.sub(r"(_v2)?(_64)?$", "", name)
    _, real, other = next(row for row in rows if row[0].fullmatch(base))
    if real is None:
        return other
    is_complex = re.match(r"(cublas|cublasXt|cusolverDn)[CZ]", base) is not None
    return other if is_complex else real


def nvidia() -> str:
    return os.path.join(by_name.nvidia(), "cu13")


def compiled(source: str, out: str, *options: str, linked: bool) -> str:
    command = ["gcc", "-w", "-O0", "-o", out, *options, f"-I{nvidia()}/include", source]
    if linked:
        command += [f"-L{nvidia()}/lib", *[f"-l:{name}" for name in LIBRARIES],
                    "-l:libcudart.so.13", "-Wl,--allow-shlib-undefined",
                    f"-Wl,-rpath,{nvidia()}/lib"]
    subprocess.run([*command, "-ldl"], check=True, timeout=120)
    return out


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """(names of the calls, path of the C file)."""
    source = str(tmp_path_factory.mktemp("calls") / "calls.c")
    done = subprocess.run([sys.executable, os.path.join(FOLDER, "make_calls.py"), source],
                          check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.split(), source


def rows_of(command: list, tmp_path, **more) -> list:
    cupti = os.path.join(nvidia(), "lib", "libcupti.so.13")
    run = run_profiled(command, folder=str(tmp_path / "run"), timeout=120,
                       env={"FLOPSPROF_CUPTI": cupti}, **more)
    assert run.ended_well(), run.explain()
    assert "done" in run.stdout
    with sqlite3.connect(os.path.join(run.folder, "profile.db")) as database:
        return database.execute(
            "SELECT api, shape, calls, flops_low, flops_known, kernels FROM calls "
            "ORDER BY api, shape"
        ).fetchall()


@pytest.mark.parametrize("way", ["link", "dlopen", "dlsym"])
def test_every_call_is_counted_as_by_hand(calls, way, tmp_path):
    names, source = calls
    assert len(names) > 1000
    linked = way == "link"
    program = compiled(source, str(tmp_path / "calls"), *(["-DLINKED"] if linked else []),
                       linked=linked)
    rows = rows_of([program, way, nvidia() + "/lib"], tmp_path)
    counted, count = {}, {}
    assert [row for row in rows if row[5] == 0 and not (row[4] and row[3] == 0)] == []
    for api, shape, times, flops, known, _ in rows:
        counted.setdefault(api, set()).add(flops // times if known else shape)
        count[api] = count.get(api, 0) + times
    hand = expectations()
    known_names = set(names)
    wrong, wanted_count = [], {}
    for name in names:
        # The call with 64-bit sizes is the same one to the reader.
        base = name.removesuffix("_64")
        api = base if base in known_names or base in counted else name
        wanted_count[api] = wanted_count.get(api, 0) + 1
        want, got = expected(name, hand), counted.get(api)
        right = got == {want} if isinstance(want, int) else \
            got is not None and all(str(g).startswith("unknown: " + want) for g in got)
        if not right:
            wrong.append(f"{name}: by hand {want}, counted {got}")
    assert wrong == []
    assert {api: n for api, n in count.items() if wanted_count.get(api) != n} == {}


def counted_calls() -> set:
    """The name of each call of which an exact number is made, without `_64`."""
    own = scan_exports.own_table()
    entries, _ = api_rules.entries(own)
    exact = {entry.base for entry in entries if entry.kind in ("product", "grouped", "formula")}
    return exact | {name for name in own if not TELLS.fullmatch(name)}


def test_each_counted_call_is_made_or_named_with_a_reason(calls):
    made = {name.removesuffix("_64") for name in calls[0]}
    for path in OTHERS:
        with open(path, encoding="utf-8") as file:
            made.update(by_name.called_names(file.read()))
    with open(os.path.join(FOLDER, "not_called.txt"), encoding="utf-8") as file:
        reasons = [line.split(maxsplit=1) for line in file if line.strip() and line[0] != "#"]
    missing = counted_calls() - made
    unexplained = [name for name in missing
                   if not any(re.fullmatch(pattern, name) for pattern, _ in reasons)]
    assert sorted(unexplained) == []
    stale = [pattern for pattern, _ in reasons
             if not any(re.fullmatch(pattern, name) for name in missing)]
    assert stale == []


@pytest.mark.parametrize("way", by_name.WAYS)
def test_products_of_descriptors_and_collectives(way, tmp_path):
    program = by_name.compiled(os.path.join(FOLDER, "matmul.c"), str(tmp_path / "matmul"), way,
                               {"cu13": "libcublasLt.so.13 libcudart.so.13", "nccl": "libnccl.so.2"})
    rows = rows_of([program], tmp_path)
    assert sorted(row[2:4] for row in rows if row[0] == "cublasLtMatmul" and row[4]) == [
        (1, 2 * 3 * 5 * 7), (1, 4 * 2 * 3 * 5 * 7), (1, 8 * 3 * 5 * 7), (1, 2 * 16 * 32 * 8)]
    once = [row[0] for row in rows if row[0].startswith("nccl") and row[2] == 1 and row[4]]
    assert once == COLLECTIVES
    assert all("count=1000 type=f32 ranks=1" in row[1] for row in rows if row[0] in COLLECTIVES)


@pytest.mark.parametrize("way", by_name.WAYS)
def test_sparse_products_count_their_nonzeros(way, tmp_path):
    program = by_name.compiled(os.path.join(FOLDER, "sparse.c"), str(tmp_path / "sparse"), way,
                               {"cu13": "libcublas.so.13 libcusparse.so.12"})
    rows = rows_of([program, "sparse"], tmp_path)
    # 11 nonzeros; 9 columns; inner size 9, or 8 when transposed.
    assert sorted((api, calls, flops) for api, _, calls, flops, known, _ in rows if known) == [
        ("cusparseSDDMM", 1, 2 * 11 * 8), ("cusparseSDDMM", 1, 2 * 11 * 9),
        ("cusparseSpMM", 1, 2 * 11 * 9), ("cusparseSpMM", 1, 3 * 2 * 11 * 9),
        ("cusparseSpMV", 1, 2 * 11), ("cusparseSpMV", 1, 8 * 11)]
    assert sorted((api, shape) for api, shape, _, _, known, _ in rows if not known) == [
        ("cusparseSpMM", "unknown: a handle or descriptor could not be read"),
        ("cusparseSpMV", "unknown: a handle or descriptor could not be read"),
        ("cusparseSpMV", "unknown: no formula for this function")]


def test_bad_arguments_are_unknown_with_their_reason(tmp_path):
    """Calls that the stand-in takes; the real library would refuse most of them."""
    program = compiled(os.path.join(FOLDER, "sparse.c"), str(tmp_path / "bad"), linked=True)
    rows = rows_of([program, "bad"], tmp_path)
    assert [(api, calls, flops) for api, _, calls, flops, known, _ in rows if known] == [
        ("cublasDgemmGroupedBatched", 1, 0),  # no group
        ("cublasSsymm_v2", 1, 90)]  # without a handle, but with sizes
    assert [(api, shape, calls) for api, shape, calls, _, known, _ in rows if not known] == [
        ("cublasAxpyEx", "unknown: unknown data type", 1),
        ("cublasDgemmGroupedBatched",
         "sizes unknown (more parts than can be recorded) a=f64 b=f64 c=f64", 1),
        ("cublasSaxpy_v2", "unknown: a size is negative or too large", 1),
        ("cublasSgemmGroupedBatched",
         "sizes unknown (a handle or descriptor could not be read) a=f32 b=f32 c=f32", 1),
        ("cublasSsymm_v2", "unknown: a size is negative or too large", 3),
        ("cublasSsyrk_v2", "unknown: a size is negative or too large", 1)]


def test_calls_that_the_library_refuses_count_nothing(tmp_path):
    program = compiled(os.path.join(FOLDER, "sparse.c"), str(tmp_path / "refused"), linked=True)
    refused = {name: True for name in ("cublasSsymm_v2", "cublasSsymm_v2_64", "cusparseSpMV",
                                       "cublasDgemmGroupedBatched")}
    rows = rows_of([program, "bad"], tmp_path, faults=json.dumps({"fail": refused}))
    assert {row[0] for row in rows} == {"cublasAxpyEx", "cublasSaxpy_v2", "cublasSgemmGroupedBatched", "cublasSsyrk_v2"}
