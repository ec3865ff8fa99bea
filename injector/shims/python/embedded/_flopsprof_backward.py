# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which module a backward node belongs to: the native callback, or hooks on every node."""

import threading

import _flopsprof_step_at as step_at
from _flopsprof_base import native, skip_in_dynamo, torch
from _flopsprof_formulas import follow_absent
from _flopsprof_imports import look_again
from _flopsprof_phases import follow_late

# Of a node: torch 2.14; 2.4 to 2.8. Of a RecordFunction: torch 2.8 to 2.14; 2.4.
KNOWN_PLACES = {
    "engine": {16 * 10000 + 40, 24 * 10000 + 48},
    "callback": {200 * 10000 + 304, 176 * 10000 + 280},
}

_called = False  # on_first_call() was
_local = threading.local()  # .node_hook: the fallback's hook was entered on this thread


def in_thread(function) -> None:
    """A fresh thread has no grad, autocast, device or dispatch mode of the program."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join()


def show_to_engine_hook(y, numbers) -> None:
    native.engine_compare(y.grad_fn, *numbers)


def show_to_callback(y, numbers) -> None:
    """Calls the node directly: that runs the callback, but not the autograd engine, whose threads
    would make a later fork() of the program unusable.
    """
    native.search_expect(*numbers)
    y.grad_fn(torch.ones(1, device="cpu"))


def search_places(begin, show, end) -> int:
    """Shows nodes of known numbers: where are those kept? 0: not found."""
    places = set()
    for _ in range(3):
        if not begin():
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
                    show(*made.pop())
                except Exception as error:
                    native.failed(repr(error)[:200])

            skip_in_dynamo(forward)
            skip_in_dynamo(backward)
            in_thread(forward)
            in_thread(backward)
        places.add(end())
    return places.pop() if len(places) == 1 else 0


def follow_nodes() -> bool:
    """Fallback without the callback: hooks on every node, made when the node is."""
    creation = getattr(torch.autograd.graph, "node_creation_hook", None)
    if creation is None or native.forced_backward() not in ("", "nodes"):
        return False

    def created(node):
        scope = native.current_scope()
        node.register_prehook(lambda gradients: native.push_node(scope))
        node.register_hook(lambda inputs, outputs: native.pop_node())

    _local.node_hook = creation(created)
    _local.node_hook.__enter__()
    return True


def follow_backward() -> str:
    """Follows backward nodes by the first way that fits, and says which."""
    way = "engine"
    places = search_places(
        native.engine_search_begin, show_to_engine_hook, native.engine_search_end
    )
    if not places or not native.follow_engine(places):
        way = "callback"
        version = str(getattr(torch, "__version__", "?"))
        places = search_places(
            lambda: native.search_begin(version), show_to_callback, native.search_end
        )
        if places:
            native.follow_backward(places)
    if places in KNOWN_PLACES[way]:
        return way
    if places:
        return f"{way}, new places {places} in torch {getattr(torch, '__version__', '?')}"
    if follow_nodes():
        return "node hooks on the first thread"
    forced = native.forced_backward()
    if forced == "none":
        return "not attributed: FLOPSPROF_BACKWARD=none"
    if forced:
        return f"not attributed: FLOPSPROF_BACKWARD={forced} does not fit this torch"
    return "not attributed: no usable callback in this torch"


def on_first_call() -> None:
    """Before the first call of a module; never during `import torch` (import lock).

    When no calls will be seen: at once, so that recomputation in a backward pass is.
    """
    global _called
    if _called:
        return
    _called = True
    step_at.look()
    look_again()
    follow_late()
    follow_absent()
    native.note("backward", follow_backward())
