# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A job that does everything to modules, ranges and names that a program should not do.

Prints one line a case with what came of it, the same with and without a profiler; then ends with
exit code 7. `distinct` more ranges than the profiler has room for, if given.
"""

import ctypes
import sys
import threading
import types

import torch
from torch import nn

DEVICE = "cuda"
LONG = "n" * 10_000
CONTROL = "a\x1b[31m\x07\n\tb\u202ec\x7f"


def say(case, value):
    print(f"{case}: {value}")


def work(module):
    out = module(torch.ones(4, 8, device=DEVICE, requires_grad=True))
    out.sum().backward()
    return tuple(out.shape)


class Refuses(nn.Linear):
    """Answers no question about itself beyond what nn.Module needs."""

    def __getattr__(self, name):
        if name.startswith("_flopsprof") or name in ("path", "scope", "__name__", "__wrapped__"):
            raise RuntimeError(f"no {name} here")
        return super().__getattr__(name)


class Meta(type(nn.Module)):
    built = False

    @property
    def __name__(cls):
        if Meta.built:  # nn.Module itself asks for it before
            raise ValueError("a class without a name")
        return "Nameless"


class Nameless(nn.Linear, metaclass=Meta):
    pass


class Recursive(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8, device=DEVICE)

    def forward(self, x, depth=200):
        return self.layer(x) if depth == 0 else self(x, depth - 1)


def hooks_that_raise():
    layer = nn.Linear(8, 8, device=DEVICE)

    def raises(*_):
        raise KeyError("hook")

    for add in (layer.register_forward_pre_hook, layer.register_forward_hook):
        handle = add(raises)
        try:
            work(layer)
        except KeyError as error:
            say("hook raises", error)
        handle.remove()
    handle = layer.register_full_backward_hook(raises)
    try:
        work(layer)
    except KeyError as error:
        say("backward hook raises", error)
    handle.remove()
    say("after the hooks", work(layer))


def patched_calls():
    layer = nn.Linear(8, 8, device=DEVICE)
    layer.forward = types.MethodType(lambda self, x: nn.Linear.forward(self, x) * 2, layer)
    say("patched forward", work(layer))

    class Patched(nn.Linear):
        pass

    inner = Patched.__call__
    Patched.__call__ = lambda self, *a, **k: inner(self, *a, **k)
    say("patched __call__ of a class", work(Patched(8, 8, device=DEVICE)))
    before = nn.Module.__call__
    nn.Module.__call__ = lambda self, *a, **k: before(self, *a, **k)
    say("patched __call__ of all", work(nn.Linear(8, 8, device=DEVICE)))
    nn.Module.__call__ = before
    kept = nn.Module._call_impl
    nn.Module._call_impl = lambda self, *a, **k: kept(self, *a, **k)
    say("patched _call_impl", work(nn.Linear(8, 8, device=DEVICE)))
    nn.Module._call_impl = kept


def names():
    tree = nn.Module()
    for name in (LONG, CONTROL, "\ud800", "🙂", " "):
        tree.add_module(name, nn.Linear(8, 8, device=DEVICE))
    for child in tree.children():
        work(child)
    say("names", len(list(tree.children())))
    say("refuses questions", work(Refuses(8, 8, device=DEVICE)))
    nameless = Nameless(8, 8, device=DEVICE)
    Meta.built = True
    say("class without a name", work(nameless))
    layer = nn.Linear(8, 8, device=DEVICE)
    layer._modules[3] = nn.Linear(8, 8, device=DEVICE)  # a name that is no text
    layer._modules["none"] = None
    say("a name that is no text", work(layer))
    loop = nn.Module()
    loop.forward = lambda x: x
    loop._modules["itself"] = loop
    say("a module in itself", tuple(loop(torch.ones(2)).shape))


def recursion():
    say("recursion", work(Recursive()))
    try:
        Recursive()(torch.ones(1, 8, device=DEVICE), depth=10**6)
    except RecursionError:
        say("recursion without end", "RecursionError")


class After(nn.Module):
    """Called when there is no room for ranges any more: one product of its own, one of a child."""

    def __init__(self):
        super().__init__()
        self.late = nn.Linear(8, 8, device=DEVICE)
        self.weight = nn.Parameter(torch.ones(8, 8, device=DEVICE))

    def forward(self, x):
        torch.cuda.nvtx.range_push("one more")
        x = nn.functional.linear(x, self.weight)
        torch.cuda.nvtx.range_pop()
        return self.late(x)


def ranges(distinct):
    nvtx = torch.cuda.nvtx
    for _ in range(3):
        nvtx.range_pop()  # without a push
    for name in (LONG, CONTROL, ""):
        nvtx.range_push(name)
        work(nn.Linear(8, 8, device=DEVICE))
        nvtx.range_pop()
    begun = []
    threads = [threading.Thread(target=lambda: begun.append(nvtx.range_start("left open")))]
    threads.append(threading.Thread(target=lambda: [nvtx.range_push(f"p{i}") for i in range(9)]))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    nvtx.range_end(begun[0])  # its thread has ended
    nvtx.range_end(begun[0])
    nvtx.range_end(12345678)

    def many():
        for i in range(distinct):
            nvtx.range_push(f"range {i}")
            nvtx.range_pop()

    # In a thread of its own: what its ring cannot hold is lost there and nowhere else.
    flood = threading.Thread(target=many)
    flood.start()
    flood.join()
    say("ranges", work(nn.Linear(8, 8, device=DEVICE)))
    say("modules after the ranges", work(After()))


def subinterpreter():
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        interpreters = None
    if interpreters is not None:
        other = interpreters.create()
        interpreters.run_string(other, "x = sum(i for i in range(100))")
        interpreters.destroy(other)
    with torch.no_grad():  # torch refuses a backward pass from now on, with and without us
        out = nn.Linear(8, 8, device=DEVICE)(torch.ones(4, 8, device=DEVICE))
    say("subinterpreter", tuple(out.shape))


def main():
    work(nn.Linear(8, 8, device=DEVICE))
    hooks_that_raise()
    patched_calls()
    names()
    recursion()
    ranges(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    subinterpreter()
    # Errors of ours left behind would come up in the next call that looks for one.
    ctypes.pythonapi.PyErr_Occurred.restype = ctypes.c_void_p
    say("no error left behind", ctypes.pythonapi.PyErr_Occurred())
    torch.cuda.synchronize()
    sys.exit(7)


main()
