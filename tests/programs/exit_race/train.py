# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains, and ends while a thread of the autograd engine still has references of the last backward()
to drop. With late_thread.c preloaded, that thread waits for Python's lock when Python ends."""

import atexit
import ctypes

import torch

late = ctypes.PyDLL(None)  # with Python's lock held

net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Linear(32, 8)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.ones(16, 64, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    net(x).sum().backward()


for _ in range(3):
    step()
    optimizer.step()
torch.cuda.synchronize()
late.late_thread_arm()
step()
late.late_thread_returned()
optimizer.step()


@atexit.register  # the last that is registered runs first
def tell():
    print("asks", late.late_thread_python_ends(), flush=True)
