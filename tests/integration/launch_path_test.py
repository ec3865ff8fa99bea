# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the injector does on a launching thread, warm: no allocation, no system call, no loader's lock.

The library that ships is watched from outside (tests/programs/launch_path/watch.c). What a library
does behind its hook is the program's.
"""

import os
import re
import sqlite3
import subprocess
import sys

import by_name
import pytest
from flopsprof_run import PROGRAMS, product, run_profiled

FOLDER = os.path.join(PROGRAMS, "launch_path")
CALLS = os.path.join(PROGRAMS, "library_calls")
# Functions of ours that stand in front of one of another name, and that one.
FORWARDS = [(r"EvaluateFollowed|OnEvaluate", r".*evaluate_function.*"),
            (r"_GLOBAL__N_1L?4HookE", r"\?|_?Py\w*"),  # of Python: it is not exported
            # Of the runtime, by the address that dlsym gave: it is not exported under a name.
            (r"_GLOBAL__N_1L?(5Begin|3End|6Launch|7Destroy|11Instantiate)E", r"\?|cu(da)?Graph\w*"),
            (r"^cudaMalloc$", r"\?")]
# The program's own call of the loader, not of a library.
ANSWERS = re.compile(r"flopsprof_(answer|before)_dlsym|8injector9AnswerForERK")
# README's list: a plan that is new to the program's second run too, and a batch above 1,024 sequences.
NEW_PLAN_OR_BATCH = re.compile(r"SendPlanDescription|OwnCudnnDescriptor|ReadCudnnSequences")
FIRST_RECORD = re.compile("MakeThreadState|EnsureRing")
MOST_NEW_THREADS = 2
TIMES = "6"  # some 4,000 calls: what grows would have to


@pytest.fixture(scope="module")
def watch(tmp_path_factory):
    out = str(tmp_path_factory.mktemp("watch") / "watch.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", out,
                    os.path.join(FOLDER, "watch.c")], check=True)
    return out


def places(offsets: list) -> dict:
    """offset -> (inlined chain, outermost function), of the injector."""
    if not offsets:
        return {}
    library = product("lib/libflopsprof_inject.so")
    # A return address is behind the call.
    before = [hex(int(offset, 16) - 1) for offset in offsets]
    out = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", library, *before], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    chains = [part.splitlines()[1::2] for part in re.split(r"^0x", out, flags=re.M)[1:]]
    return dict(zip(offsets, chains))


def sins(path: str, listed=None) -> tuple:
    """(what the injector did and where, a line each; what was seen of the program at all)."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    seen = [int(number) for number in next(row for row in rows if row[0] == "seen")[1:4]]
    rows = [row for row in rows if row[0] != "seen"]
    chains = places(sorted({row[1] for row in rows}))
    found = []
    for kind, offset, library, function, count in rows:
        chain = chains[offset]
        is_forward = function == chain[-1] or any(
            re.search(ours, chain[0]) and re.fullmatch(theirs, function)
            for ours, theirs in FORWARDS)
        # CUPTI's own threads come by for the first time at any moment: README's list of first times.
        if int(count) <= MOST_NEW_THREADS and FIRST_RECORD.search(" ".join(chain)):
            continue
        if listed and listed.search(" ".join(chain)):
            continue
        if not is_forward and not ANSWERS.search(" ".join(chain)):
            found.append(f"{kind}, {count} times, by {function} of {library}, called by "
                         f"{' in '.join(chain)}")
    text = subprocess.run(["c++filt"], input="\n".join(found), check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return text, seen


def watched(command, watch, tmp_path, allocations=100, listed=None, **env):
    out = str(tmp_path / "events")
    run = run_profiled(command, folder=str(tmp_path / "run"), timeout=400,
                       env={"LD_PRELOAD": watch, "LAUNCH_PATH_OUT": out, **env})
    assert run.ended_well() and "done" in run.stdout, run.explain()
    found, seen = sins(out, listed)
    # Else nothing was watched. The calls alone make no system call, nor does the program.
    assert seen[0] > allocations and (seen[1] > 0 or "LAUNCH_PATH_AGAIN" in env) and seen[2] > 0, seen
    with sqlite3.connect(os.path.join(run.folder, "profile.db")) as database:
        calls = dict(database.execute("SELECT api, sum(calls) FROM calls GROUP BY api"))
    return found, calls


@pytest.mark.parametrize("modules, backward", [("swap", "engine"), ("hooks", "callback")])
def test_a_training_step(modules, backward, watch, python, tmp_path):
    found, calls = watched([python, os.path.join(FOLDER, "job.py")], watch, tmp_path,
                           FLOPSPROF_MODULE_HOOK=modules, FLOPSPROF_BACKWARD=backward)
    assert found == ""
    # All that the step is there for did come by our hooks.
    assert {"aten::_flash_attention_forward", "cublasLtMatmul", "cublasSgemm_v2",
            "cublasSgemmStridedBatched", "cudnnBackendExecute",
            "cudnnRNNForward", "cudnnRNNBackwardData_v8", "cusparseSpMM",
            "ncclAllReduce"} <= set(calls), sorted(calls)


# Program, its argument, the libraries that it is linked to, calls that have to be among those seen.
PROGRAMS_OF_CALLS = {
    "cudnn": ("cudnn_calls/cudnn_calls.cc", "every",
              {"cudnn": "libcudnn.so.9", "cu13": "libcudart.so.13"},
              {"cudnnConvolutionForward", "cudnnConvolutionBackwardData",
               "cudnnConvolutionBackwardFilter", "cudnnRNNForward", "cudnnMultiHeadAttnForward",
               "cudnnMultiHeadAttnBackwardWeights", "cudnnBackendExecute"}),
    "descriptors and collectives": (
        "library_calls/matmul.c", "", {"cu13": "libcublasLt.so.13 libcudart.so.13",
                                       "nccl": "libnccl.so.2"},
        {"cublasLtMatmul", "ncclAllGather", "ncclReduceScatter", "ncclBroadcast", "ncclSend"}),
    "sparse": ("library_calls/sparse.c", "sparse", {"cu13": "libcublas.so.13 libcusparse.so.12"},
               {"cusparseSpMM", "cusparseSpMV", "cusparseSDDMM"}),
}


@pytest.mark.parametrize("name", PROGRAMS_OF_CALLS)
def test_calls_with_descriptors_of_their_own(name, watch, tmp_path):
    source, argument, libraries, wanted = PROGRAMS_OF_CALLS[name]
    program = by_name.compiled(os.path.join(PROGRAMS, source), str(tmp_path / "program"), "link",
                               libraries)
    cupti = os.path.join(by_name.nvidia(), "cu13", "lib", "libcupti.so.13")
    found, calls = watched([program, *argument.split()], watch, tmp_path, allocations=10,
                           listed=NEW_PLAN_OR_BATCH, LAUNCH_PATH_AGAIN="1", FLOPSPROF_CUPTI=cupti)
    assert found == ""
    assert wanted <= set(calls), sorted(calls)


def test_each_library_call(watch, tmp_path):
    source, program = str(tmp_path / "calls.c"), str(tmp_path / "calls")
    subprocess.run([sys.executable, os.path.join(CALLS, "make_calls.py"), source], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["gcc", "-w", "-O0", "-o", program, source, "-ldl"], check=True)
    folder = os.path.join(by_name.nvidia(), "cu13", "lib")
    found, calls = watched([program, "dlopen", by_name.nvidia() + "/cu13/lib"], watch, tmp_path,
                           LAUNCH_PATH_AGAIN=TIMES,
                           FLOPSPROF_CUPTI=os.path.join(folder, "libcupti.so.13"))
    assert found == ""
    assert len(calls) > 500 and sum(calls.values()) > 4000
