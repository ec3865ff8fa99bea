# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What only Python knows about a profiled PyTorch program.

Embedded in the injector library and run in a module object of its own, in the main thread, once
torch is imported. Standard library only. It never prints and never raises into the program: the
native side counts and notes failures. Its functions are called by the native side (chain_of,
describe, optimizer_exists, on_first_call, install, follow_modules, uninstall) or are hooks of
torch and of sys.monitoring.
"""

import functools
import gc
import sys
import threading
import time
import weakref

import _flopsprof_native as native

torch = sys.modules["torch"]
hooks = sys.modules["torch.nn.modules.module"]
Module = hooks.Module

BACKWARD = 2  # shm::Phase::kBackward
KNOWN_PLACES = {200 * 10000 + 304, 176 * 10000 + 280}  # torch 2.8 to 2.14; 2.4
GRAPH_MODULE = "torch.fx.graph_module"

_frames = sys.modules.get("torch._C._dynamo.eval_frame")
set_eval_frame = getattr(_frames, "set_eval_frame", None)

_compiler = getattr(torch, "compiler", None)
compiling = getattr(_compiler, "is_compiling", None) or (lambda: False)

parents: dict = {}  # id(module) -> weak references to modules that were its parents, oldest first
_sweep_at = 100_000
_scanned_at = 0.0  # end of the last scan, and how long it took
_scan_seconds = None
_undo: list = []  # (function, arguments) that take our changes out again
_undo_calls: list = []  # the same for those of follow_modules()
_called = False  # on_first_call() was
_primary = None  # weak reference to the optimizer that stepped first
# .node_hook: the fallback's hook was entered on this thread; .calls: see enter_call()
_local = threading.local()


# ------------------------------------------------------------------------- parents of modules


def add_parent(child, parent) -> None:
    references = parents.setdefault(id(child), [])
    if not any(reference() is parent for reference in references):
        references.append(weakref.ref(parent))


def on_registration(parent, name, child):
    """Global registration hook: `child` becomes an attribute of `parent`."""
    if child is None or compiling():
        return None
    try:
        add_parent(child, parent)
        native.registered(child)
        if len(parents) > _sweep_at:
            sweep()
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def sweep() -> None:
    """Forgets parents that are gone."""
    global _sweep_at
    for key in list(parents):
        alive = [reference for reference in parents[key] if reference() is not None]
        if alive:
            parents[key] = alive
        else:
            del parents[key]
    _sweep_at = max(100_000, 2 * len(parents))


def scan() -> None:
    """Finds the parents of all modules that exist: those made before us, copied or unpickled."""
    global _scanned_at, _scan_seconds
    begin = time.monotonic()
    for thing in gc.get_objects():
        if not issubclass(type(thing), Module):
            continue
        children = thing.__dict__.get("_modules")
        for child in list(children.values()) if isinstance(children, dict) else ():
            if child is not None:
                add_parent(child, thing)
    _scanned_at = time.monotonic()
    _scan_seconds = _scanned_at - begin


def may_scan() -> bool:
    """At most 1 % of the time goes into scans."""
    return _scan_seconds is None or time.monotonic() - _scanned_at > 100 * _scan_seconds


def living_parent(module):
    """(parent, attribute name) of the oldest parent that still contains the module, or None."""
    for reference in parents.get(id(module), ()):
        parent = reference()
        if parent is None:
            continue
        for name, child in parent._modules.items():
            if child is module:
                return parent, name
    return None


def climb(module) -> list:
    """[root, name, module, name, module ...] down to `module`."""
    chain = [module]
    seen = {id(module)}
    while True:
        found = living_parent(chain[0])
        if found is None or id(found[0]) in seen:
            return chain
        seen.add(id(found[0]))
        chain[:0] = found


def first_path(root, wanted):
    """The path that named_modules() gives: the first one in depth-first order."""
    seen = set()
    stack = [(root, [root])]
    while stack:
        module, chain = stack.pop()
        if module is wanted:
            return chain
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name, child in reversed(list(module._modules.items())):
            if child is not None and id(child) not in seen:
                stack.append((child, chain + [name, child]))
    return None


def is_graph_module(module) -> bool:
    return any(base.__module__ == GRAPH_MODULE for base in type(module).__mro__)


def chain_of(module, outermost):
    """Where a module stands that was called by none of its parents."""
    if living_parent(module) is None and may_scan():
        scan()
    chain = climb(module)
    if len(chain) == 1:
        # A compiled region inside a forward or backward is part of whoever calls it.
        return None if not outermost and is_graph_module(module) else chain
    if len(parents.get(id(module), ())) > 1:
        return first_path(chain[0], module) or chain
    return chain


# --------------------------------------------------------------------------- parameter counts


def parameter_key(parameter):
    """Equal for parameters that are the same memory (tied weights)."""
    try:
        storage = parameter.untyped_storage().data_ptr()
        if storage and not hasattr(parameter, "ds_numel"):
            return storage, parameter.storage_offset(), tuple(parameter.shape)
    except Exception:
        pass  # meta, fake, sharded or lazy: only itself
    return id(parameter)


def element_count(parameter):
    """Of the whole parameter also where this rank holds a part; None: not known yet."""
    whole = getattr(parameter, "ds_numel", None)  # DeepSpeed ZeRO stage 3
    if whole is not None:
        return int(whole)
    try:
        return int(parameter.numel())  # DTensor: of the global tensor
    except Exception:
        return None  # lazy


def describe(root, root_scope) -> bool:
    """Reports every module of a root; False: some parameters have no sizes yet."""
    complete = True
    owner = set()  # keys of parameters that have an owner
    subtree: dict = {}  # id(module) -> {key: (elements, trainable)}
    own: dict = {}
    order = []  # (path, module) as named_modules() gives them
    seen = set()
    stack = [("", root)]
    while stack:
        path, module = stack.pop()
        if id(module) in seen:
            native.shared(module)
            continue
        seen.add(id(module))
        order.append((path, module))
        mine = 0
        keys = {}
        for parameter in module._parameters.values():
            if parameter is None:
                continue
            count = element_count(parameter)
            if count is None:
                complete = False
                continue
            key = parameter_key(parameter)
            keys[key] = (count, bool(parameter.requires_grad))
            if key not in owner:
                owner.add(key)
                mine += count
        subtree[id(module)] = keys
        own[id(module)] = mine
        for name, child in reversed(list(module._modules.items())):
            if child is not None:
                stack.append((f"{path}.{name}" if path else name, child))
    done = set()
    for path, module in reversed(order):  # children come before their parents
        keys = subtree[id(module)]
        for child in module._modules.values():
            if child is not None and id(child) in done:
                keys.update(subtree[id(child)])
        done.add(id(module))
    for position, (path, module) in enumerate(order):
        keys = subtree[id(module)].values()
        native.module_record(
            root_scope,
            path,
            type(module).__name__,
            position,
            module,
            own[id(module)],
            sum(count for count, _ in keys),
            sum(count for count, trainable in keys if trainable),
        )
    return complete


# ----------------------------------------------------------------------------- optimizer steps


def optimizer_exists() -> bool:
    """Was an optimizer made in this process? Its class then carries a wrapped step()."""
    base = getattr(getattr(torch, "optim", None), "Optimizer", None)
    stack = [base] if base is not None else []
    while stack:
        kind = stack.pop()
        if getattr(kind.__dict__.get("step"), "hooked", None):
            return True
        stack.extend(type.__subclasses__(kind))
    return False


def leave_raised(depths, frame) -> None:
    """Ends optimizer steps that raised: their caller is not on Python's stack any more."""
    running = set()
    while frame is not None:
        running.add(id(frame))
        frame = frame.f_back
    while depths and depths[-1][1] not in running:
        native.leave(depths.pop()[2])


