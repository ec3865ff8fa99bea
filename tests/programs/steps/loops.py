# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training loops of many kinds: loops.py KIND [NUMBER]. Counts by hand in integration/steps_test.py."""

import asyncio
import copy
import inspect
import pickle
import sys
import threading
import time

import torch
from torch import nn
from torch.nn import functional as F

ROWS, INPUTS, WIDTH, CLASSES = 16, 32, 48, 10


def net(width=WIDTH):
    layers = nn.Linear(INPUTS, width, bias=False), nn.ReLU(), nn.Linear(width, CLASSES, bias=False)
    return nn.Sequential(*layers).cuda()


def batch():
    return torch.randn(ROWS, INPUTS).cuda(), torch.zeros(ROWS, dtype=torch.long).cuda()


def micro(model, data):
    F.cross_entropy(model(data[0]), data[1]).backward()


def evaluate(model, data):
    with torch.no_grad():
        model(data[0])


def train(model, optimizer, data, steps=3):
    for _ in range(steps):
        micro(model, data)
        optimizer.step()
        optimizer.zero_grad()


def until_optimizers_are_counted():
    """Those that are made: a moment after the first use of the GPU."""
    deadline = time.monotonic() + 30
    while not hasattr(torch.optim.Optimizer.__init__, "__wrapped__"):
        if time.monotonic() > deadline:
            raise TimeoutError("the shim was not installed")
        time.sleep(0.01)


def plain(steps):
    model = net()
    train(model, torch.optim.SGD(model.parameters(), lr=1e-3), batch(), steps or 3)


def evaluations(_):
    """Before, after each step, and with gradients after the last one."""
    model, data = net(), batch()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    evaluate(model, data)
    for _ in range(3):
        train(model, optimizer, data, 1)
        evaluate(model, data)
    model(data[0])


def late_optimizer(_):
    """Two forwards of a check before there is an optimizer."""
    model, data = net(), batch()
    evaluate(model, data)
    model(data[0])
    train(model, torch.optim.SGD(model.parameters(), lr=1e-3), data)


def accumulation(_):
    """Two micro-batches a step, the last step has one, and one more is left over."""
    model, data = net(), batch()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for count in (2, 2, 1):
        for _ in range(count):
            micro(model, data)
        optimizer.step()
        optimizer.zero_grad()
    micro(model, data)


def closures(_):
    model, data = net(), batch()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
    calls = []

    def closure():
        calls[-1] += 1
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data[0]), data[1])
        loss.backward()
        return loss

    for _ in range(3):
        calls.append(0)
        optimizer.step(closure)
    print(*calls)


def gan(critics, first=False, turns=3):
    generator = nn.Linear(12, 24, bias=False).cuda()
    critic = nn.Linear(24, 8, bias=False).cuda()
    for_critic = torch.optim.Adam(critic.parameters())
    for_generator = torch.optim.Adam(generator.parameters())
    noise, real = torch.randn(ROWS, 12).cuda(), torch.randn(ROWS, 24).cuda()

    def step_critic():
        (critic(generator(noise).detach()) - critic(real)).mean().backward()
        for_critic.step()
        for_critic.zero_grad()

    def step_generator():
        critic(generator(noise)).mean().backward()
        for_generator.step()
        for_generator.zero_grad()

    for _ in range(turns):
        if first:
            step_generator()
        for _ in range(critics):
            step_critic()
        if not first:
            step_generator()


def generator_first(critics):
    gan(critics, first=True)


def one_never_steps(critics):
    """An optimizer was made first and is not used (of a model that is not trained any more)."""
    model = net()
    until_optimizers_are_counted()
    unused = torch.optim.SGD(model.parameters(), lr=1e-3)
    gan(critics, turns=4)
    del unused


def beside_unused(steps):
    """One optimizer steps; another was made before it and never does."""
    model = net()
    until_optimizers_are_counted()
    unused = torch.optim.SGD(model.parameters(), lr=1e-3)
    train(model, torch.optim.AdamW(model.parameters(), lr=1e-3), batch(), steps)
    del unused


def one_turn_of_gan(_):
    gan(2, turns=1)


def groups(_):
    """Two optimizers in each iteration, a third in every second one."""
    model, data = net(), batch()
    adam = torch.optim.AdamW(model[0].parameters())
    sgd = torch.optim.SGD(model[2].parameters(), lr=1e-3)
    third = torch.optim.SGD(model[2].parameters(), lr=1e-4)
    for step in range(4):
        micro(model, data)
        adam.step()
        sgd.step()
        if step % 2 == 1:
            third.step()
        model.zero_grad()


def stages(_):
    """Five steps with one optimizer, then five with another."""
    model, data = net(), batch()
    first = torch.optim.SGD(model.parameters(), lr=1e-3)
    second = torch.optim.SGD(model.parameters(), lr=1e-3)
    train(model, first, data, 5)
    train(model, second, data, 5)


def averaged(_):
    model, data = net(), batch()
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(3):
        train(model, optimizer, data, 1)
        average.update_parameters(model)
    evaluate(average, data)


def teacher(_):
    """The teacher's forward comes first in each iteration."""
    model, data = net(), batch()
    frozen = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(3):
        evaluate(frozen, data)
        train(model, optimizer, data, 1)


