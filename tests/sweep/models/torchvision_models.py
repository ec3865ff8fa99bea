# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torchvision.models, without weights, as they are: images of the sizes that they are for."""

from models import Made

CLASSIFICATION = """alexnet convnext_tiny convnext_small densenet121 densenet161 densenet169
densenet201 efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4
efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5 mnasnet0_75 mnasnet1_0 mnasnet1_3
mobilenet_v2 mobilenet_v3_large mobilenet_v3_small regnet_x_1_6gf regnet_x_3_2gf regnet_x_400mf
regnet_x_800mf regnet_x_8gf regnet_y_1_6gf regnet_y_3_2gf regnet_y_400mf regnet_y_800mf
regnet_y_8gf resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext101_64x4d
shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0 squeezenet1_0
squeezenet1_1 swin_t swin_s swin_v2_t swin_v2_s vgg11 vgg11_bn vgg13 vgg13_bn vit_b_16 vit_b_32
wide_resnet50_2 quantized_googlenet quantized_mobilenet_v2 quantized_resnet18
quantized_shufflenet_v2_x0_5""".split()
SEGMENTATION = """deeplabv3_mobilenet_v3_large deeplabv3_resnet50 fcn_resnet50
lraspp_mobilenet_v3_large""".split()
VIDEO = "mc3_18 mvit_v1_b mvit_v2_s r2plus1d_18 r3d_18 s3d swin3d_t".split()
FLOW = "raft_large raft_small".split()
DETECTION = """fasterrcnn_mobilenet_v3_large_320_fpn fasterrcnn_resnet50_fpn
fasterrcnn_resnet50_fpn_v2 fcos_resnet50_fpn keypointrcnn_resnet50_fpn maskrcnn_resnet50_fpn
maskrcnn_resnet50_fpn_v2 retinanet_resnet50_fpn retinanet_resnet50_fpn_v2 ssd300_vgg16
ssdlite320_mobilenet_v3_large""".split()


def classification(name):
    import torch
    import torchvision

    options = {"weights": None, "num_classes": 10}
    if "googlenet" in name or "inception" in name:
        options["init_weights"] = False  # by scipy's truncated normal, if not
    if name.startswith("quantized"):
        options["quantize"] = False
        name = name.removeprefix("quantized_")
        make = getattr(torchvision.models.quantization, name)
    else:
        make = getattr(torchvision.models, name)
    size = 299 if "inception" in name else 224
    return Made(make(**options), (torch.rand(2, 3, size, size),))


def segmentation(name):
    import torch
    import torchvision

    make = getattr(torchvision.models.segmentation, name)
    module = make(weights=None, weights_backbone=None, num_classes=5)
    return Made(module, (torch.rand(2, 3, 128, 128),))


def video(name):
    import torch
    import torchvision

    module = getattr(torchvision.models.video, name)(weights=None, num_classes=10)
    size = 224 if "mvit" in name or name == "s3d" else 112
    return Made(module, (torch.rand(2, 3, 16, size, size),))


def flow(name):
    import torch
    import torchvision

    module = getattr(torchvision.models.optical_flow, name)(weights=None)
    pair = torch.rand(2, 3, 128, 128), torch.rand(2, 3, 128, 128)
    return Made(module, pair, {"num_flow_updates": 2})


def detection(name):
    import torch
    import torchvision

    make = getattr(torchvision.models.detection, name)
    module = make(weights=None, weights_backbone=None, num_classes=3)
    targets = []
    for _ in range(2):
        target = {
            "boxes": torch.tensor([[8.0, 8.0, 60.0, 70.0], [20.0, 30.0, 90.0, 90.0]]),
            "labels": torch.tensor([1, 2]),
        }
        if "mask" in name:
            target["masks"] = torch.zeros(2, 128, 128, dtype=torch.uint8)
        if "keypoint" in name:
            target["keypoints"] = torch.ones(2, 17, 3)
        targets.append(target)
    return Made(module, ([torch.rand(3, 128, 128), torch.rand(3, 128, 128)], targets))


def models():
    kinds = (
        (classification, CLASSIFICATION),
        (segmentation, SEGMENTATION),
        (video, VIDEO),
        (flow, FLOW),
        (detection, DETECTION),
    )
    for kind, names in kinds:
        for name in names:
            yield name, lambda kind=kind, name=name: kind(name)
