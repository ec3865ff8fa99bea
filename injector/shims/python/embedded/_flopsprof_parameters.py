# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters and buffers of each module: every memory once, whole where ranks hold parts."""

import sys
import time

from _flopsprof_base import native, tracing
from _flopsprof_forwards import look_at
from _flopsprof_lazy import wait

EXPERT_LISTS = ("experts", "deepspeed_experts", "local_experts")
EXPERT_COUNTS = ("num_experts", "n_routed_experts", "num_routed_experts", "n_experts")
ROUTERS = ("gate", "router", "wg")
MOST_ALIASES = 4096  # of one root
FREE_SECONDS = 1.0
FREE_TRIES = 3  # sizes of lazy parameters are there after the first forward
MOST_TRIES = 10  # what is missing then (of a part that is not used) is waited for, not asked for
# Children that hold weights for their parent.
NOT_CALLED = ("NonDynamicallyQuantizableLinear", "ParameterList", "ParameterDict")
MOST_WEIGHTS = 64
OFFLOADERS = ("_hf_hook", "_diffusers_hook")  # bring weights to the GPU for each call
SCRIPTED = ("torch.jit._script", "torch.jit._trace")
CHOSEN = ("top_k", "topk", "num_experts_per_tok", "num_selected_experts", "moe_top_k", "k")

described: dict = {}  # id(module) -> scope of its root; an id that is used again does no harm
_described_roots: set = set()  # (session, root)
_spent = 0.0  # seconds, on descriptions after the first of a root
_placed: dict = {}  # (session, root, path) -> {"cpu", "gpu"}: where its parameters were
_tries: dict = {}  # root -> descriptions in which some parameters had no sizes yet
_last_end = 0.0  # of the last description, and how long it took
_last_seconds = 0.0


class Size:
    """Of one parameter or buffer."""

    __slots__ = ("count", "local", "bytes", "trainable", "expert", "active", "device")

    def __init__(self, count, local, element_bytes, trainable, device="?"):
        self.count, self.local, self.bytes = count, local, count * element_bytes
        self.trainable = trainable
        self.device = device  # "?": parts of it are brought together where it is used
        self.expert = False
        self.active = count  # elements that work on one token; None: not known


class Bank:
    """The experts of one layer, of which a router chooses some for each token."""

    def __init__(self, held, whole, chosen):
        self.held, self.whole, self.chosen = held, whole, chosen

    def mark(self, size, parameter) -> None:
        """`whole` experts, also where this rank holds only some of them."""
        group = str(getattr(parameter, "group_name", ""))  # DeepSpeed
        scale, whole = 1, self.whole
        if group.startswith("ep_size_") and group[8:].isdigit():
            scale = int(group[8:])
            whole = max(whole or 0, (self.held or 0) * scale)
        elif self.held and whole > self.held and whole % self.held == 0:
            scale = whole // self.held
        size.count *= scale
        size.bytes *= scale
        size.expert = True
        known = self.chosen and whole and self.chosen <= whole
        size.active = size.count * self.chosen // whole if known else None


def integer(thing, names):
    """The first of the attributes that is a count, or None."""
    for name in names:
        value = thing.__dict__.get(name)
        if type(value) is int and value > 0:
            return value
    return None


def own_tensors(module, kind) -> dict:
    """`_parameters` or `_buffers` of the module itself."""
    found = module.__dict__.get(kind)
    if found is None and is_scripted(module):
        found = getattr(module, kind, None)  # made anew at each look: it lives in C++
    try:
        return {} if found is None else dict(found.items())
    except Exception:
        return {}


def is_scripted(module) -> bool:
    return any(base.__module__ in SCRIPTED for base in type(module).__mro__)


def holds_weights(module) -> bool:
    return any(
        parameter is not None
        for part in module.modules()
        for parameter in own_tensors(part, "_parameters").values()
    )


