# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Children called by `forward` in one instance of a class of two, and what raises when looked at."""

import gc
import sys
import weakref

import torch
from torch import nn


class Calls(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x):
        return x if self.part is None else self.part.forward(x)


class Strange(nn.Linear):
    __module__ = None


def raises():
    raise RuntimeError("not to be asked")


def made_and_gone(x):
    class Short(nn.Linear):
        pass

    nn.Sequential(Short(8, 8).cuda())(x)
    return weakref.ref(Short)


def main():
    x = torch.ones(4, 8).cuda()
    if "raise" in sys.argv:
        sys.modules["torch.cuda.tunable"].is_enabled = raises
        nn.Sequential(Strange(8, 8), nn.Linear(8, 8)).cuda()(x)
        return
    nn.Sequential(Calls(None), Calls(nn.Linear(8, 8))).cuda()(x)
    gone = made_and_gone(x)
    gc.collect()
    print(gone() is None)


if __name__ == "__main__":
    main()
