# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A job with a profiler of its own: prints how many kernel events torch.profiler saw.

    python uses_torch_profiler.py before|after|between

before: starts it before the first kernel; after: after training; between: two separate
profiles with unprofiled training around them.
"""

import sys

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

when = sys.argv[1]
if when != "before":
    import small_net

    trainer = small_net.Trainer()
    trainer.train(2)


def profiled(work) -> int:
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        work()
    return sum(event.device_type == DeviceType.CUDA for event in profiler.events())


def first_work() -> None:
    global trainer
    import small_net

    trainer = small_net.Trainer()
    trainer.train(2)


counts = [profiled(first_work if when == "before" else lambda: trainer.train(2))]
trainer.train(1)
if when == "between":
    counts.append(profiled(lambda: trainer.train(2)))
    trainer.train(1)
steps = {"before": 3, "after": 5, "between": 8}[when]
print("kernel events", counts, "steps", steps)