def before_optimizer(optimizer, args, kwargs):
    if compiling():
        return None
    try:
        depths = getattr(_local, "optimizers", None)
        if depths is None:
            depths = _local.optimizers = []
        caller = sys._getframe(1)
        if depths:
            leave_raised(depths, caller.f_back)  # the caller itself has only begun
        depths.append((weakref.ref(optimizer), id(caller), native.optimizer_begin()))
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def after_optimizer(optimizer, args, kwargs):
    global _primary
    if compiling():
        return None
    try:
        depths = getattr(_local, "optimizers", [])
        while depths:  # a step() that raised has left its entry
            reference, _, depth = depths.pop()
            if reference() is optimizer:
                break
        else:
            return None
        if _primary is None or _primary() is None:
            _primary = weakref.ref(optimizer)
        native.optimizer_end(depth, 1 if _primary() is optimizer else 0)
        if not _triton:  # imported since?
            follow_triton()
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


# ------------------------------------------------------------------------ formulas of the program

Tensor = getattr(torch, "Tensor", None)
Parameter = getattr(sys.modules.get("torch.nn.parameter"), "Parameter", None)
_formulas: dict = {}  # name of an operation -> the program's function
_absent: set = set()  # those whose operation does not exist yet


def add_formula(name, function) -> None:
    """flopsprof.formula(name): what `function` says of the shapes is the operation's work."""
    followed = name in _formulas and name not in _absent
    _formulas[name] = function
    if not followed:
        follow_operation(name)