def bank_of(chain, name, module):
    """Is `module`, called `name` in the last of `chain`, the experts of a layer?"""
    if name not in EXPERT_LISTS:
        return None
    layers = [m for m in reversed(chain[-2:]) if m is not None]
    around = list(layers)
    for layer in layers:
        around += [layer._modules[r] for r in ROUTERS if layer._modules.get(r) is not None]
    children = {n: child for n, child in module._modules.items() if child is not None}
    if len(children) == 1 and next(iter(children)) in EXPERT_LISTS:
        return None  # the list itself is further down
    # All experts in one parameter, whatever else is beside it; or a list of them.
    stacked = [p.shape for p in own_tensors(module, "_parameters").values()
               if p is not None and p.dim() > 2]  # fmt: skip
    listed = [child for n, child in children.items() if n[-1:].isdigit() and holds_weights(child)]
    held = int(stacked[0][0]) if stacked else len(listed)
    held = held or integer(module, EXPERT_COUNTS)
    whole = next(filter(None, (integer(m, EXPERT_COUNTS) for m in [module] + around)), held)
    chosen = next(filter(None, (integer(m, CHOSEN) for m in around)), None)
    return Bank(held, whole, chosen)


def memory_of(tensor):
    """Equal for tensors that are the same memory (tied weights)."""
    try:
        storage = tensor.untyped_storage().data_ptr()
        if storage and not hasattr(tensor, "ds_numel"):
            return storage, tensor.storage_offset(), tuple(tensor.shape)
    except Exception:
        pass  # meta, fake, sharded or lazy: only itself
    return id(tensor)


def size_of(tensor):
    """Of the whole tensor also where this rank holds a part; None: not known yet (lazy)."""
    try:
        element_bytes, trainable = tensor.element_size(), bool(tensor.requires_grad)
        whole = getattr(tensor, "ds_numel", None)  # DeepSpeed ZeRO stage 3
        if whole is not None:
            part = getattr(tensor, "ds_tensor", None)
            return Size(int(whole), int(part.numel()) if part is not None else 0, element_bytes,
                        trainable)  # fmt: skip
        count = int(tensor.numel())  # DTensor: of the global tensor
        part = getattr(tensor, "_local_tensor", tensor)
        device = tensor.device.type if part is tensor else "?"
        return Size(count, int(part.numel()), element_bytes, trainable, device)
    except Exception:
        return None


def shape_text(tensor):
    """"3072x768", or "" for a vector, or where it is not known yet (lazy)."""
    try:
        shape = tensor.ds_shape if hasattr(tensor, "ds_shape") else tensor.shape
        return "x".join(str(int(n)) for n in shape) if len(shape) > 1 else ""
    except Exception:
        return ""


def weights_text(module, flat):
    """Shapes of what the module multiplies by in its own forward."""
    texts = []
    users = [module]
    users += [
        child
        for child in module._modules.values()
        if child is not None and type(child).__name__ in NOT_CALLED
    ]
    for user in users:
        texts += [shape_text(p) for p in own_tensors(user, "_parameters").values()
                  if p is not None and not hasattr(p, "_param_infos")]  # fmt: skip
        texts += flat.get(id(user), ())
    texts = [text for text in texts if text]
    return " ".join(texts) if len(texts) <= MOST_WEIGHTS else "?"


def placement_text(key, sizes, offloaded) -> str:
    """Where the parameters are; each description may find them elsewhere."""
    devices = {size.device for size in sizes}
    if devices and not devices & {"?", "meta"}:
        here = "cpu" if devices == {"cpu"} else "gpu" if "cpu" not in devices else None
        if here is not None:
            _placed.setdefault(key, set()).add(here)
    seen = _placed.get(key, ())
    if len(seen) == 2:  # what moves for each call tells nothing of where it was computed
        return "" if offloaded else "on:cpu,gpu"
    return "on:cpu" if "cpu" in seen else ""


def is_offloaded(module) -> bool:
    return any(name in module.__dict__ for name in OFFLOADERS)


def flat_shapes(modules) -> dict:
    """Of parameters that FSDP1 keeps in flat ones: id(module) -> shapes as texts."""
    found: dict = {}
    for module in modules:
        flat = getattr(module.__dict__.get("_handle"), "flat_param", None)
        for info, shape in zip(getattr(flat, "_param_infos", ()), getattr(flat, "_shapes", ())):
            if len(shape) > 1:
                text = "x".join(str(int(n)) for n in shape)
                found.setdefault(id(info.module), []).append(text)
    return found


