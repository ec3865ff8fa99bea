# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the profiler tells its user beside the report: through logging, so that stdout has the report only."""

import logging

logger = logging.getLogger("flopsprof.deepspeed")


def never_started(state) -> None:
    """Called when a profiler ends that was made and not used."""
    if not state.get("started"):
        logger.warning(
            "FlopsProfiler: start_profile() was never called, so there is no report;"
            " is profile_step beyond the last step?"
        )


def uncounted(session) -> None:
    """Operators without a formula, once for a profile."""
    if session.uncounted:
        names = sorted(session.uncounted.items(), key=lambda item: -item[1][0])
        text = ", ".join(f"{name} ({calls} calls, {why})" for name, (calls, why) in names[:8])
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        logger.warning("FlopsProfiler: not in the flops, because unknown: %s%s", text, more)


def depth_within(module_depth, depths: int) -> int:
    if not isinstance(module_depth, int) or module_depth < -1:
        logger.warning("FlopsProfiler: module_depth=%s is no depth; -1 is taken", module_depth)
        return -1
    if module_depth > depths:
        logger.warning("FlopsProfiler: module_depth=%d, but the model has %d depths; all are shown",
                       module_depth, depths)  # fmt: skip
        return depths
    return module_depth


def scripted(model) -> None:
    """Python is not asked when TorchScript calls what is inside it."""
    import torch

    whole = [m for m in model.modules() if isinstance(m, torch.jit.ScriptModule) and m._modules]
    if whole:
        logger.warning(
            "FlopsProfiler: modules inside TorchScript are not seen one by one; their work is in the"
            " line of the scripted module that Python calls"
        )


def replicated(model) -> None:
    """Its copies live for one forward, on threads of their own: nothing follows them."""
    from torch import nn

    if any(isinstance(m, nn.DataParallel) and len(m.device_ids) > 1 for m in model.modules()):
        logger.warning(
            "FlopsProfiler: nn.DataParallel runs copies of its module, whose work is not seen and is missing"
            " from all numbers; profile model.module on one device"
        )


def compiled(model) -> None:
    """What a compiler makes of several operators is a kernel of its own and no operator."""
    # Not by getattr(): a module may answer any name.
    if any("_orig_mod" in m._modules or m.__dict__.get("_compiled_call_impl") for m in model.modules()):
        logger.warning(
            "FlopsProfiler: of compiled code only operators are seen; flops of what the compiler fuses"
            " into kernels of its own are missing"
        )


def failed(session) -> None:
    if session.failed_calls:
        logger.warning(
            "FlopsProfiler: exceptions ended %d calls of the model; their work up to there is in the"
            " numbers, their latency is not",
            session.failed_calls,
        )
