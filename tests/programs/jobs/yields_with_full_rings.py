# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A job whose own profiler starts when nobody has read its records for long. Prints how many
kernel events torch.profiler saw, and how often the process's other threads slept while it started.
"""

import glob
import os
import re

import small_net
import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile


def sleeps() -> int:
    count = 0
    for path in glob.glob("/proc/self/task/*/status"):
        if path.split("/")[-2] == str(os.getpid()):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                count += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M)[1])
        except OSError:
            pass  # a thread that has ended
    return count


trainer = small_net.Trainer()
trainer.train(300)
torch.cuda.synchronize()
profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
before = sleeps()
profiler.__enter__()
slept = sleeps() - before
trainer.train(1)
profiler.__exit__(None, None, None)
print(sum(event.device_type == DeviceType.CUDA for event in profiler.events()), slept)
