# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The few CUPTI calls that the probes need, through ctypes, by the published interface."""

import ctypes
import threading
import time

from libraries import library

RUNTIME, DRIVER, RESOURCE = 2, 1, 3  # CUpti_CallbackDomain
# CUpti_ActivityKind
MEMCPY, MEMSET, KERNEL, RUNTIME_KIND, CONCURRENT_KERNEL, GRAPH_TRACE = 1, 2, 3, 5, 10, 51
NODE_CREATED, NODE_CLONED, CONTEXT_DESTROY_STARTING = 13, 20, 2  # CUpti_CallbackIdResource
ALREADY_SUBSCRIBED = 39
POOL_LIMIT = 2  # CUpti_ActivityAttribute
# What puts work on a GPU, by callback id: (domain, id).
LAUNCHES = (
    (RUNTIME, 211), (RUNTIME, 214), (RUNTIME, 430), (RUNTIME, 431), (RUNTIME, 505),
    (RUNTIME, 506), (DRIVER, 307), (DRIVER, 442), (DRIVER, 652), (DRIVER, 653),
)  # fmt: skip
OTHER_WORK = ((RUNTIME, 51), (RUNTIME, 311), (DRIVER, 514), (DRIVER, 216))
BUFFER_BYTES = 1 << 20
CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p
)
REQUESTED = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
    ctypes.POINTER(ctypes.c_size_t),
)  # fmt: skip
COMPLETED = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
)
# Where fields lie that the injector reads (injector/cupti/cupti_types.h): name -> (offset, type).
U32, U64 = ctypes.c_uint32, ctypes.c_uint64
FIELDS = {
    CONCURRENT_KERNEL: {"start": (16, U64), "end": (24, U64), "device": (40, U32),
                        "grid": (52, U32), "correlation": (92, U32), "name": (104, U64),
                        "node": (144, U64), "graph": (156, U32)},
    MEMSET: {"start": (16, U64), "end": (24, U64), "bytes": (8, U64), "correlation": (44, U32),
             "node": (64, U64)},
    GRAPH_TRACE: {"start": (8, U64), "end": (16, U64), "correlation": (4, U32),
                  "graph": (28, U32)},
}  # fmt: skip
FIELDS[KERNEL] = FIELDS[CONCURRENT_KERNEL]
DATA_SITE, DATA_CORRELATION = 0, 64  # CUpti_CallbackData


def field(address: int, offset: int, kind) -> int:
    return kind.from_address(address + offset).value


