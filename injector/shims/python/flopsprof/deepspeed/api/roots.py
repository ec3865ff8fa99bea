# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a profile may begin with: a module, a method of one, or a function."""

from torch import nn


def as_module(model) -> tuple:
    """(module, name of its method to call). A function becomes the root of a tree of its own."""
    if isinstance(model, nn.Module):
        return model, "forward"
    if isinstance(model, type):
        raise AssertionError(f"model must be a PyTorch module, not the class {model.__name__}")
    owner = getattr(model, "__self__", None)
    if isinstance(owner, nn.Module):
        return owner, model.__name__
    if callable(model):
        return _function_root(model), "forward"
    raise AssertionError("model must be a PyTorch module")


def _function_root(function):
    """Modules that the function calls and does not own are counted as part of it."""

    def forward(self, *args, **kwargs):
        return function(*args, **kwargs)

    name = getattr(function, "__name__", type(function).__name__)
    root = type(name, (nn.Module,), {"forward": forward})()
    root.eval()
    for cell in getattr(function, "__closure__", None) or ():
        _adopt(root, cell)
    return root


def _adopt(root, cell) -> None:
    try:
        value = cell.cell_contents
    except ValueError:  # not filled yet
        return
    if isinstance(value, nn.Module):
        root.add_module(str(len(root._modules)), value)
