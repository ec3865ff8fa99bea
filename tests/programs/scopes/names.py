# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of modules that are replaced, moved, shared, copied or called without their parent.

Prints one JSON line a check: {"check", "got", "want"}.
"""

import copy
import gc
import json
import time

import torch
from torch import nn

import probe

NAMES = probe.Names()
seen: list = []


class Probe(nn.Module):
    def forward(self, x):
        seen.append(probe.here())
        return x


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Probe()
        self.seq = nn.Sequential(nn.Identity(), Probe())

    def forward(self, x):
        return self.seq(self.a(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(2))
        self.dict = nn.ModuleDict({"k": nn.ModuleList([Probe()])})
        self.loose = [Probe()]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.loose[0](self.dict["k"][0](x))


X = torch.ones(1)


def paths(call) -> list:
    seen.clear()
    call()
    NAMES.learn(probe.take())
    return [NAMES.path(scope) for scope, _ in seen]


def check(name, got, want) -> None:
    print(json.dumps({"check": name, "got": got, "want": want}), flush=True)


BLOCK = ["layers.0.a", "layers.0.seq.1", "layers.1.a", "layers.1.seq.1"]
TAIL = ["dict.k.0", "?Probe"]


def structure() -> None:
    net = Net()
    check("fresh", paths(lambda: net(X)), BLOCK + TAIL)
    check("again", paths(lambda: net(X)), BLOCK + TAIL)
    net.layers[1].a = Probe()
    # A path that had two objects has two names, in the order in which they came.
    replaced = BLOCK[:2] + ["layers.1.a#2", "layers.1.seq.1"]
    check("replaced", paths(lambda: net(X)), replaced + TAIL)
    net.layers.insert(0, Block())
    # All moved by one; the third block has its first `a` in no place but its own.
    more = ["layers.0#2.a", "layers.0#2.seq.1", "layers.1#2.a", "layers.1#2.seq.1",
            "layers.2.a#2", "layers.2.seq.1"]  # fmt: skip
    check("inserted", paths(lambda: net(X)), more + TAIL)
    first, second = net.layers._modules["0"], net.layers._modules["1"]
    net.layers._modules["0"], net.layers._modules["1"] = second, first
    # The old first block is back where it was; the new one is the third in the second place.
    swapped = BLOCK[:2] + ["layers.1#3.a", "layers.1#3.seq.1"]
    check("swapped", paths(lambda: net(X)), swapped + more[4:] + TAIL)
    del net.layers[2]
    check("deleted", paths(lambda: net(X)), swapped + TAIL)
    check("copied", paths(lambda: copy.deepcopy(net)(X)), BLOCK + TAIL)
    wrapped = nn.Sequential(net)
    check("wrapped", paths(lambda: wrapped(X)), ["0." + name for name in swapped + TAIL])
    check("called alone again", paths(lambda: net(X)), ["0." + name for name in swapped + TAIL])
    net.layers[0] = Block()  # where the first block and the inserted one were
    later = ["layers.0#3.a", "layers.0#3.seq.1"] + swapped[2:]
    check("a third object", paths(lambda: net(X)), ["0." + name for name in later + TAIL])
    for _ in range(9):
        net.layers[0] = Block()
        last = paths(lambda: net(X))[0]
    check("more objects than have names", last, "0.layers.0#9+.a")
    net.layers[0] = nn.Sequential(Probe())
    check("of another class", paths(lambda: net(X))[0], "0.layers.0#9+.0")
    blocks = net.layers[0], Block()
    for block in blocks:
        net.layers[0] = block
        net(X)
    probe.take()
    for block in blocks * 2:
        net.layers[0] = block
        net(X)
    again = [record for record in probe.take()["records"] if record["type"] == "scope"]
    check("two that share a name, in turn, are defined once", again, [])


def orphans() -> None:
    pair = nn.Module()
    pair.generator, pair.judge = nn.Sequential(Probe()), nn.Sequential(nn.Identity(), Probe())
    check("half of a pair", paths(lambda: pair.generator(X)), ["generator.0"])
    check("other half", paths(lambda: pair.judge(X)), ["judge.1"])
    holder = nn.Module()
    holder.pair = pair
    check("half after the pair got a parent", paths(lambda: pair.judge(X)), ["pair.judge.1"])
    del holder, pair.judge
    gc.collect()
    check("half after the parent died", paths(lambda: pair.generator(X)), ["generator.0"])
    generator = pair.generator
    del pair
    gc.collect()
    check("half alone", paths(lambda: generator(X)), ["0"])


def shared() -> None:
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Sequential(Probe())
            self.second = nn.ModuleDict({"same": self.first[0]})

        def forward(self, x):
            return self.second["same"](self.first(x))

    model = Twice()
    check("shared: the first path", paths(lambda: model(X)), ["first.0", "first.0"])


def skipped() -> None:
    class Skips(nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block()

        def forward(self, x):
            return self.block.seq[1](x)

    model = Skips()
    check("callers in between left out", paths(lambda: model(X)), ["block.seq.1"])


def ranges() -> None:
    import flopsprof

    class Ranged(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Probe()
            self.probe = Probe()

        def forward(self, x):
            with flopsprof.scope("attention"):
                seen.append(probe.here())
                x = self.inner(x)
            return self.probe(x)

    model = Ranged()
    with flopsprof.scope("epoch"):
        seen.append(probe.here())
        got = paths(lambda: model(X))
    check("modules ignore ranges", got, ["[attention]", "inner", "probe"])


def many() -> None:
    wrong = 0
    for _ in range(1000):
        net = Net()
        wrong += paths(lambda net=net: net(X)) != BLOCK + TAIL
        del net
    check("wrong names among 1000 models made and freed", wrong, 0)


def wide() -> None:
    class Wide(nn.Module):
        def __init__(self, children):
            super().__init__()
            self.items = nn.ModuleList(nn.Identity() for _ in range(children - 1))
            self.items.append(Probe())

        def forward(self, x):
            for item in self.items:
                x = item(x)
            return x

    def first_call(children) -> float:
        """CPU time: a bound of seconds says nothing on a busy machine."""
        model = Wide(children)
        begin = time.thread_time()
        found = paths(lambda: model(X))
        needed = time.thread_time() - begin
        check(f"{children} children", found, [f"items.{children - 1}"])
        return needed

    few = min(first_call(500) for _ in range(3))
    many = min(first_call(5000) for _ in range(3))
    # Ten times as many: 100 times as much where each looks at each.
    check("the cost of children is linear", many < 40 * few, True)


def main() -> None:
    old = Net()  # made before the hook
    pair = nn.Module()
    pair.part = nn.Sequential(Probe())
    probe.begin()
    check("made before", paths(lambda: old(X)), BLOCK + TAIL)
    check("made before, half of a pair", paths(lambda: pair.part(X)), ["part.0"])
    for function in (structure, orphans, shared, skipped, ranges, many, wide):
        function()
    check("depth", probe.LIB.probe_depth(), 0)
    check("failures of the shim", probe.LIB.probe_loss(22), 0)


if __name__ == "__main__":
    main()
