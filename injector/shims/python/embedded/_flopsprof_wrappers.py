# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Work that PyTorch does elsewhere than where it belongs: checkpoint, FSDP, replicas, compile()."""

import functools
import sys
import types
import weakref

from _flopsprof_base import Module, compiling, native, replace, skip_in_dynamo, undo
from _flopsprof_imports import when_imported

BACKWARD = 2  # shm::Phase::kBackward

_in_place: list = []  # weak references to the modules that in_place() stands in front of


def follow_checkpoints() -> None:
    """Recomputation belongs to where checkpoint() was called, not to who needs it first."""
    checkpoint = sys.modules.get("torch.utils.checkpoint")
    frame = getattr(checkpoint, "_CheckpointFrame", None)
    if frame is None:
        return

    def make(original):
        def __init__(self, recompute_fn, *args, **kwargs):
            if compiling():
                return original(self, recompute_fn, *args, **kwargs)
            scope = native.current_scope()

            def recompute(*inputs, **named):
                depth = native.push_scope(scope)
                try:
                    return recompute_fn(*inputs, **named)
                finally:
                    native.leave(depth)

            skip_in_dynamo(recompute)
            return original(self, recompute, *args, **kwargs)

        return __init__

    replace(frame, "__init__", make)


def follow_fsdp2(parameters) -> None:
    """FSDP gathers ahead: collectives belong to the module whose parameters they move."""
    group = getattr(parameters, "FSDPParamGroup", None)
    if group is None:
        return

    def make(method):
        def wrapped(self, *args, **kwargs):
            modules = getattr(self, "modules", None) or [getattr(self, "module", None)]  # 2.4: one
            if modules[0] is None:
                return method(self, *args, **kwargs)
            return in_module(modules[0], method, (self, *args), kwargs)

        return wrapped

    for name in ("unshard", "post_backward"):
        replace(group, name, make)


def follow_fsdp1(runtime) -> None:
    def make(function):
        def wrapped(state, handle, *args, **kwargs):
            module = getattr(handle, "_fully_sharded_module", None)
            if module is None:
                return function(state, handle, *args, **kwargs)
            return in_module(module, function, (state, handle, *args), kwargs)

        return wrapped

    for name in ("_unshard", "_post_backward_hook"):
        replace(runtime, name, make)


def in_module(module, function, args, kwargs):
    """Calls the function as a part of the module, in the phase of now."""
    if compiling():
        return function(*args, **kwargs)
    scope = native.scope_of(module)
    if native.current_phase() == BACKWARD:
        native.push_node(scope)
        try:
            return function(*args, **kwargs)
        finally:
            native.pop_node()
    depth = native.push_scope(scope)
    try:
        return function(*args, **kwargs)
    finally:
        native.leave(depth)


skip_in_dynamo(in_module)


def follow_replicas() -> None:
    """DataParallel makes new modules in each forward: they are the original, elsewhere."""
    parallel = sys.modules.get("torch.nn.parallel.data_parallel")
    kind = getattr(parallel, "DataParallel", None)
    if kind is None:
        return

    def make(original):
        def replicate(self, module, device_ids):
            replicas = original(self, module, device_ids)
            try:
                scope = native.scope_of(module)
                for replica in replicas:
                    if replica is not module:
                        native.alias(replica, scope)
            except Exception as error:
                native.failed(repr(error)[:200])
            return replicas

        return replicate

    replace(kind, "replicate", make)


def in_place(compiled, module):
    """What Module.compile() has made, as a call of the module."""
    reference = weakref.ref(module)

    @functools.wraps(compiled)  # Dynamo's attributes too: traced from outside, it is not there
    def call(*args, **kwargs):
        module = reference()
        if module is None or compiling():
            return compiled(*args, **kwargs)
        depth = native.enter_in_place(module)
        try:
            return compiled(*args, **kwargs)
        finally:
            native.leave(depth)

    skip_in_dynamo(call)
    return call


def follow_compilation_in_place() -> None:
    """Module.compile() of torch's own containers calls a copy of _call_impl, not the hooked one."""
    code = in_place(in_place, in_place).__code__  # all calls have the same

    def make(original):
        @functools.wraps(original)
        def compile(self, *args, **kwargs):
            original(self, *args, **kwargs)
            try:
                compiled = self.__dict__.get("_compiled_call_impl")
                inner = getattr(compiled, "__wrapped__", None)
                if isinstance(inner, types.FunctionType):  # the hook sees a bound _call_impl
                    self._compiled_call_impl = in_place(compiled, self)
                    _in_place.append(weakref.ref(self))
            except Exception as error:
                native.failed(repr(error)[:200])

        return compile

    def leave():
        for reference in _in_place:
            module = reference()
            ours = None if module is None else module.__dict__.get("_compiled_call_impl")
            if getattr(ours, "__code__", None) is code:
                module._compiled_call_impl = ours.__wrapped__
        _in_place.clear()

    replace(Module, "compile", make)
    undo.append((leave, ()))


def install() -> None:
    follow_checkpoints()
    when_imported("torch.distributed.fsdp._runtime_utils", follow_fsdp1)
    when_imported("torch.distributed.fsdp._fully_shard._fsdp_param_group", follow_fsdp2)
    when_imported("torch.distributed._composable.fsdp._fsdp_param_group", follow_fsdp2)  # to 2.5
    follow_replicas()
    follow_compilation_in_place()
