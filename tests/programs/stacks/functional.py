# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Functional code outside of modules: ROUNDS products and additions from two functions."""

import sys

import torch


def inner_product(a, b):
    return torch.matmul(a, b)


def über_sum(a, b):
    return a + b


class Holder:
    def step(self, a, b):
        return über_sum(inner_product(a, b), b)


def main(rounds):
    a = torch.ones(32, 32, device="cuda")
    b = torch.ones(32, 32, device="cuda")
    holder = Holder()
    for _ in range(rounds):
        holder.step(a, b)
    torch.cuda.synchronize()


main(int(sys.argv[1]))
