# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Hard cases of attribution to modules and phases: each runs in a step of its own.

    cases.py [name ...]

Prints one JSON line a case: {"case", "step", "right", "error"}. The unit is the forward of one
Linear(64, 64) on 8 rows; its backward is 2 units. `right` is [forward, backward, recompute], or
{phase: units}, of each module itself, derived by hand, in the paths of the root that was called.

On CASES_DEVICE=cpu the products are counted here, with $SCOPES_PROBE, and each line has "found".
"""

import asyncio
import json
import os
import sys
import threading
import types

import torch
from torch import nn
from torch.nn.utils import clip_grad_value_
from torch.utils.checkpoint import checkpoint

import flopsprof

UNIT = 2 * 8 * 64 * 64
DEVICE = os.environ.get("CASES_DEVICE", "cuda")
CASES = {}


def case(right):
    def add(function):
        CASES[function.__name__] = (function, right)
        return function

    return add


def linear():
    return nn.Linear(64, 64, bias=False, device=DEVICE)


def rows(grad=True, device=DEVICE):
    return torch.randn(8, 64, device=device, requires_grad=grad)


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = linear(), linear()

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Wrap(nn.Module):
    """`way` decides how the inner modules are called."""

    def __init__(self, way, **parts):
        super().__init__()
        self.way = way
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.way(self, *inputs)


def train(model, *inputs):
    model(*inputs).sum().backward()


PLAIN = {"a": [1, 2, 0], "b": [1, 2, 0]}


@case(PLAIN)
def plain():
    train(Two(), rows())


@case({"t.a": [1, 2, 1], "t.b": [1, 2, 0]})
def checkpoint_no_reentry():
    train(Wrap(lambda m, x: checkpoint(m.t, x, use_reentrant=False), t=Two()), rows())


@case({"t.a": [1, 2, 1], "t.b": [1, 2, 1]})
def checkpoint_reentrant():
    train(Wrap(lambda m, x: checkpoint(m.t, x, use_reentrant=True), t=Two()), rows())


@case({"t.a": [1, 2, 2], "t.b": [1, 2, 1]})
def checkpoint_nested_reentrant():
    # The outer region recomputes a and b; b's predecessor a is checkpointed once more.
    def inner(m, x):
        return m.t.b(torch.relu(checkpoint(m.t.a, x, use_reentrant=True)))

    train(Wrap(lambda m, x: checkpoint(lambda y: inner(m, y), x, use_reentrant=True), t=Two()), rows())


@case({"t.a": [1, 2, 2], "t.b": [1, 2, 0]})
def checkpoint_nested():
    def inner(m, x):
        return m.t.b(torch.relu(checkpoint(lambda y: torch.relu(m.t.a(y)), x, use_reentrant=False)))

    train(Wrap(lambda m, x: checkpoint(lambda y: inner(m, y), x, use_reentrant=False), t=Two()), rows())


@case({"": [2, 4, 2], "last": [1, 2, 0]})
def checkpoint_of_functions():
    # Products outside any child, recomputed when `last` fetches its input: no module is
    # entered then.  Right: the module that called checkpoint.
    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)
    v = torch.randn(64, 64, device=DEVICE, requires_grad=True)

    def way(m, x):
        return checkpoint(lambda y: m.last(torch.relu(torch.relu(y @ w) @ v)), x, use_reentrant=False)

    # early stop: everything up to the last saved tensor: both products are recomputed
    train(Wrap(way, last=linear()), rows())


@case({"s": [2, 4, 0]})
def shared_twice():
    train(Wrap(lambda m, x: m.s(m.s(x)), s=linear()), rows())


@case({"s": [2, 4, 0], "o.a": [1, 2, 0]})
def shared_under_two_names():
    s = linear()
    o = Wrap(lambda m, x: m.a(m.t(x)), t=s, a=linear())
    train(Wrap(lambda m, x: m.o(m.s(x)), s=s, o=o), rows())


@case({"a": [2, 4, 0], "b": [2, 4, 0]})
def threads_call_modules():
    model = Two()

    def work():
        x = rows()
        for _ in range(1):
            model(x).sum().backward()

    pool = [threading.Thread(target=work) for _ in range(2)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()


@case(PLAIN)
def forward_here_backward_there():
    out = []
    model = Two()
    thread = threading.Thread(target=lambda: out.append(model(rows()).sum()))
    thread.start()
    thread.join()
    model(rows(False).detach()[:0])  # this thread has numbers of its own
    out[0].backward()


@case({"a": [1, 2, 0], "b": [1, 2, 0]})
def late_backward_of_dead_thread():
    # Many threads come and go between forward and backward.
    model, out = Two(), []
    thread = threading.Thread(target=lambda: out.append(model(rows()).sum()))
    thread.start()
    thread.join()
    for _ in range(20):
        thread = threading.Thread(target=lambda: rows().sum().backward())
        thread.start()
        thread.join()
    out[0].backward()


@case({"a": [1, 3, 0], "b": [1, 1, 0]})
def grad_inside_forward():
    # d(a x)/dx inside forward (1 dgrad of a), then b; a's weight and input again: 2.
    def way(m, x):
        y = m.a(x)
        (g,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
        return m.b(y.detach()) + y + g

    train(Wrap(way, a=linear(), b=linear()), rows())


@case({"a": [1, 5, 0], "b": [1, 2, 0]})
def double_backward():
    model, x = Two(), rows()

    def norm():
        (g,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        g.square().sum().backward()

    norm()


@case({"a": [1, 2, 1]})
def function_calls_module_in_backward():
    f = None

    class Recompute(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with torch.no_grad():
                return m.a(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            x = x.detach().requires_grad_()
            with torch.enable_grad():
                y = m.a(x)
            torch.autograd.backward(y, g)
            return x.grad

    m = Wrap(lambda m, x: Recompute.apply(x), a=linear())
    train(m, rows())


@case({"a": [4, 8, 0], "b": [4, 8, 0]})
def gradient_accumulation():
    model = Two()
    for _ in range(4):
        train(model, rows())


@case({"a": [1, 4, 0], "b": [1, 4, 0]})
def retain_graph():
    loss = Two()(rows()).sum()
    loss.backward(retain_graph=True)
    loss.backward()


# With FLOPSPROF_BACKWARD=callback the node before gets the work.
@case({"a": [1, 3, 0], "b": [1, 2, 0]})
def tensor_hook_launches_work():
    w = torch.randn(64, 64, device=DEVICE)

    def way(m, x):
        y = m.a(x)
        y.register_hook(lambda g: (g @ w) * 0 + g)
        return m.b(y)

    train(Wrap(way, a=linear(), b=linear()), rows())


@case({"a": [2, 4, 0], "b": [2, 4, 0]})
def exception_in_backward():
    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            raise ValueError

    model = Two()
    train(model, rows())
    try:  # on the CPU: a pass on this thread, whose node must not stay open
        Raises.apply(torch.ones(2, requires_grad=True)).sum().backward()
    except ValueError:
        pass
    train(model, rows())


@case({"a": [1, 3, 0], "b": [1, 2, 0]})
def accumulate_hook_launches_work():
    model = Two()
    w = torch.randn(64, 64, device=DEVICE)
    model.a.weight.register_post_accumulate_grad_hook(lambda p: (p.grad[:8] @ w, None)[1])
    train(model, rows())


@case({"": [1, 2, 0], "t.a": [1, 2, 0], "t.b": [1, 2, 0]})
def full_backward_hooks():
    model = Two()
    model.a.register_full_backward_hook(lambda m, gi, go: None)
    model.b.register_full_backward_pre_hook(lambda m, go: None)
    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)
    train(Wrap(lambda m, x: m.t(x @ w), t=model), rows())


@case({"t.a": [2, 4, 0], "t.b": [2, 4, 0]})
def data_parallel():
    model = nn.DataParallel(Wrap(lambda m, x: m.t(x), t=Two()).to("cuda:0"), [0, 1])
    model(torch.randn(16, 64, device="cuda:0", requires_grad=True)).sum().backward()


# Known limit: inside of a scripted module nothing is called in Python.
@case({"": [2, 4, 0]})
def scripted():
    model = torch.jit.script(Two())
    x = rows()
    train(model, x)


# Known limit: as above.
@case({"s": [2, 4, 0], "c": [1, 2, 0]})
def scripted_child():
    train(Wrap(lambda m, x: m.c(m.s(x)), s=torch.jit.script(Two()), c=linear()), rows())


@case({"a": [1, 0, 0], "b": [1, 0, 0]})
def inference_mode():
    with torch.inference_mode():
        Two()(rows(False))


@case({"a": [2, 2, 0], "b": [1, 2, 0]})
def exception_in_forward():
    def way(m, x, fail):
        y = m.a(x)
        if fail:
            raise ValueError
        return m.b(y)

    model = Wrap(way, a=linear(), b=linear())
    try:
        model(rows(), True)
    except ValueError:
        pass
    model(rows(), False).sum().backward()


@case({"a": [2, 2, 0], "b": [1, 2, 0]})
def keyboard_interrupt_in_forward():
    def way(m, x, fail):
        y = m.a(x)
        if fail:
            raise KeyboardInterrupt
        return m.b(y)

    model = Wrap(way, a=linear(), b=linear())
    try:
        model(rows(), True)
    except KeyboardInterrupt:
        pass
    model(rows(), False).sum().backward()


# Known limit: the body of a generator belongs to whoever iterates.
@case({"": [1, 2, 0], "h": [1, 2, 0]})
def generator_forward():
    # g's own work runs when the parent iterates: right would be g itself.
    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)

    def own(m, x):
        yield torch.relu(x @ w)

    g = Wrap(own)
    train(Wrap(lambda m, x: m.h(next(m.g(x))), g=g, h=linear()), rows())


@case({"a": [2, 0, 0], "b": [2, 0, 0]})
def async_forward():
    class Slow(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = linear(), linear()

        async def forward(self, x):
            x = self.a(x)
            await asyncio.sleep(0)
            return self.b(x)

    model = Slow()

    async def both():
        await asyncio.gather(model(rows(False)), model(rows(False)))

    asyncio.run(both())


@case({"": [1, 2, 0], "a": [1, 2, 0], "b": [1, 2, 0]})
def functional_between():
    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)
    train(Wrap(lambda m, x: m.b(m.a(x) @ w), a=linear(), b=linear()), rows())


@case({"(outside)": [1, 2, 0], "a": [1, 2, 0], "b": [1, 2, 0]})
def functional_outside():
    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)
    (Two()(rows()) @ w).sum().backward()


@case({"a": [1, 2, 0], "b": [1, 2, 0], "(outside)": [1, 2, 0]})
def made_before_any_module():
    # Nodes of the program that existed before any module ran on this thread.
    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)
    early = (rows() @ w).sum()
    train(Two(), rows())
    early.backward()


@case({"": [2, 4, 0]})
def compiled():
    model = torch.compile(Two(), backend=os.environ.get("BACKEND", "aot_eager"))
    train(model, rows())


@case({"": [2, 4, 0]})
def container_compiled_in_place():
    # torch's own container: its compiled call is not _call_impl.
    model = nn.Sequential(linear(), nn.ReLU(), linear())
    model.compile(backend=os.environ.get("BACKEND", "aot_eager"))
    train(model, rows())


@case({"0": [1, 2, 0], "1": [1, 2, 0]})
def container_compiled_in_place_breaks():
    # Dynamo gives up the loop over the children: each is called, and compiled, by itself.
    def way(m, x):
        torch._dynamo.graph_break()
        return x @ m.weight

    broken = Wrap(way)
    broken.weight = nn.Parameter(torch.randn(64, 64, device=DEVICE))
    model = nn.Sequential(linear(), broken)
    model.compile(backend=os.environ.get("BACKEND", "aot_eager"))
    train(model, rows())


@case({"(outside)": [0, 4, 0], "a": [1, 0, 0], "b": [1, 0, 0]})
def compiled_autograd():
    # The whole pass is one graph: of no module, but in the right phase.
    from torch._dynamo import compiled_autograd as compiled

    enable = getattr(compiled, "_enable", None) or compiled.enable
    with enable(torch.compile(backend="eager")):
        train(Two(), rows())


@case({"a": [1, 2, 0], "b": [1, 2, 0]})
def capture():
    # Executed: the run before the capture. The captured run and its replays are reported apart.
    model, x = Two(), rows()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        train(model, x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        train(model, x)
    graph.replay()


@case({"": [1, 2, 0], "e.0": [1, 2, 0]})
def module_made_inside_forward():
    def way(m, x):
        if not hasattr(m, "e"):
            m.e = nn.Sequential(linear())
        return nn.functional.linear(m.e(x), m.e[0].weight)

    train(Wrap(way), rows())


@case({"a": [1, 2, 0], "b": [1, 2, 0]})
def deep_copy():
    import copy

    train(copy.deepcopy(Wrap(lambda m, x: m(x), t=Two())).t, rows())


@case({"s": [1, 2, 0], "o.a": [1, 2, 0]})
def vmap_and_func():
    model = Wrap(lambda m, x: m.o(m.s(x)), s=linear(), o=Wrap(lambda m, x: m.a(x), a=linear()))
    parameters = dict(model.named_parameters())

    def loss(p, x):
        return torch.func.functional_call(model, p, (x,)).sum()

    torch.func.grad(loss, argnums=(0, 1))(parameters, rows(False))


@case(PLAIN)
def parametrized():
    model = Two()
    nn.utils.parametrizations.weight_norm(model.a)
    train(model, rows())


@case(PLAIN)
def saved_tensor_hooks():
    with torch.autograd.graph.save_on_cpu():
        model, x = Two(), rows()
        loss = model(x).sum()
    loss.backward()


@case({"t.a": [1, 2, 1], "t.b": [1, 2, 0]})
def checkpoint_wrapper_of_fsdp():
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

    train(Wrap(lambda m, x: m.t(x), t=checkpoint_wrapper(Two())), rows())


@case({"a": [1, 5, 0], "b": [1, 4, 0]})
def gradient_penalty():
    # d/dx: b and a once. Of the loss: each twice. Of the penalty: the product with a's weight
    # twice, the one with b's once (its other factor is constant).
    model, x = Two(), rows()
    score = model(x).sum()
    (g,) = torch.autograd.grad(score, x, create_graph=True)
    (score + (g.norm() - 1) ** 2).backward()


@case({"f": [1, 2, 0], "a": [1, 2, 0]})
def function_launches_products_in_backward():
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            return x @ w

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g @ w.t(), x.t() @ g

    w = torch.randn(64, 64, device=DEVICE, requires_grad=True)
    f = Wrap(lambda m, x: Product.apply(x, w))
    train(Wrap(lambda m, x: m.f(m.a(x)), a=linear(), f=f), rows())


@case(PLAIN)
def layers_on_two_devices():
    model = Two()
    model.b.to("cuda:1")
    model.a.register_forward_hook(lambda m, i, o: o.to("cuda:1"))
    train(model, rows())


# From here on an optimizer is there: forwards without gradients are evaluation.


class Stepping(torch.optim.SGD):
    """One product a step."""

    def step(self, closure=None):
        rows(False) @ torch.randn(64, 64, device=DEVICE)
        return super().step(closure)


ONE_EACH = {"forward": 1, "backward": 2, "evaluation": 1}


@case({"a": ONE_EACH, "b": ONE_EACH, "(outside)": {"optimizer": 2}})
def evaluation_between_steps():
    model = Two()
    optimizer = Stepping(model.parameters(), lr=0.1)
    optimizer.step()
    train(model, rows())
    optimizer.step()
    with torch.no_grad():
        model(rows())


@case({"a": {"evaluation": 1, "forward": 2, "backward": 2},
       "b": {"evaluation": 1, "forward": 2, "backward": 2}})  # fmt: skip
def evaluation_in_inference_mode_but_not_in_eval_mode():
    model = Two()
    train(model.eval(), rows())
    model.train()
    with torch.inference_mode():
        model(rows(False))
    model(rows())


@case({"t.a": [1, 2, 1], "t.b": [1, 2, 1]})
def checkpoint_is_no_evaluation():
    # Reentrant: its first forward runs without gradients, inside of a root that has them.
    checkpoint_reentrant()


@case({"a": [1, 2, 0], "b": [1, 2, 0], "(outside)": {"clipping": 3, "forward": 1}})
def clipping():
    model = Two()
    train(model, rows())

    def parameters():
        rows(False) @ torch.randn(64, 64, device=DEVICE)
        yield from model.parameters()

    torch.nn.utils.clip_grad_norm_(parameters(), 1.0)
    clip_grad_value_(parameters(), 1.0)
    if hasattr(torch.nn.utils, "get_total_norm"):
        torch.nn.utils.get_total_norm(parameters())
    else:
        torch.nn.utils.clip_grad_norm_(parameters(), 1.0)
    list(parameters())


@case({"a": [1, 2, 0], "b": [1, 2, 0], "(outside)": {"scaling": 1, "optimizer": 1}})
def scaling():
    class Losses(list):
        def __iter__(self):
            rows(False) @ torch.randn(64, 64, device=DEVICE)
            return super().__iter__()

    model = Two()
    optimizer = Stepping(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(DEVICE)
    for loss in list.__iter__(scaler.scale(Losses([model(rows()).sum()]))):
        loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


@case({"a": {"forward": 1, "backward": 2, "optimizer": 1}, "b": [1, 2, 0]})
def optimizer_in_backward():
    model = Two()
    optimizer = Stepping([model.a.weight], lr=0.1)
    model.a.weight.register_post_accumulate_grad_hook(lambda p: optimizer.step())
    train(model, rows())


@case({"a": {"generate": 2}, "b": {"generate": 2}})
def generate():
    name = "transformers.generation.utils"
    if name not in sys.modules:
        sys.modules[name] = types.ModuleType(name)

        class GenerationMixin:
            def generate(self, x, tokens):
                for _ in range(tokens):
                    x = self(x)
                return x

        sys.modules[name].GenerationMixin = GenerationMixin

    class Model(Two, sys.modules[name].GenerationMixin):
        pass

    Model().generate(rows(False), 2)


def main() -> None:
    if DEVICE == "cpu":
        import counted_products as counted

        counted.begin()
    torch.zeros(1, device=DEVICE)  # the profiler starts with CUDA
    for step, name in enumerate(sys.argv[1:] or list(CASES)):
        function, right = CASES[name]
        flopsprof.step()
        error = None
        try:
            function()
        except BaseException as raised:
            error = repr(raised)[:200]
        line = {"case": name, "step": step, "right": right, "error": error}
        if DEVICE == "cpu":
            line["found"] = counted.take(UNIT)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