def follow_operation(name) -> None:
    """Stands in front of what torch.ops calls for the operation, and for nothing else."""
    _absent.add(name)
    namespace, _, rest = name.partition("::")
    packet = getattr(getattr(torch.ops, namespace), rest, None)
    if packet is None:
        return
    for holder in (packet, *(getattr(packet, overload) for overload in packet.overloads())):
        replace(holder, "_op", functools.partial(counted, name))
    _absent.discard(name)


def follow_absent() -> None:
    for name in list(_absent):
        follow_operation(name)


def counted(name, real):
    known: dict = {}  # shapes -> (text, flops or None, reason, type)

    def call(*args, **kwargs):
        kind = None
        for value in args:
            # Stand-ins for tensors (of torch.compile, of export) are of other types.
            if isinstance(value, Tensor):
                if type(value) is not Tensor and type(value) is not Parameter:
                    return real(*args, **kwargs)
                if kind is None and value.is_cuda:
                    kind = value.dtype
        if kind is None:
            return real(*args, **kwargs)
        number = native.operation_begin()
        try:
            result = real(*args, **kwargs)
        except BaseException:
            native.operation_abandon()
            raise
        try:
            if not number:
                native.operation_end(0, "", "", 0, 0, "", 0)
                return result
            parts = [part(value) for value in args]
            key = (*parts, kind, repr(kwargs) if kwargs else None)
            work = known.get(key)
            if work is None:
                work = evaluate(name, args, kwargs, result, parts, kind)
                if len(known) < 4096:
                    known[key] = work
            native.operation_end(number, name, *work)
        except Exception as error:
            native.failed(repr(error)[:200])
        return result

    return call


def part(value):
    """What of an argument decides the work."""
    if isinstance(value, Tensor):
        return tuple(value.shape)
    return value if isinstance(value, (int, float, str, type(None))) else type(value).__name__


def evaluate(name, args, kwargs, result, parts, kind) -> tuple:
    texts = []
    for index, value in enumerate(parts):
        if isinstance(value, tuple):
            texts.append(f"in{index}=[{','.join(map(str, value))}]")
        elif type(value) is int:
            texts.append(f"arg{index}={value}")
    number, reason = None, ""
    try:
        shapes = [v.shape if isinstance(v, Tensor) else v for v in args]
        named = {k: v.shape if isinstance(v, Tensor) else v for k, v in kwargs.items()}
        number = _formulas[name](*shapes, **named)
        if type(number) is not int or not 0 <= number < 1 << 63:
            number, reason = None, f"the formula returned {number!r}, not a count"[:200]
    except Exception as error:
        reason = f"the formula raised {error!r}"[:200]
    known = number is not None
    return " ".join(texts), int(known), number or 0, reason, scalar_type(kind)


def scalar_type(kind) -> int:
    """c10::ScalarType + 1, 0 = not known here."""
    numbers = {"int8": 1, "float16": 5, "float32": 6, "float64": 7, "bfloat16": 15,
               "float8_e5m2": 23, "float8_e4m3fn": 24}  # fmt: skip
    return numbers.get(str(kind).rpartition(".")[2], -1) + 1


# Scalar type + 1 by the width in Proton's keys; 16 bits: fp16 and bf16 have the same peaks.
TRITON_FLOPS = {"flops": 0, "flops8": 25, "flops16": 6, "flops32": 7, "flops64": 8}
_triton = False


def follow_triton() -> None:
    """Triton's launch hooks, which it calls with what a kernel's launch_metadata says."""
    global _triton
    runtime = getattr(sys.modules.get("triton.knobs"), "runtime", None)
    enter = getattr(runtime, "launch_enter_hook", None)
    leave = getattr(runtime, "launch_exit_hook", None)
    if _triton or not (hasattr(enter, "add") and hasattr(leave, "add")):
        return
    _triton = True
    enter.add(before_kernel)
    leave.add(after_kernel)
    _undo.append((enter.remove, (before_kernel,)))
    _undo.append((leave.remove, (after_kernel,)))


