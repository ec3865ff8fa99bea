# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the GPU's own clock says of each call of a module: two events on the current stream, around it.

Nothing waits for them. The session waits for the device before and after each module, as DeepSpeed
does; so the events of a call have happened when the next call begins, and when somebody reads.
"""

import torch

from . import tree


def _kinds(model) -> set:
    return {p.device.type for p in model.parameters()} | {b.device.type for b in model.buffers()}


def device_module(model):
    """torch.cuda or the like, where the model is; None on a CPU."""
    kinds = _kinds(model) - {"cpu", "meta"}
    if not kinds:
        return torch.cuda if torch.cuda.is_initialized() else None
    kind = kinds.pop()
    return getattr(torch, "get_device_module", lambda name: getattr(torch, name, None))(kind)


def gpu_time_of(model):
    """None where the model has tensors and none of them is on a GPU, and where there is none."""
    device = None if _kinds(model) and not _kinds(model) - {"cpu", "meta"} else device_module(model)
    return GpuTime(device) if hasattr(device, "Event") else None


class GpuTime:
    """Seconds of each record's calls. A device that cannot say gives none: they are unknown, not 0."""

    def __init__(self, device):
        self._event = device.Event
        self._open = []  # (record, event, event) of calls that have ended
        self._seconds = {}  # id(record) -> [seconds, calls]

    def around(self, record, inner):
        def timed(module, *args, **kwargs):
            self._settle()
            first = self._mark()
            out = inner(module, *args, **kwargs)
            self._open.append((record, first, self._mark()))
            return out

        return timed

    def of(self, record):
        """Seconds of all calls, or None where one of them is not known."""
        self._settle()
        seconds, calls = self._seconds.get(id(record), (0.0, 0))
        return seconds if calls and calls == record.calls else None

    def reset(self) -> None:
        self._open.clear()
        self._seconds.clear()

    def _mark(self):
        try:
            event = self._event(enable_timing=True)
            event.record()
            return event
        except Exception:  # the program goes on; the call has no GPU time
            return None

    def _settle(self) -> None:
        ended, self._open = self._open, []
        for entry in ended:
            record, first, last = entry
            try:
                if not last.query():  # of another thread, say
                    self._open.append(entry)
                    continue
                elapsed = first.elapsed_time(last) / 1000
            except Exception:
                continue
            sums = self._seconds.setdefault(id(record), [0.0, 0])
            sums[0] += elapsed
            sums[1] += 1


def inclusive_of(module, records, gpu_time):
    """A module that was never called takes as long as its children do, as its latency has it."""
    record = records.get(id(module))
    if gpu_time is None or record is None:
        return None
    if record.calls or not module._modules:
        return gpu_time.of(record)
    parts = [inclusive_of(child, records, gpu_time) for child in tree.children(module)]
    return None if not parts or None in parts else sum(parts)
