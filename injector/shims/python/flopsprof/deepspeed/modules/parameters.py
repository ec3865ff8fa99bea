# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of parameters, as the whole model has them, whatever part of them this process holds."""

from torch import nn

from . import tree

_EXPERTS = "ep_size_"


def _experts_of(parameter) -> int:
    """The size of the group that an expert's parameter belongs to; 0 for others."""
    name = getattr(parameter, "group_name", "")
    if isinstance(name, str) and name.startswith(_EXPERTS):
        try:
            return int(name[len(_EXPERTS) :])
        except ValueError:
            pass
    return 0


def _elements(parameter, trainable_only) -> int:
    """ZeRO-3 leaves an empty tensor behind and notes what it was; a lazy one has no sizes yet."""
    if trainable_only and not parameter.requires_grad:
        return 0
    if isinstance(parameter, nn.parameter.UninitializedTensorMixin):
        return 0
    return int(getattr(parameter, "ds_numel", parameter.numel()))


def _add(parameters, size) -> tuple:
    shared = experts = model_experts = 0
    for parameter in parameters:
        number, group = size(parameter), _experts_of(parameter)
        if group:
            experts += number
            model_experts += number * group
        else:
            shared += number
    return shared, experts, model_experts


def count_parameters(model, stored_only=False, trainable_only=False) -> dict:
    """id(module) -> (without experts, of experts, of experts on all ranks); each tensor once a module.

    `stored_only`: what is in this process now, which is little under ZeRO-3 (DeepSpeed's figure).
    """

    def size(parameter):
        if not stored_only:
            return _elements(parameter, trainable_only)
        return parameter.numel() if parameter.requires_grad or not trainable_only else 0

    own = [p for m in model.modules() for p in m._parameters.values() if p is not None]
    if len({id(p) for p in own}) == len(own) and tree.is_tree(model):
        return tree.inclusive(
            model, lambda m: _add((p for p in m._parameters.values() if p is not None), size)
        )
    return {id(module): _add(module.parameters(), size) for module in model.modules()}