def before_kernel(metadata) -> None:
    if not getattr(metadata, "extras", None):
        return  # no launch_metadata: nothing to be known
    try:
        if getattr(_local, "kernel", None) is not None:
            native.operation_abandon()  # its launch failed
        _local.kernel = native.operation_begin()
    except Exception as error:
        native.failed(repr(error)[:200])


def after_kernel(metadata) -> None:
    number = getattr(_local, "kernel", None)
    if number is None:
        return
    _local.kernel = None
    name, flops, kind, reason = "(Triton kernel)", 0, 0, ""
    try:
        # Here the program's own function runs.
        said = metadata.get()
        name = str(said.get("name", name))
        counts = {key: said[key] for key in TRITON_FLOPS if key in said}
        flops = sum(int(count) for count in counts.values())
        kind = TRITON_FLOPS[next(iter(counts))] if len(counts) == 1 else 0
        if not counts:
            reason = "its launch_metadata gives no flops"
        elif not 0 <= flops < 1 << 63:
            flops, reason = 0, f"its launch_metadata gives {flops} flops"[:200]
    except Exception as error:
        reason = f"its launch_metadata raised {error!r}"[:200]
    try:
        native.operation_end(number, name, "", int(not reason), flops, reason, kind)
    except Exception as error:
        native.failed(repr(error)[:200])


def take_formulas() -> None:
    """Those that the program had named before we came."""
    for name, function in getattr(sys.modules.get("flopsprof"), "_formulas", {}).items():
        add_formula(name, function)


# ------------------------------------------------------------------- checkpoint, FSDP2, replicas


def replace(owner, name, make, undo=_undo) -> None:
    """owner.name = make(old), remembered for uninstall()."""
    old = owner.__dict__.get(name)
    if old is None:
        return
    new = make(old)
    try:
        new.__wrapped__ = old
    except Exception:
        pass
    setattr(owner, name, new)
    skip_in_dynamo(new)

    def restore():
        if owner.__dict__.get(name) is new:
            setattr(owner, name, old)

    undo.append((restore, ()))


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


def follow_fsdp() -> None:
    """FSDP2 gathers ahead: collectives belong to the module whose parameters they move."""
    group_module = sys.modules.get("torch.distributed.fsdp._fully_shard._fsdp_param_group")
    group = getattr(group_module, "FSDPParamGroup", None)
    if group is None or getattr(group, "_flopsprof_followed", False):
        return

    def make(method):
        def wrapped(self, *args, **kwargs):
            if compiling():
                return method(self, *args, **kwargs)
            scope = native.scope_of(self.modules[0])
            if native.current_phase() == BACKWARD:
                native.push_node(scope)
                try:
                    return method(self, *args, **kwargs)
                finally:
                    native.pop_node()
            depth = native.push_scope(scope)
            try:
                return method(self, *args, **kwargs)
            finally:
                native.leave(depth)

        return wrapped

    for name in ("unshard", "post_backward"):
        replace(group, name, make)
    group._flopsprof_followed = True
    _undo.append((setattr, (group, "_flopsprof_followed", False)))


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


def skip_in_dynamo(function) -> None:
    """Keeps Dynamo from compiling our functions where they run between compiled pieces."""
    try:
        if hasattr(_frames, "skip_code"):
            _frames.skip_code(function.__code__)
        elif hasattr(_frames, "set_code_exec_strategy"):
            action = _frames._FrameAction
            strategy = _frames._FrameExecStrategy(action.SKIP, action.DEFAULT)
            _frames.set_code_exec_strategy(function.__code__, strategy)
    except Exception:
        pass  # then Dynamo sees a few frames more


# ------------------------------------------------------------------------------------ backward


