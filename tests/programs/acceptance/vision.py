# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torchvision classifiers with random weights (seed 003 names vision.py)."""

import torch
import torchvision

import harness

BATCH = 4
MODELS = (
    "resnet18",
    "resnet50",
    "resnext50_32x4d",
    "vgg16",
    "mobilenet_v2",
    "mobilenet_v3_small",
    "densenet121",
    "squeezenet1_1",
    "shufflenet_v2_x1_0",
    "efficientnet_b0",
    "mnasnet1_0",
    "regnet_y_400mf",
    "convnext_tiny",
    "googlenet",
    "inception_v3",
    "vit_b_16",
    "swin_t",
)


def arguments(parser) -> None:
    parser.add_argument("--model", choices=MODELS, default="resnet18")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--channels-last", action="store_true")


def build(args) -> harness.Workload:
    options = {}
    if args.model in ("googlenet", "inception_v3"):
        options = {"aux_logits": False, "init_weights": False}
    with torch.device("cpu"):  # RegNet computes its shapes with tensors
        model = torchvision.models.get_model(
            args.model, weights=None, num_classes=args.classes, **options
        )
    model = model.to(args.device, args.torch_dtype)
    image = torch.randn(args.batch, 3, args.size, args.size, dtype=args.torch_dtype)
    if args.channels_last:
        model = model.to(memory_format=torch.channels_last)
        image = image.to(memory_format=torch.channels_last)
    return harness.Workload(model, (image,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
