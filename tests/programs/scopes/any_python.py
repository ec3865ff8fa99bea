# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The module hook on any Python from 3.8 on, with a torch of a few lines. JSON as names.py."""

import json
import os
import sys

sys.path[:0] = [
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "mini_torch"),
    os.path.dirname(os.path.abspath(__file__)),
]

import probe  # noqa: E402
import torch  # noqa: E402

seen = []


class Probe(torch.nn.Module):
    def forward(self, x):
        seen.append(probe.here()[0])
        if x == 2:
            raise ValueError
        return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Probe(), Probe()

    def forward(self, x):
        return self.b(self.a(x))


def check(name, got, want):
    print(json.dumps({"check": name, "got": got, "want": want}), flush=True)


def main():
    net = Net()
    for _ in range(100):
        net(1)  # call sites are specialised before the hook is there
    seen.clear()
    probe.begin()
    taken = probe.take()
    if sys.version_info >= (3, 14):
        check("refused", taken["notes"].get("modules"), "Python newer than 3.13: not proved yet")
        check("counted", probe.LIB.probe_loss(21), 1)
        return
    check("hook", taken["notes"].get("modules"), "vectorcall hook")
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
    check("depth", probe.LIB.probe_depth(), 0)
    probe.end()
    seen.clear()
    net(1)
    check("after the end", seen, [0, 0])
    check("failures of the shim", probe.LIB.probe_loss(22), 0)


if __name__ == "__main__":
    main()
