# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The few CUPTI calls that the probes need, through ctypes, by the published interface."""

import ctypes

RUNTIME, DRIVER = 2, 1  # CUpti_CallbackDomain
KERNEL, CONCURRENT_KERNEL, RUNTIME_KIND = 3, 10, 5  # CUpti_ActivityKind
ALREADY_SUBSCRIBED = 39
# Launches by callback id: (domain, id).
LAUNCHES = (
    (RUNTIME, 211), (RUNTIME, 214), (RUNTIME, 430), (RUNTIME, 431), (RUNTIME, 505),
    (RUNTIME, 506), (DRIVER, 307), (DRIVER, 442), (DRIVER, 652), (DRIVER, 653),
)  # fmt: skip
SINCE_CUDA_13 = ((RUNTIME, 505), (RUNTIME, 506))
BUFFER_BYTES = 4 << 20
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
# CUpti_ActivityKernel5 and later, and CUpti_CallbackData: offsets of what is read.
KERNEL_CORRELATION = 92
DATA_SITE, DATA_CORRELATION = 0, 64


def mapped_library(part: str) -> ctypes.CDLL:
    """The library that this process has mapped already, as torch found it."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = sorted({line.split()[-1] for line in file if part in line})
    if not paths:
        raise RuntimeError(f"{part} is not mapped")
    return ctypes.CDLL(paths[0])


class Cupti:
    """Collects the correlation ids of launches and of kernel records, or throws the records
    away (`keep` false: the cheapest consumer there can be)."""

    def __init__(self, keep: bool) -> None:
        self.library = mapped_library("libcupti.so")
        self.keep = keep
        self.launches, self.records, self.ids_seen = set(), [], set()
        self.subscriber = ctypes.c_void_p()
        self.buffers = {}
        # ctypes frees a callback with its Python object: these live as long as self.
        self.hooks = (
            CALLBACK(self.on_launch), REQUESTED(self.requested), COMPLETED(self.completed),
        )  # fmt: skip

    def call(self, name: str, *arguments) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUPTI error {status}")

    def start(self, with_callbacks: bool, with_api_kind: bool) -> None:
        self.call("cuptiSubscribe", ctypes.byref(self.subscriber), self.hooks[0], None)
        self.call("cuptiActivityRegisterCallbacks", self.hooks[1], self.hooks[2])
        self.call("cuptiActivityEnable", CONCURRENT_KERNEL)
        if with_api_kind:
            self.call("cuptiActivityEnable", RUNTIME_KIND)
        if with_callbacks:
            for domain, number in LAUNCHES:
                if (domain, number) in SINCE_CUDA_13:  # an older CUPTI refuses the number
                    self.library.cuptiEnableCallback(1, self.subscriber, domain, number)
                else:
                    self.call("cuptiEnableCallback", 1, self.subscriber, domain, number)

    def stop(self) -> None:
        self.call("cuptiActivityFlushAll", 1)
        self.call("cuptiActivityDisable", CONCURRENT_KERNEL)
        self.call("cuptiUnsubscribe", self.subscriber)

    def on_launch(self, user, domain, number, data) -> None:
        if ctypes.c_int.from_address(data + DATA_SITE).value == 0:
            self.launches.add(ctypes.c_uint32.from_address(data + DATA_CORRELATION).value)
            self.ids_seen.add((domain, number))

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
        while not self.library.cuptiActivityGetNextRecord(
            ctypes.c_void_p(buffer), ctypes.c_size_t(valid), ctypes.byref(record)
        ):
            kind = ctypes.c_int.from_address(record.value).value
            if kind in (KERNEL, CONCURRENT_KERNEL):
                self.records.append(
                    ctypes.c_uint32.from_address(record.value + KERNEL_CORRELATION).value
                )