def threads(_):
    def work(width, steps):
        model = net(width)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        data = batch()
        for _ in range(steps):
            barrier.wait()
            micro(model, data)
            barrier.wait()
            optimizer.step()
            optimizer.zero_grad()

    barrier = threading.Barrier(2)
    both = [threading.Thread(target=work, args=(width, 3)) for width in (WIDTH, 20)]
    torch.zeros(1).cuda()
    for one in both:
        one.start()
    for one in both:
        one.join()


def thread_after_forwards(_):
    """Forwards that are no steps, three steps; then a thread makes five with a model of its own."""
    model, data = net(), batch()
    for _ in range(20):
        model(data[0])
    train(model, torch.optim.SGD(model.parameters(), lr=1e-3), data)

    def work():
        other = Two()
        train(other, torch.optim.SGD(other.parameters(), lr=1e-3), data, 5)

    beside = threading.Thread(target=work)
    beside.start()
    beside.join()


def graph(_):
    """Three steps as they are, then a graph of a whole step, replayed twice."""
    model, data = net(), batch()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            micro(model, data)
            optimizer.step()
    torch.cuda.current_stream().wait_stream(side)
    whole = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(whole):
        micro(model, data)
        optimizer.step()
    for _ in range(2):
        whole.replay()
    torch.cuda.synchronize()


def inference(_):
    model, data = net(), batch()
    for _ in range(3):
        evaluate(model, data)


def train_step(model, data):
    """No optimizer: two forwards, one backward, the update by hand, a check."""
    loss = model(data[0]).mean() + model(data[0]).mean()
    for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        p.data -= 0.01 * g
    evaluate(model, data)


def by_hand(_):
    model, data = net(), batch()
    for _ in range(3):
        train_step(model, data)


async def awaited_step(model, data, *, more=None):
    train_step(model, data)
    return more


def awaited(_):
    """A step that is awaited, of a function that others hold: it stays the one that they hold."""
    model, data = net(), batch()
    held = {"step": awaited_step}
    for turn in range(3):
        step = pickle.loads(pickle.dumps(held["step"]))
        assert step is held["step"] is awaited_step and inspect.iscoroutinefunction(step)
        begun = step(model, data, more=turn)  # a step begins when it runs
        evaluate(model, data)
        assert asyncio.run(begun) == turn
    assert inspect.getfullargspec(awaited_step)[0] == ["model", "data"]
    assert "train_step(model" in inspect.getsource(awaited_step)


class Closed(type):
    def __setattr__(cls, name, value):
        raise AttributeError(f"{name} of {cls.__name__} is not to be changed")


class Trainer(metaclass=Closed):
    last = None

    def step(self, model, data, *rest, **named):
        __class__  # noqa: B018  (a closure, as super() makes one)
        train_step(model, data)
        assert (self.last, rest, named) == (None, (1,), {"two": 2})

    @staticmethod
    def alone(model, data):
        train_step(model, data)


def closed(_):
    """Steps of a class that lets nobody change it."""
    model, data = net(), batch()
    for _ in range(3):
        Trainer().step(model, data, 1, two=2)


def static(_):
    model, data = net(), batch()
    for _ in range(3):
        Trainer.alone(model, data)


class Refusing(dict):
    """Names of a module that raise when they are looked at."""

    def get(self, name, default=None):
        raise RuntimeError(name)


class Odd:
    __dict__ = property(lambda self: Refusing())


def odd(_):
    """The place that NAME means cannot be looked into; the rest of the profile is whole."""
    sys.modules["odd"] = Odd()
    model, data = net(), batch()
    train(model, torch.optim.SGD(model.parameters(), lr=1e-3), data)


def generated_step(model, data):
    train_step(model, data)
    yield 1


def generated(_):
    model, data = net(), batch()
    assert inspect.isgeneratorfunction(generated_step)
    for _ in range(3):
        assert list(generated_step(model, data)) == [1]


def inner_step(model, data, /, *, twice=True):
    loss = model(data[0]).mean()
    return loss + model(data[0]).mean() if twice else loss


def compiled_step(model, data):
    return inner_step(model, data)


def compiled(_):
    """Dynamo follows a function that begins steps, and one that is called in what it compiles."""
    model, data = net(), batch()
    evaluate(model, data)
    step = torch.compile(compiled_step, backend="eager", fullgraph=True)
    for _ in range(3):
        loss = step(model, data)
        torch.autograd.grad(loss, list(model.parameters()))
        evaluate(model, data)


def said(_):
    import flopsprof

    model, data = net(), batch()
    evaluate(model, data)
    for _ in range(3):
        flopsprof.step()
        train_step(model, data)


def shared_and_said(_):
    """Two threads share a model: one says steps before and after the two of the other."""
    import flopsprof

    model, data = net(), batch()

    def work(steps):
        for _ in range(steps):
            flopsprof.step()
            micro(model, data)
            evaluate(model, data)

    work(2)
    beside = threading.Thread(target=work, args=(2,))
    beside.start()
    beside.join()
    work(2)


def ranges(_):
    model, data = net(), batch()
    evaluate(model, data)
    for _ in range(3):
        torch.cuda.nvtx.range_push("turn")
        train_step(model, data)
        torch.cuda.nvtx.range_pop()


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = net(), nn.Linear(CLASSES, CLASSES, bias=False).cuda()

    def forward(self, x):
        return self.second(self.first(x))


def parts(_):
    """Each forward calls the part `first` once."""
    model, (x, _) = Two(), batch()
    with torch.no_grad():
        for _ in range(3):
            model(x)


def main():
    torch.manual_seed(0)
    globals()[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
