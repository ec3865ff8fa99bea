# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""From the words of a command line to a model and its input."""

import ast
import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys

import torch
from torch import nn

from .errors import CountError, a, loading_error, place_of, words_of

_IMAGE = "1x3x224x224"  # what models of torchvision are counted with where nothing is said
_FORMS = "a model is FILE.py:NAME, MODULE:NAME or a name of torchvision.models"


def _module_of(place):
    """A file by its path, or a module by its name."""
    if not place.endswith(".py"):
        try:
            return importlib.import_module(place)
        except Exception as error:
            if isinstance(error, ModuleNotFoundError) and f"{place}.".startswith(f"{error.name}."):
                raise CountError(f"cannot import {place}: {error}",
                                 "is it installed in this Python, and on PYTHONPATH?") from error  # fmt: skip
            raise loading_error("load", place, error) from error
    if not os.path.isfile(place):
        raise CountError(f"no file {place}", f"check the path; {_FORMS}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(place)))
    name = os.path.splitext(os.path.basename(place))[0]
    spec = importlib.util.spec_from_file_location(name, place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise loading_error("load", place, error) from error
    return module


def _near(word, names) -> str:
    near = difflib.get_close_matches(word, names, 3)
    return f"did you mean {' or '.join(near)}? " if near else ""


def _named(place, name):
    value = _module_of(place)
    for part in name.split("."):
        if not hasattr(value, part):
            names = [one for one in vars(value) if not one.startswith("_")] if hasattr(value, "__dict__") else []
            raise CountError(f"{place} has no {part}", _near(part, names) + _FORMS)
        value = getattr(value, part)
    return value


def _of_torchvision(name, arguments, device):
    try:
        from torchvision import models
    except ImportError:
        raise CountError(f"{name}: torchvision is not installed in this Python", _FORMS) from None
    names = models.list_models()
    if name not in names:
        raise CountError(f"torchvision.models has no {name}", _near(name, names) + _FORMS)
    arguments = {"weights": None, **arguments}
    try:
        return models.get_model(name, **arguments)
    except Exception as error:
        raise _cannot_be_made(name, models.get_model_builder(name), arguments, device, error) from error


def _arguments(words) -> dict:
    given = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise CountError(f"--arg {word}: expected NAME=VALUE", "for example: --arg num_classes=10")
        try:
            given[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            given[name] = value  # a text
    return given


def _cannot_be_made(target, value, arguments, device, error) -> CountError:
    try:
        inspect.signature(value).bind(**arguments)
        arguments_fit = True
    except (TypeError, ValueError):
        arguments_fit = False
    if not arguments_fit:
        step = ("give its arguments: --arg NAME=VALUE; where they are objects, name FILE.py:FUNCTION that returns"
                " the model")  # fmt: skip
    elif device == "meta":
        step = "with --device meta tensors have no values: leave it out"
    else:
        step = f"it failed at {place_of(error)}"
        if arguments:
            step += "; where an argument is an object, name FILE.py:FUNCTION that returns the model"
    return CountError(f"{target} cannot be made: {words_of(error)}", step)


def _called(value, target, arguments, device):
    """What a class or a function gives: a model, or a model and its input."""
    if isinstance(value, nn.Module):
        if arguments:
            raise CountError(f"{target} is a model already", "leave --arg out, or name its class")
        return value, None
    if not callable(value):
        raise CountError(f"{target} is {a(type(value).__name__)}, not a model",
                         "name a module, its class, or a function that returns it")  # fmt: skip
    try:
        made = value(**arguments)
    except Exception as error:
        raise _cannot_be_made(target, value, arguments, device, error) from error
    model, inputs = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    if not isinstance(model, nn.Module):
        raise CountError(f"{target} gives {a(type(model).__name__)}, not a model",
                         "it has to return a module, or a module and its input")  # fmt: skip
    return model, inputs


def _input(word, model):
    name, equals, sizes = word.rpartition("=")
    sizes, _, dtype = sizes.partition(":")
    if not re.fullmatch(r"\d+([x,]\d+)*", sizes) or (equals and not name.isidentifier()):
        raise CountError(f"--input {word}: expected [NAME=]SIZExSIZE...[:TYPE]",
                         "for example: --input 1x3x224x224, --input input_ids=1x128:int64")  # fmt: skip
    kind = getattr(torch, dtype, None) if dtype else None
    if dtype and not isinstance(kind, torch.dtype):
        raise CountError(f"--input {word}: torch has no type {dtype}", "for example: float32, bfloat16, int64")
    first = next((p for p in model.parameters() if p.is_floating_point()), None)
    if kind is None and first is not None:
        kind = first.dtype
    device = next((p.device for p in model.parameters()), None)
    return name, torch.zeros([int(size) for size in re.split("[x,]", sizes)], dtype=kind, device=device)


def _inputs(words, made, target, model) -> tuple:
    """(args, kwargs) of the call: as said, else as the target's function gave them."""
    if words:
        named = [_input(word, model) for word in words]
        return [value for name, value in named if not name], {name: value for name, value in named if name}
    if made is None:
        raise CountError(f"with which input is {target} called?", "say its sizes: --input 1x3x224x224, once for each")
    if isinstance(made, dict):
        return [], made
    return (list(made) if isinstance(made, (tuple, list)) else [made]), {}


def _device(word):
    example = "for example: cpu, cuda, meta"
    try:
        where = torch.device(word or "cpu")
    except RuntimeError as error:
        raise CountError(f"--device {word}: torch knows no such device", example) from error
    try:
        torch.empty(0, device=where)
    except Exception as error:
        raise CountError(f"--device {word}: {words_of(error)}", example) from error
    return where


def model_and_input(target, words, arguments, device, trains) -> tuple:
    """(model, args, kwargs)."""
    place, colon, name = target.rpartition(":")
    arguments = _arguments(arguments)
    where = _device(device)
    with where:
        if colon:
            model, made = _called(_named(place, name), target, arguments, device)
        else:
            model, made = _of_torchvision(target, arguments, device), None
            words = words or [_IMAGE]
    if device:
        model = model.to(where)
    model.train(trains)
    args, kwargs = _inputs(words, made, target, model)
    return model, args, kwargs
