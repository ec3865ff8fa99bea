# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a report asks a DeepSpeed engine for."""


def breakdown(engine) -> bool:
    """Whether the engine times forward, backward and step."""
    asked = getattr(engine, "wall_clock_breakdown", None)
    return bool(asked and asked())


# Names of the engine's timers since 0.9.5, and before.
_NEW = {"forward": "fwd", "backward": "bwd", "step": "step"}


def seconds(engine, part, newest=True) -> float:
    """Of "forward", "backward" or "step". The layout's own name of the timer, unless only the other is
    there: an engine may be newer than the layout that is asked for."""
    names = (_NEW[part], part) if newest else (part, _NEW[part])
    known = getattr(engine.timers, "timers", None)
    name = names[1] if known and names[0] not in known and names[1] in known else names[0]
    return engine.timers(name).elapsed(False) / 1000.0


def mp_size(engine):
    return engine.mp_world_size if engine else 1


def dp_size(engine):
    """Under Ulysses the replicas are those of the sequence and data group."""
    return engine.seq_dp_world_size if engine.dp_world_size is None else engine.dp_world_size


def batch(engine):
    return engine.train_micro_batch_size_per_gpu()


def experts_are_parallel(model) -> bool:
    """Of the first mixture of experts in the model that says so."""
    for module in model.modules():
        if type(module).__name__ == "MoE" and hasattr(module, "enable_expert_tensor_parallelism"):
            return module.enable_expert_tensor_parallelism
    return False
