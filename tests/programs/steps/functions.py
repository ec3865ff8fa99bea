# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that --step-at names: functions.py KIND. Checked by integration/step_at_test.py."""

import sys
import types

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


@torch.enable_grad()
def train_step():
    work()


@torch.enable_grad()
def warm_up():
    """Its code is that of train_step: the decorator's."""
    work()


def shared():
    warm_up()
    for _ in range(3):
        train_step()


async def unfollowed_step():
    """No step: an asynchronous generator."""
    yield 1


def unfollowed():
    work()
    work()


def later():
    """What NAME means in __main__ cannot be followed; what it means in a module can."""
    work()
    module = sys.modules["place"] = types.ModuleType("place")
    exec("def step(work):\n    work()", vars(module))
    torch.optim.SGD(model.parameters(), lr=1e-3).step()  # looked for anew
    for _ in range(3):
        module.step(work)


class place:  # noqa: N801
    step = staticmethod(unfollowed_step)


def main():
    globals()[sys.argv[1]]()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