def flat_parameters(modules) -> dict:
    """FSDP1 keeps parameters as parts of flat ones: id(module) -> {name: (memory, Size)}."""
    found: dict = {}
    for module in modules:
        flat = getattr(module.__dict__.get("_handle"), "flat_param", None)
        if flat is None or not hasattr(flat, "_param_infos"):
            continue
        parts = getattr(flat, "_shard_param_infos", None) or [None] * len(flat._param_infos)
        originals = getattr(flat, "_params", None) or [None] * len(flat._param_infos)
        first: dict = {}
        for info, shape, part, original in zip(flat._param_infos, flat._shapes, parts, originals):
            local = (part.numel_in_shard or 0) if part is not None else 0
            trainable = flat if original is None else original
            size = Size(shape.numel(), local, flat.element_size(), bool(trainable.requires_grad))
            entry = ((id(flat), info.param_name, id(info.module)), size)
            found.setdefault(id(info.module), {})[info.param_name] = entry
            first[id(info.module), info.param_name] = entry
        for info in getattr(flat, "_shared_param_infos", None) or ():
            entry = first.get((id(info.prim_module), info.prim_param_name))
            if entry is not None:
                found.setdefault(id(info.module), {})[info.param_name] = entry
    return found


def note_tuning() -> None:
    """Modes in which a library finds its fastest way by running calls."""
    cudnn = sys.modules.get("torch.backends.cudnn")
    modes = []
    if getattr(cudnn, "benchmark", False):
        modes.append("torch.backends.cudnn.benchmark")
    tunable = sys.modules.get("torch.cuda.tunable")
    if tunable is not None and tunable.is_enabled() and tunable.tuning_is_enabled():
        modes.append("torch.cuda.tunable")
    if modes:
        native.note("tuning", " and ".join(modes))


def try_beside(function, *args) -> None:
    """What may not cost the description when it raises."""
    try:
        function(*args)
    except Exception as error:
        native.failed(repr(error)[:200])


def describe(root, root_scope) -> bool:
    """Reports every module of a root; False: some parameters have no sizes yet, ask again."""
    tries = _tries.get(root_scope, 0)
    if tracing() is not None:
        return False
    this = native.session(), root_scope
    again = this in _described_roots
    if (again or tries >= FREE_TRIES) and not may_describe():
        return False
    try_beside(note_tuning)
    missing = describe_timed(root, root_scope, again)
    _described_roots.add(this)
    tries = _tries[root_scope] = tries + 1 if missing else 0
    return not missing or tries >= MOST_TRIES


def describe_timed(root, root_scope, is_again) -> list:
    """Returns (module, name) of the parameters without sizes. Raises nothing."""
    global _last_end, _last_seconds, _spent
    begin = time.monotonic()
    missing = []
    try:
        missing = describe_now(root, root_scope)
        wait(root, root_scope, missing, has_size, describe_late)
    except Exception as error:  # it would not go better at the next call
        native.failed(repr(error)[:200])
    _last_end = time.monotonic()
    _last_seconds = _last_end - begin
    _spent += _last_seconds if is_again else 0
    return missing


def has_size(parameter) -> bool:
    return size_of(parameter) is not None


def describe_late(root, root_scope) -> None:
    """All parameters have sizes now, in the middle of a call: there may be no second one."""
    if may_describe():
        describe_timed(root, root_scope, True)
    else:
        native.describe_again(root_scope)


