# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Public models without their weights: name -> (how it is made, its input)."""

import torch


def _of_torchvision(name):
    from torchvision import models

    return lambda: models.get_model(name, weights=None)


def _bert():
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig(return_dict=False))


def _image():
    return [torch.zeros(1, 3, 224, 224)]


MODELS = {
    "resnet18, one image": (_of_torchvision("resnet18"), _image),
    "mobilenet_v2, one image": (_of_torchvision("mobilenet_v2"), _image),
    "vit_b_16, one image": (_of_torchvision("vit_b_16"), _image),
    "BERT-base of transformers, one text of 128": (_bert, lambda: [torch.zeros(1, 128, dtype=torch.int64)]),
}

# The kernel of PyTorch's attention on the CPU, which most tools do not know.
_ATTENTION = "aten::_scaled_dot_product_flash_attention_for_cpu"


def _of(counted, index, *names) -> int:
    return sum(counted.operators.get(name, (0, 0))[index] for name in names)


def _known_macs(counted) -> int:
    return counted.macs - _of(counted, 1, _ATTENTION)


# (tool, name of its number, how it comes from ours in words, and in numbers), for each of the models.
FROM_OURS = [
    ("fvcore", "flops", "MACs without those of attention, flops of norms and of adaptive pools",
     lambda c: _known_macs(c) + _of(c, 0, "nn.BatchNorm2d", "nn.LayerNorm", "nn.AdaptiveAvgPool2d", "aten::mean")),
    ("FlopCounterMode", "flops", "2 for each MAC without those of attention", lambda c: 2 * _known_macs(c)),
    ("calflops", "macs", "MACs without those of attention", _known_macs),
    ("DeepSpeed", "macs", "MACs", lambda c: c.macs),
]  # fmt: skip
