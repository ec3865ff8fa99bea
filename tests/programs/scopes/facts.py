# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the shim reports: parameters, steps, optimizer phase, failures. One JSON line a check."""

import json
import os
import sys
import threading
import time

import torch
from torch import nn

import probe


def check(name, got, want) -> None:
    print(json.dumps({"check": name, "got": got, "want": want}), flush=True)


def modules_of(taken) -> dict:
    return {
        r["path"]: [r["class"], r["own"], r["total"], r["trainable"]]
        for r in taken["records"]
        if r["type"] == "module"
    }


def sizes_of(taken) -> dict:
    """path -> [local, buffers, experts, active, bytes]"""
    return {
        r["path"]: [r["local"], r["buffers"], r["experts"], r["active"], r["bytes"]]
        for r in taken["records"]
        if r["type"] == "sizes"
    }


def steps_of(taken) -> list:
    return [(r["event"], r["step"]) for r in taken["records"] if r["type"] == "step"]


def parameters() -> None:
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 4)
            self.body = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4, bias=False))
            self.head = nn.Linear(4, 10, bias=False)
            self.head.weight = self.embed.weight
            self.body[1].weight.requires_grad_(False)

        def forward(self, x):
            return self.head(self.body(self.embed(x)))

    Tied()(torch.tensor([1]))
    check(
        "tied weights count once",
        modules_of(probe.take()),
        {
            "": ["Tied", 0, 76, 60],  # 40 tied, 20 body.0, 16 frozen
            "embed": ["Embedding", 40, 40, 40],
            "body": ["Sequential", 0, 36, 20],
            "body.0": ["Linear", 20, 20, 20],
            "body.1": ["Linear", 16, 16, 0],
            "head": ["Linear", 0, 40, 40],
        },
    )
    bank = nn.Linear(5, 2, bias=False)  # held by two, as the vectors of VB-LoRA are
    layers = nn.Sequential(nn.Linear(5, 5, bias=False), nn.Linear(5, 5, bias=False))
    for layer in layers:
        layer.bank = bank
    layers(torch.ones(1, 5))
    check("a shared module's weights are its holders', once above them", modules_of(probe.take()), {
        "": ["Sequential", 0, 60, 60],
        "0": ["Linear", 25, 35, 35],
        "0.bank": ["Linear", 10, 10, 10],
        "1": ["Linear", 25, 35, 35],
    })  # fmt: skip
    lazy = nn.Sequential(nn.LazyLinear(3))
    lazy(torch.ones(1, 5))
    check("lazy parameters are counted once they are there, in the first call",
          modules_of(probe.take())["0"], ["LazyLinear", 18, 18, 18])  # fmt: skip
    lazy(torch.ones(1, 5))
    check("what they made of their module is told at the next", modules_of(probe.take())["0"],
          ["Linear", 18, 18, 18])  # fmt: skip
    lazy(torch.ones(1, 5))
    check("described once", modules_of(probe.take()), {})
    many_lazy_parameters()
    unused_lazy_parameters()


def many_lazy_parameters() -> None:
    """In one call: the work of waiting for them is linear in their number."""
    parameters = sys.modules["_flopsprof_parameters"]
    sizes, original = [], parameters.size_of

    def size_of(tensor):
        sizes.append(1)
        return original(tensor)

    parameters.size_of = size_of
    lazy = nn.Sequential(*(nn.LazyLinear(3) for _ in range(100)))
    lazy(torch.ones(1, 5))
    parameters.size_of = original
    total = 3 * 5 + 3 + 99 * 12
    check("many are told in the first call", modules_of(probe.take())[""],
          ["Sequential", 0, total, total])  # fmt: skip
    check("each is looked at a few times", len(sizes) <= 5 * 200, True)


