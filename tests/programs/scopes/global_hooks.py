# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Module calls seen through torch's global hooks: ends that no hook sees, and torch.compile.

Needs FLOPSPROF_MODULE_HOOK=hooks. With the argument `replaced` it is not set: the function that
the native hook wants is no function, so that the fallbacks are tried. JSON as names.py.
"""

import functools
import json
import random
import signal
import sys

import probe
import torch
from torch import nn

MODULE_HOOK_REFUSED, SHIM_FAILED = 21, 22
ASIDE = "none: torch.compile is used, and global hooks would break its graphs"
X = torch.ones(1)
NAMES = probe.Names()
seen: list = []


class Probe(nn.Module):
    """Notes where it is, then raises what it was told to."""

    error = None

    def forward(self, x):
        seen.append(probe.here()[0])
        if self.error is not None:
            raise self.error
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Identity(), Probe())
        self.head = Probe()

    def forward(self, x):
        return self.head(self.body(x))


class Catches(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.spare = Net(), Probe()

    def forward(self, x):
        try:
            self.net(x)
        except KeyboardInterrupt:
            pass
        return self.spare(x)


RIGHT = ["body.1", "head"]


def check(name, got, want):
    print(json.dumps({"check": name, "got": got, "want": want}), flush=True)


def paths(call) -> list:
    seen.clear()
    call()
    NAMES.learn(probe.take())
    return [NAMES.path(scope) for scope in seen]


def raising(net, error):
    net.body[1].error = error
    try:
        net(X)
    except BaseException as raised:
        assert raised is error
    net.body[1].error = None


def ends_by_exceptions() -> None:
    net = Net()
    check("exception", paths(lambda: raising(net, ValueError())), RIGHT[:1])
    check("it ended the calls", probe.LIB.probe_depth(), 0)
    # torch runs no hook after what is no Exception: the next call sees it.
    check("interrupted", paths(lambda: raising(net, KeyboardInterrupt())), RIGHT[:1])
    check("calls that seem to go on", probe.LIB.probe_depth() > 0, True)
    check("after it", paths(lambda: net(X)), RIGHT)
    check("depth after it", probe.LIB.probe_depth(), 0)
    raising(net, KeyboardInterrupt())
    del net
    check("of another model", paths(lambda: Net()(X)), RIGHT)
    catches = Catches()
    catches.net.body[1].error = KeyboardInterrupt()
    wanted = ["net.body.1", "spare"]
    check("caught by a module above", paths(lambda: catches(X)), wanted)
    check("depth after that", probe.LIB.probe_depth(), 0)


def interrupted_anywhere() -> None:
    """Ctrl-C wherever it comes, in our hooks too."""
    signal.signal(signal.SIGALRM, lambda *_: signal.default_int_handler(signal.SIGINT, None))
    chance = random.Random(0)
    net = Net()
    for _ in range(100):
        net(X)  # what our Python side does for new models is over then
    interrupts = wrong = 0
    for _ in range(300):
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0002, 0.001))
            for _ in range(100_000):
                net(X)
        except KeyboardInterrupt:
            interrupts += 1
        wrong += paths(lambda: net(X)) != RIGHT or probe.LIB.probe_depth() != 0
    check("interrupted often", interrupts > 250, True)
    check("wrong names after interrupts", wrong, 0)


def optimizers() -> None:
    model = nn.Linear(1, 1)
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    check("optimizers import Dynamo", "torch._dynamo" in sys.modules, True)
    check("which is no reason to stop", paths(lambda: Net()(X)), RIGHT)


class Compiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.probe = Probe()

    def forward(self, x):
        torch.compile(torch.sin, backend="eager")
        seen.append(probe.here()[0])
        return self.probe(x)


def steps_aside() -> None:
    native = torch.compile.__wrapped__
    check("refusals before", probe.LIB.probe_loss(MODULE_HOOK_REFUSED), 0)
    check("torch.compile in a forward", paths(lambda: Compiles()(X)), ["(outside)"] * 2)
    check("depth after it", probe.LIB.probe_depth(), 0)
    check("note", probe.take()["notes"]["modules"], ASIDE)
    check("refusals", probe.LIB.probe_loss(MODULE_HOOK_REFUSED), 1)
    hooks = torch.nn.modules.module
    left = len(hooks._global_forward_hooks) + len(hooks._global_forward_pre_hooks)
    check("hooks left", left, 0)
    check("torch.compile is the old one", torch.compile is native, True)


def other_ways_to_dynamo() -> None:
    torch._dynamo.reset()
    probe.end()
    probe.begin()
    check("again", probe.take()["notes"]["modules"], "global hooks")
    check("names again", paths(lambda: Net()(X)), RIGHT)
    torch._dynamo.optimize("eager")(torch.sin)
    check("not by torch.compile", paths(lambda: Net()(X)), ["(outside)"] * 2)
    check("its note", probe.take()["notes"]["modules"], ASIDE)
    probe.end()
    probe.begin()
    check("begun too late", probe.take()["notes"]["modules"], ASIDE)


def replaced() -> None:
    original = nn.Module._call_impl

    class Wrapper:
        def __get__(self, instance, _):
            return self if instance is None else functools.partial(original, instance)

    nn.Module._call_impl = Wrapper()
    probe.begin()
    check("way", probe.take()["notes"]["modules"], "global hooks")
    check("refusals", probe.LIB.probe_loss(MODULE_HOOK_REFUSED), 0)
    ends_by_exceptions()


def main() -> None:
    probe.begin()
    check("way", probe.take()["notes"]["modules"], "global hooks")
    check("fresh", paths(lambda: Net()(X)), RIGHT)
    for function in (
        ends_by_exceptions,
        optimizers,
        interrupted_anywhere,
        steps_aside,
        other_ways_to_dynamo,
    ):
        function()
    check("failures of the shim", probe.LIB.probe_loss(SHIM_FAILED), 0)


if __name__ == "__main__":
    replaced() if sys.argv[1:] == ["replaced"] else main()
