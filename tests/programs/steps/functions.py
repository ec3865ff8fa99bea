# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that --step-at names: functions.py KIND. Checked by integration/step_at_test.py."""

import sys

import torch

from loops import batch, net

model, data = net(), batch()
peaks = []


def work():
    model(data[0]).mean().backward()


def memory_after_del(call):
    """Of a batch of 64 MiB that only the called function holds."""
    before = torch.cuda.memory_allocated()
    call()
    print(peaks.pop() - before)


def rest(_, *more):
    more = None  # noqa: F841  (as `del more`, and a name that is assigned)
    peaks.append(torch.cuda.memory_allocated())
    work()


def named(_, **more):
    more.clear()
    peaks.append(torch.cuda.memory_allocated())
    work()


def first(one, /, *more, two=2, **last):
    del one
    peaks.append(torch.cuda.memory_allocated())
    work()
    assert (more, two, last) == ((), 2, {"three": 3}), (more, two, last)


def made():
    """In the call: no variable of the caller's holds it."""
    return torch.empty(16 << 20, device="cuda")


def stars():
    work()
    memory_after_del(lambda: rest(0, made()))
    memory_after_del(lambda: named(0, batch=made()))
    memory_after_del(lambda: first(made(), three=3))


def main():
    globals()[sys.argv[1]]()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
