# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Layers of a program whose forward is a straight line: what one call does tells what each like it does.

A forward without branches, loops and calls of the program's own functions, which calls nothing but
what is in the lists below, runs the same operators for the same sizes. So the operators of one call are
counted, and calls with the same sizes add the same; a mode of PyTorch costs three times what an operator
costs. Transformers' Conv1D, its activations and its RMS norms are such layers. A forward of which anything is not
understood is none.
"""

import ast
import inspect
import math
import textwrap
import types

import torch
from torch import nn
from torch.nn import functional

# Of tensors, of torch and of torch.nn.functional. Their work and the sizes of their results follow from
# the sizes of what goes in, never from its values, and no integer tensor comes out.
_NAMES = frozenset(
    """view reshape size shape dim ndim numel transpose permute contiguous flatten unsqueeze squeeze expand
 expand_as view_as T mT chunk split dtype device to float half bfloat16 type_as float32 float16 float64
 add sub mul div pow sqrt rsqrt square exp log tanh sigmoid erf abs neg reciprocal sin cos mean sum var
 softmax log_softmax relu gelu silu leaky_relu elu softplus hardswish hardtanh clamp maximum minimum
 addmm matmul mm bmm baddbmm linear layer_norm rms_norm cat stack""".split()
)
_MODULES = {torch: ("nn", "functional", "_C", "_nn"), nn: ("functional",), functional: (), math: ()}
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.MatMult)
_PLAIN = frozenset((int, float, bool, str, type(None)))
_FUNCTIONS = (types.BuiltinFunctionType, types.FunctionType)
_functorch = torch._C._functorch.peek_interpreter_stack
_function_modes = getattr(torch._C, "_len_torch_function_stack", lambda: 0)

MOST = 4096  # calls of different sizes that a session remembers
_attributes = {}  # code of a forward -> names of the module's attributes that it reads, or None


class _NotStraight(Exception):
    pass


class _Reader:
    """Reads one forward; raises _NotStraight at the first thing that is not in the lists."""

    def __init__(self, function, names):
        self._globals = function.__globals__
        self._locals = set(names)
        self._self = names[0]
        self.attributes = {}

    def statement(self, node) -> None:
        if isinstance(node, ast.Assign):
            self.value(node.value)
            for target in node.targets:
                self._assign(target)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.value(node.value)
            self._assign(node.target)
        elif isinstance(node, ast.Return) and node.value is not None:
            self.value(node.value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # a text on top
            raise _NotStraight

    def _assign(self, target) -> None:
        for one in target.elts if isinstance(target, ast.Tuple) else (target,):
            if not isinstance(one, ast.Name) or one.id == self._self:
                raise _NotStraight
            self._locals.add(one.id)

    def value(self, node) -> None:
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.Name) and node.id in self._locals and node.id != self._self:
            return
        if isinstance(node, ast.Tuple):
            parts = node.elts
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            parts = (node.left, node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            parts = (node.operand,)
        elif isinstance(node, ast.Call):
            parts = (node.func, *node.args, *(keyword.value for keyword in node.keywords))
        elif isinstance(node, ast.Subscript) and _is_constant(node.slice):
            parts = (node.value,)
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
            return
        else:
            raise _NotStraight
        for part in parts:
            self.value(part)

    def _attribute(self, node) -> None:
        below = node.value
        if isinstance(below, ast.Name) and below.id == self._self:
            self.attributes[node.attr] = None
        elif self._module(below) is not None:
            if not (self._module(below) is math or node.attr in _NAMES):
                raise _NotStraight
        elif node.attr in _NAMES:
            self.value(below)
        else:
            raise _NotStraight

    def _module(self, node):
        """torch, math or torch.nn.functional, where the program names it so."""
        if isinstance(node, ast.Name) and node.id not in self._locals:
            found = self._globals.get(node.id)
            return found if isinstance(found, types.ModuleType) and found in _MODULES else None
        if isinstance(node, ast.Attribute):
            above = self._module(node.value)
            if above is not None and node.attr in _MODULES[above]:
                found = getattr(above, node.attr, None)
                return found if isinstance(found, types.ModuleType) and found in _MODULES else None
        return None


def _is_constant(node) -> bool:
    """[-1], [:-1], [..., 0]: no value of a tensor says how much is left."""
    if isinstance(node, ast.Slice):
        return all(part is None or _is_constant(part) for part in (node.lower, node.upper, node.step))
    if isinstance(node, ast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def _source(function):
    """The parsed text of the function, if it is what runs: the file may have changed since."""
    text = textwrap.dedent(inspect.getsource(function))
    (node,) = ast.parse(text).body
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.args.vararg or node.args.kwarg:
        raise _NotStraight
    node.returns = None
    for argument in (*node.args.args, *node.args.kwonlyargs):
        argument.annotation = None
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [one and ast.Constant(None) for one in node.args.kw_defaults]
    # Python calls functions of an imported module otherwise than those of another global.
    modules = [name for name in function.__code__.co_names
               if isinstance(function.__globals__.get(name), types.ModuleType)]  # fmt: skip
    body = [ast.Import([ast.alias(name) for name in modules]), node] if modules else [node]
    made = compile(ast.fix_missing_locations(ast.Module(body, [])), "forward", "exec")
    (code,) = [one for one in made.co_consts if isinstance(one, types.CodeType)]
    running = function.__code__
    same = ("co_code", "co_names", "co_varnames", "co_freevars", "co_consts")
    if running.co_freevars or any(getattr(code, name) != getattr(running, name) for name in same):
        raise _NotStraight
    return node


def _read(function):
    try:
        node = _source(function)
        reader = _Reader(function, [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)])
        for statement in node.body:
            reader.statement(statement)
        return tuple(reader.attributes)
    except Exception:  # no source, a syntax of later Pythons: its operators are counted
        return None


def attributes_of(module):
    """Names of what the forward reads of the module, or None where it is no straight line."""
    function = getattr(type(module), "forward", None)  # TorchScript's is found in instances only
    if type(function) is not types.FunctionType or "forward" in module.__dict__ or module._modules:
        return None
    code = function.__code__
    if code not in _attributes:
        _attributes[code] = _read(function)
    names = _attributes[code]
    if names is None or any(hasattr(type(module), name) for name in names):  # a property runs code
        return None
    return names


def _sizes(value):
    """What the work depends on; None for what cannot be told."""
    kind = type(value)
    if kind is torch.Tensor or kind is nn.Parameter:
        if value.layout is not torch.strided or not value.is_floating_point():
            return None
        return value.shape, value.dtype, value.device, value.requires_grad
    if kind in _PLAIN:
        return kind, value
    if kind in _FUNCTIONS and value.__name__ in _NAMES:
        known = kind is types.BuiltinFunctionType or value.__module__ == "torch.nn.functional"
        return value if known else None
    return value if kind is torch.dtype and value.is_floating_point else None


def key_of(names, module, args, kwargs):
    """What calls of the same work have in common, or None: nobody knows."""
    if module._forward_hooks or module._forward_pre_hooks or _function_modes() or _functorch() is not None:
        return None
    if getattr(module, "_compiled_call_impl", None) is not None:  # its operators are the compiler's
        return None
    key = [type(module).forward, torch.is_grad_enabled(), torch.is_inference_mode_enabled()]
    for value in args:
        key.append(_sizes(value))
    for name, value in kwargs.items():
        key.append(name)
        key.append(_sizes(value))
    own, parameters, buffers = module.__dict__, module._parameters, module._buffers
    for name in names:
        value = own.get(name, parameters)
        if value is parameters:
            value = parameters.get(name, buffers)
            if value is buffers:
                value = buffers.get(name, own)
        key.append(_sizes(value))
    return None if None in key else tuple(key)