def in_thread(function) -> None:
    """A fresh thread has no grad, autocast, device or dispatch mode of the program."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join()


def search_places() -> int:
    """Finds where RecordFunction keeps the numbers of a backward node; 0: not found.

    Nodes are called directly: that runs the callback, but not the autograd engine, whose threads
    would make a later fork() of the program unusable.
    """
    places = set()
    for _ in range(3):
        if not native.search_begin():
            return 0
        for extra in (3, 1000, 17, 5):
            made = []

            def forward(extra=extra, made=made):
                try:
                    x = torch.ones(1, device="cpu", requires_grad=True)
                    for _ in range(extra):
                        x * 1
                    numbers = native.next_sequence(), native.thread_number()
                    made.append((x * 1, numbers))
                except Exception as error:
                    native.failed(repr(error)[:200])

            def backward(made=made):
                try:
                    y, numbers = made.pop()
                    native.search_expect(*numbers)
                    y.grad_fn(torch.ones(1, device="cpu"))
                except Exception as error:
                    native.failed(repr(error)[:200])

            skip_in_dynamo(forward)
            skip_in_dynamo(backward)
            in_thread(forward)
            in_thread(backward)
        places.add(native.search_end())
    return places.pop() if len(places) == 1 else 0


def follow_nodes() -> bool:
    """Fallback without the callback: hooks on every node, made when the node is."""
    creation = getattr(torch.autograd.graph, "node_creation_hook", None)
    if creation is None or not native.node_hooks_allowed():
        return False

    def created(node):
        scope = native.current_scope()
        node.register_prehook(lambda gradients: native.push_node(scope))
        node.register_hook(lambda inputs, outputs: native.pop_node())

    _local.node_hook = creation(created)
    _local.node_hook.__enter__()
    return True


def on_first_call() -> None:
    """Before the first call of a module; never during `import torch` (import lock).

    When no calls will be seen: at once, so that recomputation in a backward pass is.
    """
    global _called
    if _called:
        return
    _called = True
    follow_fsdp()
    follow_absent()
    follow_triton()
    places = search_places()
    if places:
        native.follow_backward(places)
        version = getattr(torch, "__version__", "?")
        if places in KNOWN_PLACES:
            native.note("backward", "callback")
        else:
            native.note("backward", f"callback, new places {places} in torch {version}")
    elif follow_nodes():
        native.note("backward", "node hooks on the first thread")
    else:
        native.note("backward", "not attributed: no usable callback in this torch")


# ------------------------------------------------ module calls where the native hook did not fit


def is_call(frame) -> bool:
    """Does the frame run torch's Module._call_impl?"""
    return frame.f_code.co_name == "_call_impl" and frame.f_globals is hooks.__dict__


def leave_lost(calls, frame) -> None:
    """Leaves calls that are not on Python's stack, from `frame` down, any more.

    A frame that was looked at once keeps its id while it runs, and whichever id is used again
    later belongs to a call that has been through here; so no frame is kept alive for this.
    """
    running = set()
    while frame is not None:
        if is_call(frame):
            if id(frame) == calls[-1][0]:
                return
            running.add(id(frame))
        frame = frame.f_back
    while calls and calls[-1][0] not in running:
        native.leave(calls.pop()[1])


def enter_call(frame, module) -> None:
    """Open calls of this thread are (id of the frame of _call_impl, native depth before it)."""
    calls = getattr(_local, "calls", None)
    if calls is None:
        calls = _local.calls = []
    if calls:
        leave_lost(calls, frame.f_back)
    calls.append((id(frame), native.depth()))  # before: a signal may raise between the two
    native.module_enter(module)


def leave_call(frame) -> None:
    calls = getattr(_local, "calls", ())
    for position in range(len(calls) - 1, -1, -1):
        if calls[position][0] == id(frame):
            native.leave(calls[position][1])
            del calls[position:]
            return