def describe_now(root, root_scope) -> list:
    """Returns (module, name) of the parameters that have no sizes yet."""
    missing = []
    order = []  # (path, module, chain of parents, bank, directly) as named_modules() gives them
    seen: dict = {}  # id(module) -> its path
    aliases = []  # (further path, path)
    stack = [("", "", root, (), None, native.place_below(root))]
    while stack:
        path, name, module, chain, bank, place = stack.pop()
        if id(module) in seen:
            native.shared(module)
            if len(aliases) < MOST_ALIASES:
                aliases.append((path, seen[id(module)]))
            continue
        seen[id(module)] = path
        try_beside(look_at, module)
        own_bank = bank_of(chain, name, module) if bank is None else None
        order.append((path, module, bank or own_bank, own_bank is None and bank is not None))
        below = (*chain[-1:], module)
        for name, child in reversed(list(module._modules.items())):
            if child is not None:
                placed = native.placed_name(place, name, child)
                inside = native.place_inside(place, name, child)
                stack.append((f"{path}.{placed}" if path else placed, name, child, below,
                              bank or own_bank, inside))  # fmt: skip
    flat = flat_parameters([entry[1] for entry in order])
    flat_texts = flat_shapes([entry[1] for entry in order])
    owner = set()  # memories that have an owner
    subtree: dict = {}  # id(module) -> ({memory: Size} of parameters, the same of buffers)
    own: dict = {}
    for path, module, bank, _ in order:
        hidden = flat.get(id(module), {})
        sizes = {}
        for memory, size in hidden.values():
            if bank is not None and not size.expert:  # tied ones share it
                bank.mark(size, None)
            sizes[memory] = size
        for name, parameter in own_tensors(module, "_parameters").items():
            if parameter is None or name in hidden or hasattr(parameter, "_param_infos"):
                continue
            size = size_of(parameter)
            if size is None:
                missing.append((module, name))
                continue
            if bank is not None:
                bank.mark(size, parameter)
            sizes[memory_of(parameter)] = size
        own[id(module)] = sum(size.count for memory, size in sizes.items() if memory not in owner)
        owner.update(sizes)
        buffers = {}
        for buffer in own_tensors(module, "_buffers").values():
            size = None if buffer is None else size_of(buffer)
            if size is not None:
                buffers[memory_of(buffer)] = size
        subtree[id(module)] = (sizes, buffers)
    offloaded = any(is_offloaded(module) for _, module, _, _ in order)
    add_children(root, subtree)
    for position, (path, module, _, inside) in enumerate(order):
        weights = weights_text(module, flat_texts)
        where = placement_text((native.session(), root_scope, path),
                               subtree[id(module)][0].values(), offloaded)  # fmt: skip
        weights = " ".join(filter(None, (weights, where)))
        report(root_scope, path, position, module, own[id(module)], subtree[id(module)], inside,
               weights)  # fmt: skip
        described[id(module)] = root_scope
    for alias, path in aliases:
        native.module_alias(root_scope, alias, path)
    if len(described) > 2_000_000:
        described.clear()
    return missing


def add_children(root, subtree) -> None:
    """Adds to each module's sizes those of its children: of a shared one to all who hold it."""
    begun, done, stack = set(), set(), [(root, False)]
    while stack:
        module, is_below_done = stack.pop()
        children = [m for m in module._modules.values() if m is not None and id(m) in subtree]
        if is_below_done:
            for child in children:
                if id(child) in done:  # not a module that holds this one
                    for mine, theirs in zip(subtree[id(module)], subtree[id(child)]):
                        mine.update(theirs)
            done.add(id(module))
        elif id(module) not in begun:
            begun.add(id(module))
            stack.append((module, True))
            stack += [(child, False) for child in children if id(child) not in begun]


def report(root_scope, path, position, module, own, subtree, inside_bank, weights) -> None:
    sizes, buffers = (list(part.values()) for part in subtree)
    total = sum(size.count for size in sizes)
    native.module_record(
        root_scope,
        path,
        position,
        module,
        own,
        total,
        sum(size.count for size in sizes if size.trainable),
    )
    active = total  # one expert, or a part of it: when it is called
    if not inside_bank:
        known = all(size.active is not None for size in sizes)
        active = sum(size.active for size in sizes) if known else 0
    native.module_sizes(
        root_scope,
        path,
        sum(size.local for size in sizes),
        sum(size.count for size in buffers),
        sum(size.count for size in sizes if size.expert),
        active,
        sum(size.bytes for size in sizes),
        weights,
    )


def on_new_child(parent) -> None:
    """A module was put into one that is described: its root is described again when it is called
    next.
    """
    scope = described.get(id(parent))
    if scope is not None:
        native.describe_again(scope)


def on_moved(module) -> None:
    scope = described.get(id(module))
    if scope is not None:
        native.describe_again(scope)


def may_describe() -> bool:
    """At most 1 % of the time, and a second, goes into descriptions."""
    now = time.monotonic()
    return _spent < FREE_SECONDS or now - _last_end > 100 * _last_seconds
