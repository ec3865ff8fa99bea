# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which module is whose child, under which name, and how many parameters each has."""

import gc
import time
import weakref

from _flopsprof_base import Module, add_hook, compiling, hooks, native
from _flopsprof_phases import follow_late

GRAPH_MODULE = "torch.fx.graph_module"

parents: dict = {}  # id(module) -> weak references to modules that were its parents, oldest first
_sweep_at = 100_000
_scanned_at = 0.0  # end of the last scan, and how long it took
_scan_seconds = None


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
        follow_late()
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
    # A compiled region inside a forward or backward is part of whoever calls it; so is what
    # compiled autograd makes of a whole pass, a graph in torch.compile's wrapper.
    if not outermost and (is_graph_module(chain[0]) or is_graph_module(
            chain[0]._modules.get("_orig_mod"))):  # fmt: skip
        return None
    if len(chain) == 1:
        return chain
    if len(parents.get(id(module), ())) > 1:
        return first_path(chain[0], module) or chain
    return chain


# -------------------------------------------------------------------------- parameter counts


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


def install() -> None:
    global _scan_seconds
    _scan_seconds = None
    register = getattr(hooks, "register_module_module_registration_hook", None)
    if register is not None:
        add_hook(register, on_registration)