class Cupti:
    """Collects launch callbacks, graph callbacks and records, or throws the records away (`keep`
    false: the cheapest consumer there can be)."""

    def __init__(self, keep: bool) -> None:
        self.library = library("libcupti.so")
        self.keep = keep
        self.enters = []  # (domain, id, correlation, thread) of callbacks at entry
        self.exits = 0
        self.rows, self.sizes = [], {}  # records as dictionaries; kind -> sizes seen
        self.created, self.cloned = set(), {}  # node ids; clone -> original
        self.at_exit = None  # called once, at the next exit of a launch
        self.at_context_end = None
        self.subscriber = ctypes.c_void_p()
        self.buffers = {}
        # ctypes frees a callback with its Python object: these live as long as self.
        self.hooks = (
            CALLBACK(self.on_callback), REQUESTED(self.requested), COMPLETED(self.completed),
        )  # fmt: skip

    def call(self, name: str, *arguments) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUPTI error {status}")

    def version(self) -> int:
        found = ctypes.c_uint32()
        self.call("cuptiGetVersion", ctypes.byref(found))
        return found.value

    def bound_memory(self, buffers: int) -> None:
        value, size = ctypes.c_size_t(buffers), ctypes.c_size_t(8)
        self.call("cuptiActivitySetAttribute", POOL_LIMIT, ctypes.byref(size), ctypes.byref(value))

    def pool_limit(self) -> int:
        value, size = ctypes.c_size_t(), ctypes.c_size_t(8)
        self.call("cuptiActivityGetAttribute", POOL_LIMIT, ctypes.byref(size), ctypes.byref(value))
        return value.value

    def start(self, with_callbacks=True, with_api_kind=False, kinds=(CONCURRENT_KERNEL,)) -> None:
        self.call("cuptiSubscribe", ctypes.byref(self.subscriber), self.hooks[0], None)
        self.call("cuptiActivityRegisterCallbacks", self.hooks[1], self.hooks[2])
        for kind in kinds:
            self.call("cuptiActivityEnable", kind)
        if with_api_kind:
            self.call("cuptiActivityEnable", RUNTIME_KIND)
        if not with_callbacks:
            return
        resources = (NODE_CREATED, NODE_CLONED, CONTEXT_DESTROY_STARTING)
        for domain, number in (*LAUNCHES, *OTHER_WORK, *((RESOURCE, n) for n in resources)):
            # Older versions refuse the ids that they do not know.
            self.library.cuptiEnableCallback(1, self.subscriber, domain, number)

    def stop(self, kinds=(CONCURRENT_KERNEL,)) -> None:
        self.flush(forced=True)
        for kind in kinds:
            self.call("cuptiActivityDisable", kind)
        self.call("cuptiUnsubscribe", self.subscriber)

    def flush(self, forced: bool = False) -> None:
        self.call("cuptiActivityFlushAll", 1 if forced else 0)

    def flush_until(self, complete, limit_s: float = 5) -> float:
        """Flushes until complete() is true; seconds, or infinity."""
        begin = time.monotonic()
        while time.monotonic() - begin < limit_s:
            self.flush()
            if complete():
                return time.monotonic() - begin
            time.sleep(0.005)
        return float("inf")

    def kernels(self) -> list:
        return [row for row in self.rows if row["kind"] in (KERNEL, CONCURRENT_KERNEL)]

    def launches(self) -> set:
        return {correlation for _, _, correlation, _ in self.enters}

    def node_id(self, node) -> int:
        found = ctypes.c_uint64()
        self.call("cuptiGetGraphNodeId", ctypes.c_void_p(node), ctypes.byref(found))
        return found.value

    def on_callback(self, user, domain, number, data) -> None:
        if domain == RESOURCE:
            return self.on_resource(number, data)
        if field(data, DATA_SITE, ctypes.c_int) == 0:
            self.enters.append((domain, number, field(data, DATA_CORRELATION, U32),
                                threading.get_native_id()))  # fmt: skip
            return None
        self.exits += 1
        work, self.at_exit = self.at_exit, None
        return work() if work else None

    def on_resource(self, number, data) -> None:
        if number == CONTEXT_DESTROY_STARTING:
            return self.at_context_end() if self.at_context_end else None
        graph = field(data, 16, U64)  # CUpti_GraphData: graph, original, node, original node
        node = self.node_id(field(graph, 16, U64))
        if number == NODE_CREATED:
            self.created.add(node)
        elif number == NODE_CLONED:
            self.cloned[node] = self.node_id(field(graph, 24, U64))
        return None

    def requested(self, buffer, size, max_records) -> None:
        memory = ctypes.create_string_buffer(BUFFER_BYTES + 8)
        address = (ctypes.addressof(memory) + 7) & ~7
        self.buffers[address] = memory
        buffer[0], size[0], max_records[0] = address, BUFFER_BYTES, 0

    def completed(self, context, stream, buffer, size, valid) -> None:
        memory = self.buffers.pop(buffer, None)
        if not self.keep or memory is None:
            return
        record = ctypes.c_void_p()
        found = []
        while not self.library.cuptiActivityGetNextRecord(
            ctypes.c_void_p(buffer), ctypes.c_size_t(valid), ctypes.byref(record)
        ):
            found.append(record.value)
        for address, end in zip(found, [*found[1:], buffer + valid]):
            kind = field(address, 0, U32)
            self.sizes.setdefault(kind, set()).add(end - address)
            row = {"kind": kind}
            for name, (offset, type_) in FIELDS.get(kind, {}).items():
                row[name] = field(address, offset, type_) if offset + 4 <= end - address else 0
            self.rows.append(row)
