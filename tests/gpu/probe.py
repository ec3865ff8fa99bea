# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Asks CUDA, CUPTI and cuBLAS themselves, without the product: prints one JSON line.

    python probe.py NAME [ARGUMENT...]      NAME: a function of this file
"""

import ctypes
import json
import sys
import time

from cupti import (
    ALREADY_SUBSCRIBED, CONCURRENT_KERNEL, DRIVER, GRAPH_TRACE, MEMSET, RUNTIME, Cupti, field,
)  # fmt: skip
from libraries import Card, Library

BOTH = (CONCURRENT_KERNEL, MEMSET)


def records() -> dict:
    """Products and sets of known sizes, with launch callbacks and without API kinds."""
    card, cupti = Card(), Cupti(keep=True)
    cupti.start(kinds=BOTH)
    before = time.time_ns()
    sizes = [1000 + 8 * i for i in range(40)]
    for size in sizes:
        card.product(256)
        card.fill(size)
    card.wait()
    after = time.time_ns()
    late_s = cupti.flush_until(lambda: len(cupti.rows) >= 2 * len(sizes))
    cupti.stop(BOTH)
    kernels = cupti.kernels()
    sets = [row for row in cupti.rows if row["kind"] == MEMSET]
    slack_ns = 2_000_000
    names = [ctypes.string_at(row["name"]).decode(errors="replace") if row["name"] > 4096 else ""
             for row in kernels]  # fmt: skip
    entered = {}
    for domain, number, correlation, _ in cupti.enters:
        entered.setdefault(domain, []).append((number, correlation))
    return {
        "version": cupti.version(),
        "kernels": len(kernels),
        "sets": len(sets),
        "unmatched": sum(row["correlation"] not in cupti.launches() for row in kernels + sets),
        "bytes_right": sorted(row["bytes"] for row in sets) == sizes,
        "names": sorted(set(names)),
        "nameless": names.count(""),
        "grids_right": sum(0 < row["grid"] < 1 << 20 for row in kernels),
        "out_of_time": sum(not before - slack_ns <= row["start"] < row["end"] <= after + slack_ns
                           for row in kernels + sets),
        "sizes": {kind: sorted(sizes) for kind, sizes in cupti.sizes.items()},
        "late_s": late_s,
        # Of the driver's callbacks inside of the runtime's.
        "runtime_calls": len(entered.get(RUNTIME, [])),
        "driver_calls": len(entered.get(DRIVER, [])),
        "driver_ids_of_the_runtimes": len({c for _, c in entered.get(DRIVER, [])}
                                          & {c for _, c in entered.get(RUNTIME, [])}),
        "callback_ids": sorted({f"{'driver' if d == DRIVER else 'runtime'} {n}"
                                for d, n, _, _ in cupti.enters}),
    }  # fmt: skip


def graphs() -> dict:
    """Node ids of an executable, of its child graphs, and after an update."""
    card, cupti = Card(), Cupti(keep=True)
    cupti.start()
    child = card.captured(lambda: [card.product(64), card.product(96)])
    child_ids = set(cupti.created)
    graph = card.captured(lambda: card.product(128))
    graph_ids = cupti.created - child_ids
    node = ctypes.c_void_p()
    card.cudart.cudaGraphAddChildGraphNode(
        ctypes.byref(node), graph, None, ctypes.c_size_t(0), child
    )
    executable = card.executable(graph)

    def replayed() -> list:
        before = len(cupti.kernels())
        card.replay(executable)
        card.wait()
        cupti.flush_until(lambda: len(cupti.kernels()) >= before + 3)
        return cupti.kernels()[before:]

    first = replayed()

    def known(row) -> bool:
        """Of the graph itself by the rule, of a child by what CLONED has told."""
        found = row["node"]
        if found & 0xFFFFFFFF in {n & 0xFFFFFFFF for n in graph_ids} and found not in cupti.cloned:
            return found >> 32 == row["graph"]
        while found in cupti.cloned:
            found = cupti.cloned[found]
        return found in child_ids | graph_ids

    other = card.captured(lambda: card.product(160))
    card.cudart.cudaGraphAddChildGraphNode(
        ctypes.byref(node), other, None, ctypes.c_size_t(0), child
    )
    result = (ctypes.c_uint64 * 8)()
    card.cudart.cudaGraphExecUpdate(executable, other, result)
    second = replayed()
    launched = {c for domain, n, c, _ in cupti.enters if (domain, n) in ((RUNTIME, 311), (DRIVER, 514))}
    cupti.stop()
    return {
        "kernels": len(first),
        "own_ids": sorted(hex(i) for i in graph_ids),
        "child_ids": sorted(hex(i) for i in child_ids),
        "replayed_ids": sorted(hex(row["node"]) for row in first),
        "clones_told": len(cupti.cloned),
        "unknown": sum(not known(row) for row in first),
        "changed_by_update": len({row["node"] for row in first} ^ {row["node"] for row in second}),
        "replays_unmatched": sum(row["correlation"] not in launched for row in first + second),
    }


def graph_trace() -> dict:
    """GRAPH_TRACE switched on between replays: which records do the replays after it have?"""
    card, cupti = Card(), Cupti(keep=True)
    cupti.start()
    executable = card.executable(card.captured(lambda: [card.product(64) for _ in range(5)]))
    card.replay(executable, 20)
    cupti.call("cuptiActivityEnable", GRAPH_TRACE)
    enabled = len(cupti.enters)
    for _ in range(10):
        card.replay(executable, 20)
        card.wait()
        time.sleep(0.02)
    cupti.flush_until(lambda: len(cupti.rows) >= 20 * 5 + 200, 2)
    after = {c for d, n, c, _ in cupti.enters[enabled:] if (d, n) in ((RUNTIME, 311), (DRIVER, 514))}
    cupti.stop((CONCURRENT_KERNEL, GRAPH_TRACE))
    whole = {row["correlation"] for row in cupti.rows if row["kind"] == GRAPH_TRACE}
    nodes = {row["correlation"] for row in cupti.kernels()}
    replays = sorted(after & (whole | nodes)) or sorted(after)
    last = set(replays[-20:])
    return {
        "replays_after": 200,
        "both": len(whole & nodes),
        "neither": 200 - len((whole | nodes) & after),
        "last_by_node": len(last & nodes),
    }


def memory(limit: str = "", nodes: str = "2000") -> dict:
    """GPU memory in use when so many nodes of a graph were replayed: with CUPTI and its pool limit,
    without CUPTI (""), or under the profiler ("ours", whose limit is read)."""
    card = Card()
    cupti = Cupti(keep=False) if limit else None
    if limit.isdigit():
        cupti.bound_memory(int(limit))
        cupti.start(with_callbacks=False)
    executable = card.executable(card.captured(lambda: [card.product(64) for _ in range(1000)]))
    card.replay(executable)
    card.wait()
    first = card.used_bytes()
    for _ in range(int(nodes) // 1000 // 20 + 1):
        card.replay(executable, 20)
        card.wait()
        if limit.isdigit():
            cupti.flush()
    found = {"first": first, "all": card.used_bytes()}
    if limit:
        found["limit"] = cupti.pool_limit()
    if limit.isdigit():
        cupti.stop()
    return found


def finalize() -> dict:
    """cuptiFinalize at the exit of an API call, and a second start."""
    card, found = Card(), {}
    for start in ("first", "second"):
        cupti = Cupti(keep=True)
        try:
            cupti.start()
        except RuntimeError as error:
            found[start] = str(error)
            break
        for _ in range(50):
            card.product(64)
        card.wait()
        cupti.flush_until(lambda: len(cupti.rows) >= 50)  # noqa: B023 - called at once
        cupti.flush(forced=True)
        cupti.call("cuptiActivityDisable", CONCURRENT_KERNEL)
        status = []

        def end() -> None:
            cupti.call("cuptiUnsubscribe", cupti.subscriber)  # noqa: B023
            status.append(cupti.library.cuptiFinalize())  # noqa: B023

        cupti.at_exit = end
        begin = time.monotonic()
        card.product(64)
        found[start] = len(cupti.kernels())
        found[f"{start}_finalize"] = status[0] if status else "no exit callback came"
        found[f"{start}_finalize_s"] = time.monotonic() - begin
        ids = [row["correlation"] for row in cupti.kernels()] or [0]
        found[f"{start}_ids"] = f"{min(ids)} to {max(ids)}"
    card.product(64)
    card.wait()
    return found


def buffers_back() -> dict:
    """How many buffers CUPTI still has when it has nothing to record any more."""
    card, cupti = Card(), Cupti(keep=True)
    cupti.start(kinds=BOTH)
    for _ in range(50):
        card.product(64)
    card.wait()
    for kind in BOTH:
        cupti.call("cuptiActivityDisable", kind)
    status = cupti.library.cuptiActivityFlushAll(1)
    time.sleep(0.5)  # given back on a thread of CUPTI's
    return {"kernels": len(cupti.kernels()), "flush": status, "kept": len(cupti.buffers)}


def subscribers() -> dict:
    card, first, second = Card(), Cupti(keep=False), Cupti(keep=False)
    first.start()
    card.product(64)
    status = second.library.cuptiSubscribe(ctypes.byref(second.subscriber), second.hooks[0], None)
    first.stop()
    return {"second": status, "expected": ALREADY_SUBSCRIBED}


def products() -> dict:
    """What one cuBLAS call launches, and from which threads."""
    import threading

    card, cupti = Card(), Cupti(keep=True)
    cupti.start(kinds=BOTH)
    shapes = ((64, 64, 64), (256, 256, 256), (16, 16, 1 << 16), (8, 8192, 8), (1024, 1024, 1024))
    by_shape, elsewhere = {}, 0
    for shape in shapes:
        begin = len(cupti.enters)
        card.product(*shape)
        made = cupti.enters[begin:]
        by_shape["x".join(map(str, shape))] = len({correlation for _, _, correlation, _ in made})
        elsewhere += sum(thread != threading.get_native_id() for *_, thread in made)
    card.wait()
    refused = len(cupti.enters)
    try:
        card.product(64, leading=1)
        bad = "accepted"
    except RuntimeError as error:
        bad = str(error)
    launched = len(cupti.enters) - refused
    cupti.stop(BOTH)
    return {"launches": by_shape, "from_other_threads": elsewhere, "bad_arguments": bad,
            "launched_by_bad_arguments": launched}  # fmt: skip


def context_end() -> dict:
    """Are records still to be had in the callback of a context that ends?"""
    card, cupti = Card(), Cupti(keep=True)
    cupti.start()
    for _ in range(50):
        card.product(64)
    card.wait()
    cupti.at_context_end = lambda: cupti.flush(forced=True)
    card.cudart.cudaDeviceReset()
    return {"kernels": len(cupti.kernels())}


def lt_words() -> dict:
    """cublasLt's opaque descriptors: what the getters say, and whether their words show it."""
    lt = Library("libcublasLt.so")
    layout, desc = (ctypes.c_uint64 * 64)(), (ctypes.c_uint64 * 64)()
    rows, columns, batch, one = 0x123456789, 0x1A2B3C4D5E, 0x76543210, ctypes.c_size_t()
    lt.cublasLtMatrixLayoutInit_internal(
        layout, ctypes.c_size_t(64), 2, ctypes.c_uint64(rows), ctypes.c_uint64(columns),
        ctypes.c_int64(rows),
    )  # fmt: skip
    lt.cublasLtMatrixLayoutSetAttribute(
        layout, 5, ctypes.byref(ctypes.c_int32(batch)), ctypes.c_size_t(4)
    )
    lt.cublasLtMatmulDescInit_internal(desc, ctypes.c_size_t(256), 68, 0)
    for attribute, value in ((3, 1), (7, 2)):
        lt.cublasLtMatmulDescSetAttribute(
            desc, attribute, ctypes.byref(ctypes.c_uint32(value)), ctypes.c_size_t(4)
        )

    def got(function, of, attribute, type_) -> int:
        value = type_()
        function(of, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)),
                 ctypes.byref(one))  # fmt: skip
        return value.value

    u32, u64 = ctypes.c_uint32, ctypes.c_uint64
    of_layout, of_desc = lt.cublasLtMatrixLayoutGetAttribute, lt.cublasLtMatmulDescGetAttribute
    expected = {"type": 2, "rows": rows, "columns": columns, "batch": batch, "compute": 68,
                "trans_a": 1, "epilogue": 2}  # fmt: skip
    getters = {
        "type": got(of_layout, layout, 0, u32), "rows": got(of_layout, layout, 2, u64),
        "columns": got(of_layout, layout, 3, u64), "batch": got(of_layout, layout, 5, u32),
        "compute": got(of_desc, desc, 0, u32), "trans_a": got(of_desc, desc, 3, u32),
        "epilogue": got(of_desc, desc, 7, u32),
    }  # fmt: skip
    # LayoutWords and DescWords of injector/hooks/cublas/cublaslt_descriptors.cc.
    here, there = ctypes.addressof(layout), ctypes.addressof(desc)
    words = {
        "type": field(here, 0, u32), "rows": field(here, 8, u64),
        "columns": field(here, 16, u64), "batch": field(here, 32, u32),
        "compute": field(there, 8, u32), "trans_a": field(there, 20, u32),
        "epilogue": field(there, 36, u32),
    }  # fmt: skip
    return {"getters_wrong": [k for k in expected if getters[k] != expected[k]],
            "words_differ": [k for k in expected if words[k] != expected[k]]}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
