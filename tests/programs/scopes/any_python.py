# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Module calls on any Python from 3.8 on, with a torch of a few lines. JSON as names.py.

FLOPSPROF_MODULE_HOOK says which way of seeing them; not set: the vectorcall hook.
"""

import json
import os
import random
import signal
import sys
import threading

sys.path[:0] = [
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "mini_torch"),
    os.path.dirname(os.path.abspath(__file__)),
]

import probe  # noqa: E402
import torch  # noqa: E402

WAY = os.environ.get("FLOPSPROF_MODULE_HOOK", "swap")
# Without torch's hooks, and before 3.12 without sys.monitoring, nothing is left.
NOTES = {
    "swap": "vectorcall hook",
    "monitoring": "sys.monitoring"
    if sys.version_info >= (3, 12)
    else "none: no sys.monitoring before Python 3.12",
    "hooks": "none: no global module hooks in this torch",
    "none": "none: FLOPSPROF_MODULE_HOOK=none",
}
MODULE_HOOK_REFUSED, SHIM_FAILED = 21, 22
seen = []


class Probe(torch.nn.Module):
    def forward(self, x):
        seen.append(probe.here()[0])
        if x == 2:
            raise ValueError
        return x


class Recovering(torch.nn.Module):
    """Catches what its child raises, and goes on with another one."""

    def forward(self, x):
        try:
            self.inner(x)
        except ValueError:
            seen.append(probe.here()[0])
        return self.spare(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Probe(), Probe()

    def forward(self, x):
        return self.b(self.a(x))


def in_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def interrupted_anywhere(net, paths_of_call):
    """Ctrl-C wherever it comes, in our callbacks too: (how often, with what wrong after it)."""
    signal.signal(signal.SIGALRM, lambda *_: signal.default_int_handler(signal.SIGINT, None))
    chance = random.Random(0)
    interrupts = wrong = 0
    for _ in range(100):
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0001, 0.0006))
            for _ in range(300000):
                net(1)
        except KeyboardInterrupt:
            interrupts += 1
        wrong += paths_of_call() != ["a", "b"] or probe.LIB.probe_depth() != 0
    return interrupts, wrong


def innermost(_):
    return probe.LIB.probe_python_frames().decode()


def through_c():
    """From Python 3.11 on the interpreter is entered once more here."""
    return list(map(innermost, [0]))[0]


def check(name, got, want):
    print(json.dumps({"check": name, "got": got, "want": want}), flush=True)


def main():
    net = Net()
    for _ in range(100):
        net(1)  # call sites are specialised before the hook is there
    seen.clear()
    probe.begin()
    taken = probe.take()
    if sys.version_info >= (3, 16):
        NOTES[WAY] = "none: Python newer than 3.15: not proved yet"
    note = NOTES[WAY]
    check("way", taken["notes"].get("modules"), note)
    refused = note.startswith("none")
    check("refusals counted", probe.LIB.probe_loss(MODULE_HOOK_REFUSED), int(refused))
    if refused:
        net(1)
        check("no names", seen, [0, 0])
        return
    names = probe.Names()

    def paths(call):
        seen.clear()
        call()
        names.learn(probe.take())
        return [names.path(scope) for scope in seen]

    def all_forms():
        net(1)
        net(x=1)
        net.__call__(1)
        torch.nn.Module.__call__(net, 1)

    check("all forms of calls", paths(all_forms), ["a", "b"] * 4)

    def raising():
        try:
            net(2)
        except ValueError:
            pass

    check("exception", paths(raising), ["a"])
    check("depth after an exception", probe.LIB.probe_depth(), 0)

    def recovering():
        recovers = Recovering()
        recovers.inner, recovers.spare = Probe(), Probe()
        recovers(2)

    check("inside of the caller that catches", paths(recovering), ["inner", "", "spare"])
    check("depth after all", probe.LIB.probe_depth(), 0)
    check("another thread", paths(lambda: in_thread(lambda: net.b(1))), ["b"])
    check("frames of Python", through_c().split(), ["innermost", "through_c", "main", "<module>"])
    interrupts, wrong = interrupted_anywhere(net, lambda: paths(lambda: net(1)))
    check("interrupted often", interrupts > 80, True)
    check("wrong names after interrupts", wrong, 0)
    probe.end()
    seen.clear()
    net(1)
    check("after the end", seen, [0, 0])
    check("failures of the shim", probe.LIB.probe_loss(SHIM_FAILED), 0)


if __name__ == "__main__":
    main()
