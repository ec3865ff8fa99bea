# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Work whose phase only Python tells: clipping and scaling of gradients, text generation."""

import functools
import sys

from _flopsprof_base import compiling, native, replace, replace_inside

CLIPPING, SCALING, GENERATE = 5, 6, 8  # shm::Phase
LATE = (
    ("transformers.generation.utils", "GenerationMixin", "generate", GENERATE),
    ("torch.distributed.fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel",
     "clip_grad_norm_", CLIPPING),
)  # fmt: skip
_followed: set = set()  # names of LATE


def in_phase(phase):
    """What the function launches is of that phase, and modules that it calls are roots."""

    def make(original):
        @functools.wraps(original)
        def wrapped(*args, **kwargs):
            if compiling():
                return original(*args, **kwargs)
            depth = native.push_phase(phase)
            try:
                return original(*args, **kwargs)
            finally:
                native.leave(depth)

        return wrapped

    return make


def follow_clipping() -> None:
    clip = sys.modules.get("torch.nn.utils.clip_grad")
    for name in (
        "clip_grad_norm_",
        "clip_grad_value_",
        "_get_total_norm",
        "_clip_grads_with_norm_",
    ):
        function = getattr(clip, name, None)
        # Programs hold the function itself (`from torch.nn.utils import ...`).
        if function is not None and not replace_inside(function, in_phase(CLIPPING)):
            replace(clip, name, in_phase(CLIPPING))


def follow_scaling() -> None:
    kind = getattr(sys.modules.get("torch.amp.grad_scaler"), "GradScaler", None)
    for name in ("scale", "unscale_", "step", "update"):
        if kind is not None:
            replace(kind, name, in_phase(SCALING))


def follow_late() -> None:
    """What may be imported after torch. Cheap: called for each module that is made."""
    for name, kind_name, method, phase in LATE:
        if name in _followed or name not in sys.modules:
            continue
        kind = getattr(sys.modules[name], kind_name, None)
        if kind is None:
            continue  # being imported
        _followed.add(name)
        replace(kind, method, in_phase(phase))


def install() -> None:
    _followed.clear()
    follow_clipping()
    follow_scaling()
    follow_late()
