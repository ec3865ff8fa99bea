# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Our own declarations of CUPTI against the headers of every CUDA release from 12.0 that PyPI has.

CUPTI writes the newest version of a record that it knows, and the profiler reads it without its
headers: each version of each record must have the fields where `cupti_types.h` says, and each
callback id that puts work on a GPU must be one that `cupti_cbids.h` names, and no other.
"""

import os
import re
import subprocess

import pytest

from flopsprof_run import ROOT, cache_folder

FOLDER = os.path.join(cache_folder(), "cuda-headers")

# Our layout: the record's name in cupti_activity.h, its oldest version that CUDA 12 and 13 write.
RECORDS = {
    "kKernelLayout": ("Kernel", 4),
    "kMemcpyLayout": ("Memcpy", 1),
    "kMemcpyPeerLayout": ("MemcpyPtoP", 1),
    "kMemsetLayout": ("Memset", 1),
    "kGraphTraceLayout": ("GraphTrace", 1),
}
COMMON = {"start": "start", "end": "end", "device": "deviceId", "context": "contextId",
          "stream": "streamId", "correlation": "correlationId"}
FIELDS = {
    "kKernelLayout": {"name": "name", "grid": "gridX"},
    "kMemcpyLayout": {"bytes": "bytes", "copy_kind": "copyKind"},
    "kMemcpyPeerLayout": {"bytes": "bytes", "copy_kind": "copyKind"},
    "kMemsetLayout": {"bytes": "bytes"},
    "kGraphTraceLayout": {"graph": "graphId"},
}
GRAPH_FIELDS = {"graph_node": "graphNodeId", "graph": "graphId"}

CONSTANTS = {
    "kCuptiSuccess": "CUPTI_SUCCESS",
    "kCuptiMaxLimitReached": "CUPTI_ERROR_MAX_LIMIT_REACHED",
    "kCuptiInvalidKind": "CUPTI_ERROR_INVALID_KIND",
    "kCuptiMultipleSubscribers": "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
    "kCuptiDriverApi": "CUPTI_CB_DOMAIN_DRIVER_API",
    "kCuptiRuntimeApi": "CUPTI_CB_DOMAIN_RUNTIME_API",
    "kCuptiResource": "CUPTI_CB_DOMAIN_RESOURCE",
    "kCuptiApiEnter": "CUPTI_API_ENTER",
    "kCuptiMemcpy": "CUPTI_ACTIVITY_KIND_MEMCPY",
    "kCuptiMemset": "CUPTI_ACTIVITY_KIND_MEMSET",
    "kCuptiKernel": "CUPTI_ACTIVITY_KIND_KERNEL",
    "kCuptiConcurrentKernel": "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
    "kCuptiOverhead": "CUPTI_ACTIVITY_KIND_OVERHEAD",
    "kCuptiMemcpyPeer": "CUPTI_ACTIVITY_KIND_MEMCPY2",
    "kCuptiGraphTrace": "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "kCuptiFlushForced": "CUPTI_ACTIVITY_FLAG_FLUSH_FORCED",
    "kCuptiGraphNodeCreated": "CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED",
    "kCuptiGraphNodeCloned": "CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED",
    "kNodeKernel": "CU_GRAPH_NODE_TYPE_KERNEL",
    "kNodeMemcpy": "CU_GRAPH_NODE_TYPE_MEMCPY",
    "kNodeMemset": "CU_GRAPH_NODE_TYPE_MEMSET",
}
STRUCTS = {
    ("CuptiCallbackData", "CUpti_CallbackData"): {
        "callback_site": "callbackSite", "function_params": "functionParams",
        "symbol_name": "symbolName", "context": "context", "correlation_data": "correlationData",
        "correlation_id": "correlationId"},
    ("CuptiResourceData", "CUpti_ResourceData"): {"descriptor": "resourceDescriptor"},
    ("CuptiGraphData", "CUpti_GraphData"): {
        "graph": "graph", "node": "node", "original_node": "originalNode",
        "node_type": "nodeType", "executable": "graphExec"},
}

# Names of calls that put work on a GPU: launches, graphs, copies, sets.
WORK = {
    "runtime": r"(__)?cuda(Launch(?!HostFunc)|GraphLaunch|Memcpy|Memset)",
    "driver": r"cu(64)?(Launch(?!HostFunc)|GraphLaunch|SubgridScheduleLaunch|Memcpy|Memset)",
}
# All others that sound like it, each with the reason why it is none of ours.
SOUNDS_LIKE_WORK = r".*(Launch|Memcpy|Memset|Decompress|Prefetch)"
NOT_OURS = {
    r"cu(da)?LaunchHostFunc": "runs on the CPU",
    r"cu(da)?Mem(DiscardAnd)?Prefetch": "moves pages: CUPTI has no copy record of it",
    r"cuMemBatchDecompress": "the decompression engine: CUPTI has records of another kind for it",
    r"cu(da)?Graph(Exec|Add)?(Memcpy|Memset)Node": "makes or edits a node of a graph",
}


def versions() -> list:
    """Those of scripts/cuda_headers.sh: one that was not fetched is a failure, no skip."""
    script = open(os.path.join(ROOT, "scripts", "cuda_headers.sh"), encoding="utf-8").read()
    return re.search(r"^versions=\((.*)\)$", script, re.M).group(1).split()


def header(version: str, name: str) -> str:
    path = os.path.join(FOLDER, version, "include", name)
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def ours(table: str) -> set:
    """The callback ids of one table of cupti_cbids.h."""
    path = os.path.join(ROOT, "injector", "cupti", "cupti_cbids.h")
    with open(path, encoding="utf-8") as file:
        body = file.read().split(table + "[]", 1)[1].split("};", 1)[0]
    ranges = re.findall(r"\{(\d+), (\d+)\}", body)
    assert ranges
    return {n for first, last in ranges for n in range(int(first), int(last) + 1)}


def checks(version: str) -> list:
    """static_asserts for one release."""
    declared = header(version, "cupti_activity.h")
    if float(version) >= 12.3:  # older versions of records have a header of their own
        declared += header(version, "cupti_activity_deprecated.h")
    lines = []
    for layout, (record, oldest) in RECORDS.items():
        found = re.findall(rf"\}} CUpti_Activity{record}(\d*);", declared)
        numbers = sorted(int(n or 1) for n in found if int(n or 1) >= oldest)
        # Older versions stay declared: nothing is ever taken away.
        assert numbers and numbers[0] == oldest, (version, record, found)
        for n in numbers:
            kind = f"CUpti_Activity{record}{n if n > 1 else ''}"
            body = declared[: declared.index("} " + kind + ";")].rsplit("typedef struct", 1)[1]
            fields = dict(COMMON, **FIELDS[layout])
            if layout != "kGraphTraceLayout":
                fields.update({mine: theirs for mine, theirs in GRAPH_FIELDS.items()
                               if n == numbers[-1] or theirs + ";" in body})
            lines += [f"static_assert({layout}.{mine} == offsetof({kind}, {theirs}));"
                      for mine, theirs in fields.items()]
            lines.append(f"static_assert({layout}.least_bytes <= sizeof({kind}));")
            if layout == "kKernelLayout":
                lines += [f"static_assert({layout}.grid + 4 == offsetof({kind}, gridY));",
                          f"static_assert({layout}.grid + 8 == offsetof({kind}, gridZ));"]
    for n in re.findall(r"\} CUpti_ActivityOverhead(\d*);", declared):
        lines += [f"static_assert(kOverheadStart == offsetof(CUpti_ActivityOverhead{n}, start));",
                  f"static_assert(kOverheadEnd == offsetof(CUpti_ActivityOverhead{n}, end));",
                  f"static_assert(kOverheadLeastBytes <= sizeof(CUpti_ActivityOverhead{n}));"]
    lines += [f"static_assert(static_cast<long>({mine}) == static_cast<long>({theirs}));"
              for mine, theirs in CONSTANTS.items()]
    for (mine, theirs), fields in STRUCTS.items():
        lines += [f"static_assert(offsetof({mine}, {a}) == offsetof({theirs}, {b}));"
                  for a, b in fields.items()]
    return lines


def compile_checks(lines: list, version: str, folder) -> subprocess.CompletedProcess:
    source = folder / "checks.cc"
    source.write_text("#include <cuda.h>\n#include <cupti.h>\n#include <stddef.h>\n"
                      '#include "injector/cupti/cupti_types.h"\n'
                      "using namespace flopsprof::injector;\n" + "\n".join(lines) + "\n")
    return subprocess.run(
        ["c++", "-std=c++20", "-fsyntax-only", "-w", "-I", ROOT, "-isystem",
         os.path.join(FOLDER, version, "include"), str(source)],
        capture_output=True, text=True, check=False)


@pytest.mark.parametrize("version", versions())
def test_records_are_laid_out_as_we_read_them(version, tmp_path):
    lines = checks(version)
    assert len(lines) > 100
    done = compile_checks(lines, version, tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize("domain, table", [("runtime", "kRuntimeCbids"),
                                           ("driver", "kDriverCbids")])
@pytest.mark.parametrize("version", versions())
def test_callbacks_are_those_of_the_calls_that_put_work_on_a_gpu(version, domain, table):
    prefix = f"CUPTI_{domain.upper()}_TRACE_CBID_"
    ids = {int(number): name for name, number in re.findall(
        prefix + r"(\w+)\s*=\s*(\d+)", header(version, f"cupti_{domain}_cbid.h"))}
    assert len(ids) > 300
    mine = ours(table)
    work = {n for n, name in ids.items() if re.match(WORK[domain], name)}
    assert {n: ids[n] for n in work - mine} == {}
    undecided = [name for n, name in ids.items() if n not in work
                 and re.match(SOUNDS_LIKE_WORK, name)
                 and not any(re.match(pattern, name) for pattern in NOT_OURS)]
    assert undecided == [], "work on a GPU or not? Add them to cupti_cbids.h, or to NOT_OURS"
    # Names that NVIDIA has withdrawn are left as cudaN or reservedN; they are never called.
    others = {n: ids[n] for n in mine & set(ids) - work}
    assert {n: name for n, name in others.items() if not re.fullmatch(r"(cuda|reserved)\d+", name)} == {}
    launches = {n for n, name in ids.items() if re.match(r"cu(da)?GraphLaunch(_|$)", name)}
    assert launches == ({311, 312} if domain == "runtime" else {514, 515})


def test_a_field_elsewhere_is_seen(tmp_path):
    """The check can say no: a field that lies where another one does."""
    version = versions()[0]
    done = compile_checks(["static_assert(kKernelLayout.start == "
                           "offsetof(CUpti_ActivityKernel9, end));"], version, tmp_path)
    assert done.returncode != 0 and re.search("static.assert", done.stderr)
