# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules that are replaced, wrapped, unwrapped, copied, loaded again: one class for each kind.

Every Linear is 16 to 16 without bias on 8 rows: one product of 4,096 flops a call.
"""

import copy
import io

import torch
from torch import nn

X = torch.ones(8, 16).cuda()


def layer():
    return nn.Linear(16, 16, bias=False).cuda()


class Adapter(nn.Module):
    """As of peft: what it wraps, and something beside it."""

    def __init__(self, inner):
        super().__init__()
        self.base_layer, self.extra = inner, layer()

    def forward(self, x):
        return self.base_layer(x) + self.extra(x)


class One(nn.Module):
    def __init__(self, child):
        super().__init__()
        self.q = child

    def forward(self, x):
        return self.q(x)


def kind(name, base=One):
    return type(name, (base,), {})


def call(model, times=1):
    for _ in range(times):
        model(X)


def merged():
    model = kind("Merged")(Adapter(layer()))
    call(model, 2)
    model.q = model.q.base_layer
    call(model, 3)


def merged_and_back():
    adapter = Adapter(layer())
    model = kind("MergedAndBack")(adapter)
    call(model, 2)
    model.q = adapter.base_layer
    call(model)
    model.q = adapter
    call(model)


def wrapped():
    model = kind("Wrapped")(layer())
    call(model, 2)
    model.q = nn.Sequential(model.q, layer())
    call(model, 3)


def checkpointed():
    model = kind("Checkpointed")(layer())
    call(model, 2)
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

    model.q = checkpoint_wrapper(model.q)
    call(model, 3)


def replaced():
    model = kind("Replaced")(layer())
    call(model, 2)
    model.q = nn.Linear(16, 32, bias=False).cuda()
    call(model, 1)


def items():
    model = kind("Items")(nn.Sequential(layer(), layer()))
    call(model, 2)
    model.q[1] = layer()
    call(model)


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([layer(), layer()])

    def forward(self, x):
        for one in self.layers:
            x = one(x)
        return x


def listed():
    model = Listed()
    call(model, 2)
    model.layers[0] = layer()
    call(model)
    model.layers = nn.ModuleList(list(model.layers)[1:])  # the second is now the first
    call(model)


def late():
    model = kind("Late")(nn.Sequential(layer()))
    call(model)
    model.q._modules["1"] = layer()  # no hook of torch sees this
    call(model)


def pair():
    cls = kind("Pair")
    first, second = cls(layer()), cls(layer())
    call(first, 1)
    call(second, 2)


class Loaded(One):
    pass


def loaded():
    model = Loaded(layer())
    call(model)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    call(torch.load(file, weights_only=False), 2)


class OwnNames(nn.Module):
    def __init__(self):
        super().__init__()
        self._orig_mod, self.module = layer(), layer()

    def forward(self, x):
        return self.module(self._orig_mod(x))


class DataParallel(One):
    """Has only the name of PyTorch's."""

    def __init__(self):
        super().__init__(None)
        self.module = layer()

    def forward(self, x):
        return self.module(x)


class Student(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.body = nn.Sequential(*(layer() for _ in range(depth)))

    def forward(self, x):
        return self.body(x)


class Teacher(Student):
    pass


def trains():
    """A student of two layers, its average, and a teacher with more of everything."""
    student, teacher = Student(2), Teacher(5)
    average = copy.deepcopy(student)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for _ in range(3):
        with torch.no_grad():
            target = teacher(X)
        (student(X) - target).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            average(X)


def main():
    with torch.no_grad():
        for case in (merged, merged_and_back, wrapped, checkpointed, replaced, items, listed,
                     late, pair, loaded):  # fmt: skip
            case()
        call(OwnNames())
        call(DataParallel())
    trains()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