def unused_lazy_parameters() -> None:
    """Of a part that is never called, until it is."""
    parts = nn.ModuleList([nn.Linear(5, 3), nn.LazyLinear(2)])
    model = nn.Sequential(parts[0])
    model.unused = parts[1]
    model.forward = parts[0].forward
    for _ in range(12):
        model(torch.ones(1, 5))
    probe.take()
    model(torch.ones(1, 5))
    check("what does not come is not asked for any more", modules_of(probe.take()), {})
    model.forward = lambda x: model.unused(model._modules["0"](x))
    model(torch.ones(1, 5))
    check("and told when it comes", modules_of(probe.take())["unused"], ["LazyLinear", 8, 8, 8])


class Layer(nn.Module):
    """Four experts of 12 elements in a list, two for a token; a gate of 8, a norm's buffers."""

    def __init__(self, held=4, top_k=2):
        super().__init__()
        self.num_experts = 4
        if top_k:
            self.top_k = top_k
        self.gate = nn.Linear(2, 4, bias=False)
        self.norm = nn.BatchNorm1d(2, affine=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(3, 4, bias=False)) for _ in range(held))

    def forward(self, x):
        return x


class Fused(nn.Module):
    """The same in one parameter, half precision, k at the router."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(2, 4, bias=False, dtype=torch.half)
        self.router.k = 1
        self.experts = nn.Module()
        self.experts.w = nn.Parameter(torch.zeros(4, 3, 4, dtype=torch.half))

    def forward(self, x):
        return x


def more_sizes() -> None:
    probe.take()
    Layer()(1)
    sizes = sizes_of(probe.take())
    check("experts: all, and those of one token", sizes[""], [56, 5, 48, 32, 224])
    check("a list of experts", sizes["experts"], [48, 0, 48, 24, 192])
    check("one expert", sizes["experts.3.0"], [12, 0, 12, 12, 48])
    check("no experts", sizes["gate"], [8, 0, 0, 8, 32])
    check("buffers", sizes["norm"], [0, 5, 0, 0, 0])  # mean, variance and the number of batches
    Layer(top_k=0)(1)
    taken = probe.take()
    check("nobody says how many are chosen", sizes_of(taken)[""], [56, 5, 48, 0, 224])
    Layer(held=2)(1)
    taken = probe.take()
    check("this rank holds two of four experts", sizes_of(taken)[""], [32, 5, 48, 32, 224])
    check("they count whole", modules_of(taken)[""], ["Layer", 0, 56, 56])
    Fused()(1)
    sizes = sizes_of(probe.take())
    check("experts in one parameter", sizes[""], [56, 0, 48, 20, 112])
    check("that parameter's module", sizes["experts"], [48, 0, 48, 12, 96])


def slices() -> None:
    """A slice of a ModuleList is a ModuleList, and so a parent: some models make one a call."""
    layers = nn.ModuleList([nn.Identity()])
    for _ in range(1000):
        layers[:1]
    known = sys.modules["_flopsprof_modules"].parents[id(layers[0])]
    check("parents that are gone are forgotten", len(known) <= 2, True)


def flat_experts() -> None:
    """FSDP1 has them in flat parameters, with their own shapes beside; one process holds all."""
    from torch.distributed.fsdp import FullyShardedDataParallel

    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    cpu = torch.device("cpu")
    for original in (False, True):
        model = FullyShardedDataParallel(Layer(), device_id=cpu, use_orig_params=original)
        model(1)
        sizes = sizes_of(probe.take())
        inner = "_fsdp_wrapped_module"
        check(f"experts in a flat parameter, {original}", sizes[""], [56, 5, 48, 32, 224])
        check(f"one of them, {original}", sizes[inner + ".experts.3.0"], [12, 0, 12, 12, 48])
    torch.distributed.destroy_process_group()


def replaced() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model(torch.ones(1, 2))
    probe.take()
    # Descriptions are at least 100 times their length apart, which is long on a busy machine.
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        model[1] = nn.Linear(2, 3)
        model(torch.ones(1, 2))
        found = modules_of(probe.take())
        if found:
            break
        time.sleep(0.01)
    # Another object than the first that was called there: a path of its own, numbered.
    new = [row for path, row in found.items() if path.startswith("1#")]
    check("described again with the new part", new, [["Linear", 9, 9, 9]])
    check("and its root", found.get(""), ["Sequential", 0, 15, 15])
    model(torch.ones(1, 2))
    check("once", modules_of(probe.take()), {})


def steps() -> None:
    model = nn.Linear(2, 2)
    other = nn.Linear(2, 2)
    x = torch.ones(1, 2)
    first = torch.optim.SGD(model.parameters(), lr=0.1)
    second = torch.optim.Adam(other.parameters())
    probe.take()
    for _ in range(2):
        for _ in range(3):  # accumulation
            (model(x).sum() + other(x).sum()).backward()
        first.step()
        second.step()
        model(x)  # evaluation belongs to the next step
    events = list(steps_of(probe.take()))
    got = [[event, step - events[0][1]] for event, step in events]
    # 1 = begin, 2 = an optimizer stepped. The first forward after optimizers begins a step; each of
    # the micro-batches and the second optimizer are in it.
    want = [[1, 0], [2, 0], [2, 0], [1, 1], [2, 1], [2, 1], [1, 2]]
    check("steps with two optimizers", got, want)

    phases = []

    class Watched(torch.optim.SGD):
        def step(self, closure=None):
            phases.append(probe.here())
            if closure is not None:
                closure()
            return super().step()

    watched = Watched(model.parameters(), lr=0.1)
    watched.step()
    check("optimizer phase", phases.pop()[1], "optimizer")
    inside = []

    class Probe(nn.Module):
        def forward(self, x):
            inside.append(probe.here()[1])
            return x

    module = Probe()
    watched.step(lambda: module(x))
    check("forward inside of a closure", inside, ["forward"])
    check("after the optimizer", probe.here(), [0, "other"])

    class Failing(torch.optim.SGD):
        def step(self, closure=None):
            raise RuntimeError("no")

    failing = Failing(model.parameters(), lr=0.1)
    try:
        failing.step()
    except RuntimeError:
        pass
    watched.step()
    check("after an optimizer that raised", probe.here(), [0, "other"])


def threads() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Identity())
    depths = []

    def work():
        for _ in range(200):
            model(torch.ones(1, 2)).sum().backward()
        depths.append(probe.LIB.probe_depth())

    pool = [threading.Thread(target=work) for _ in range(4)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    check("threads leave nothing behind", depths, [0, 0, 0, 0])


def public_package() -> None:
    import flopsprof

    check("flopsprof is active", flopsprof.active(), True)

    @flopsprof.scope("decorated")
    def function():
        return probe.here()[0]

    check("decorator", function() != 0, True)
    try:
        with flopsprof.scope("failing"):
            raise ValueError
    except ValueError:
        pass
    check("scope ends with an exception", probe.here()[0], 0)


def reinstall() -> None:
    probe.end()
    model = nn.Identity()
    probe.take()
    model(1)
    check("nothing after the end", probe.take()["records"], [])
    probe.begin()
    model(1)
    kinds = sorted({r["type"] for r in probe.take()["records"]})
    check("again after a new begin", "enter" in kinds and "module" in kinds, True)


def main() -> None:
    probe.begin()
    notes = probe.take()["notes"]
    hooks = os.environ.get("FLOPSPROF_MODULE_HOOK") == "hooks"
    check("way", notes["modules"], "global hooks" if hooks else "vectorcall hook")
    nn.Identity()(1)
    check("backward", probe.take()["notes"]["backward"], "engine")
    for function in (parameters, more_sizes, slices, flat_experts, replaced, steps, threads, public_package, reinstall):
        function()
    check("failures of the shim", probe.LIB.probe_loss(22), 0)


if __name__ == "__main__":
    main()
