# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""All models of the sweep. Listing them imports none of their libraries; making one does."""

import re
from dataclasses import dataclass, field
from typing import Any, Callable, Optional


@dataclass
class Made:
    """A module and what it is called with, on the CPU."""

    module: Any
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    context: Optional[Callable] = None  # entered around both passes


@dataclass
class Model:
    family: str
    name: str
    make: Callable[[], Made]

    @property
    def id(self) -> str:
        return f"{self.family}/{self.name}"


def families() -> dict:
    from models import (
        diffusers_models,
        geometric_models,
        peft_models,
        timm_models,
        torchvision_models,
        transformers_models,
    )

    parts = {
        "torchvision": torchvision_models,
        "transformers": transformers_models,
        "timm": timm_models,
        "diffusers": diffusers_models,
        "peft": peft_models,
        "torch_geometric": geometric_models,
    }
    return {
        family: [Model(family, name, make) for name, make in part.models()]
        for family, part in parts.items()
    }


def find(name: str) -> Model:
    family = name.split("/")[0]
    (found,) = [model for model in families()[family] if model.id == name]
    return found


def child_name(name: str) -> str:
    """A name that a child of a module may have."""
    return re.sub(r"\W", "_", name)