def follow_by_monitoring():
    """sys.monitoring on the one function that all calls go through. Says why not, or nothing."""
    monitoring = getattr(sys, "monitoring", None)
    code = getattr(Module._call_impl, "__code__", None)
    if monitoring is None:
        return "no sys.monitoring before Python 3.12"
    if code is None:
        return "_call_impl has no code to monitor"

    def own_self(self):
        return native.self_of(sys._getframe())

    if own_self(code) is not code:
        return "frames of this Python do not tell their variables"
    free = [tool for tool in (4, 3) if monitoring.get_tool(tool) is None]  # unnamed tools
    if not free:
        return "sys.monitoring is taken by other tools"
    tool, events = free[0], monitoring.events

    def on_start(_code, _offset):
        try:
            frame = sys._getframe(1)
            module = native.self_of(frame)
            if module is not None:
                enter_call(frame, module)
        except Exception as error:
            native.failed(repr(error)[:200])

    def on_end(ended, _offset, _result):
        if ended is not code:
            return  # another function's exception
        try:
            leave_call(sys._getframe(1))
        except Exception as error:
            native.failed(repr(error)[:200])

    def stop():
        monitoring.set_events(tool, 0)
        monitoring.set_local_events(tool, code, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

    callbacks = {
        events.PY_START: on_start,
        events.PY_RETURN: on_end,
        events.PY_UNWIND: on_end,
    }
    monitoring.use_tool_id(tool, "flopsprof")
    _undo_calls.append((stop, ()))
    for event, callback in callbacks.items():
        skip_in_dynamo(callback)
        monitoring.register_callback(tool, event, callback)
    # Unwinding cannot be watched in one function only. It costs the unwound frames, nothing else.
    monitoring.set_events(tool, events.PY_UNWIND)
    monitoring.set_local_events(tool, code, events.PY_START | events.PY_RETURN)
    return None


def compiler_used() -> bool:
    """Has anything been handed to Dynamo? Its import alone means little: optimizers import it."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    if dynamo is None:
        return False
    backends = getattr(dynamo, "cached_backends", None)  # of everything made for compiling
    return not isinstance(backends, dict) or any(map(callable, list(backends.values())))


def refuse(reason) -> None:
    native.modules_refused(reason)
    on_first_call()


def step_aside() -> None:
    """Takes the global hooks out for good: they would change what is compiled."""
    if not _undo_calls:
        return
    take_out(_undo_calls)
    for call in getattr(_local, "calls", ())[:1]:
        native.leave(call[1])
    _local.calls = []
    refuse("torch.compile is used, and global hooks would break its graphs")


def frame_of_call(frame):
    """Hooks are called by _call_impl or by a function inside of it."""
    return frame if is_call(frame) else frame.f_back if is_call(frame.f_back) else None


def before_call(module, args):
    if compiling():
        return None
    try:
        if not getattr(_local, "calls", None) and compiler_used():
            step_aside()
            return None
        frame = frame_of_call(sys._getframe(1))
        if frame is not None:
            enter_call(frame, module)
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def after_call(module, args, output):
    if compiling():
        return None
    try:
        frame = frame_of_call(sys._getframe(1))
        if frame is not None:
            leave_call(frame)
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def follow_by_hooks():
    """Global module hooks, until something is compiled. Says why not, or nothing."""
    before = getattr(hooks, "register_module_forward_pre_hook", None)
    after = getattr(hooks, "register_module_forward_hook", None)
    if before is None or after is None:
        return "no global module hooks in this torch"
    if compiler_used():
        return "torch.compile is used, and global hooks would break its graphs"

    def make(original):
        @functools.wraps(original)
        def compile(*args, **kwargs):
            step_aside()
            return original(*args, **kwargs)

        return compile

    for function in (is_call, leave_lost, enter_call, leave_call, frame_of_call):
        skip_in_dynamo(function)
    replace(torch, "compile", make, _undo_calls)
    add_hook(before, before_call, _undo_calls)
    try:
        add_hook(after, after_call, _undo_calls, always_call=True)
    except TypeError:  # an older torch: after an exception, until the next call
        add_hook(after, after_call, _undo_calls)
    return None


def follow_modules(way, reason) -> None:
    """Follows calls without the native hook, which did not fit for `reason`.

    `way` is the only one to try, or empty.
    """
    reasons = [reason] if reason else []
    for name, follow, text in (
        ("monitoring", follow_by_monitoring, "sys.monitoring"),
        ("hooks", follow_by_hooks, "global hooks"),
    ):
        if way not in ("", name):
            continue
        problem = follow()
        if problem is None:
            native.note("modules", text)
            return
        reasons.append(problem)
    refuse("; ".join(reasons))


# ----------------------------------------------------------------------------------- installing


def add_hook(register, hook, undo=_undo, **options) -> None:
    skip_in_dynamo(hook)
    handle = register(hook, **options)
    undo.append((handle.remove, ()))


def install() -> None:
    global _scan_seconds
    _scan_seconds = None
    register = getattr(hooks, "register_module_module_registration_hook", None)
    if register is not None:
        add_hook(register, on_registration)
    optimizers = sys.modules.get("torch.optim.optimizer")
    for name, hook in (
        ("register_optimizer_step_pre_hook", before_optimizer),
        ("register_optimizer_step_post_hook", after_optimizer),
    ):
        register = getattr(optimizers, name, None)
        if register is not None:
            add_hook(register, hook)
    follow_checkpoints()
    follow_fsdp()
    follow_replicas()
    take_formulas()
    follow_triton()
    native.note("torch", str(getattr(torch, "__version__", "?")))


def take_out(undo) -> None:
    while undo:
        function, arguments = undo.pop()
        function(*arguments)


def uninstall() -> None:
    take_out(_undo_calls)
    take_out(_undo)
