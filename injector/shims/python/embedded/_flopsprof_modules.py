# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which module is whose child, and under which name."""

import gc
import time
import weakref

import _flopsprof_parameters as parameters
from _flopsprof_base import Module, add_hook, compiling, hooks, native, replace
from _flopsprof_phases import follow_late

GRAPH_MODULE = "torch.fx.graph_module"

parents: dict = {}  # id(module) -> weak references to modules that were its parents, oldest first
_sweep_at = 100_000
_scanned_at = 0.0  # end of the last scan, and how long it took
_scan_seconds = None


def add_parent(child, parent) -> None:
    references = parents.setdefault(id(child), [])
    for reference in references:
        if reference() is parent:
            return
    # A slice of a ModuleList is a new parent, for a moment: some models make one at each call.
    references[:] = [reference for reference in references if reference() is not None]
    references.append(weakref.ref(parent))


def on_registration(parent, name, child):
    """Global registration hook: `child` becomes an attribute of `parent`."""
    if child is None or compiling():
        return None
    try:
        add_parent(child, parent)
        native.registered(child)
        follow_late()
        parameters.on_new_child(parent)
        if len(parents) > _sweep_at:
            sweep()
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def tell_moves(original):
    """Module._apply, by which modules are moved to another device: described again after it."""

    def _apply(self, *arguments, **named):
        result = original(self, *arguments, **named)
        if not compiling():
            parameters.on_moved(self)
        return result

    return _apply


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


def install() -> None:
    global _scan_seconds
    _scan_seconds = None
    register = getattr(hooks, "register_module_module_registration_hook", None)
    if register is not None:
        add_hook(register, on_registration)
    replace(Module, "_apply", tell_moves)
