# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""timm: a small model of every file of architectures, on images of their size."""

from models import Made

NAMES = """eca_botnext26ts_256 test_byobnet cait_xxs24_224 coat_tiny convit_tiny convmixer_768_32
convnext_zepto_rms cpubone_b0_bfrobust crossvit_tiny_240 csatv2 cs3darknet_focus_s cspnext_tiny
deit_tiny_patch16_224 densenet121 dla46x_c dpn48b edgenext_xx_small efficientformer_l1
efficientformerv2_s0 mnasnet_small efficientvim_m1 efficientvit_b0 efficientvit_m0
eva02_tiny_patch14_224 fasternet_t0 fastvit_mci0 focalnet_tiny_srf gcvit_xxtiny ghostnet_050
hardcorenas_b hgnetv2_b0 hiera_tiny_224 sam2_hiera_tiny hrnet_w18_small iformer_m
inception_next_atto inception_v3 inception_v4 lcnetv2_small levit_128s lowformer_b0
test_mambaout maxvit_pico_rw_256 caformer_s18 gmixer_12_224 mobilenetv3_small_050 mobilevit_xxs
mvitv2_tiny nest_tiny nextvit_small test_nfnet pit_xs_224 pvt_v2_b0 rdnet_tiny regnety_040_sgn
repghostnet_050 repvit_m1 res2net50_14w_8s resnest14d resnet18 resnetv2_18 rexnet_100
selecsls42 legacy_seresnet18 sequencer2d_s shvit_s1 skresnet18 starnet_s050 swiftformer_xs
swin_tiny_patch4_window7_224 swinv2_tiny_window8_256 swinv2_cr_tiny_224 tiny_vit_5m_224
tnt_s_legacy_patch16_224 tresnet_m twins_svt_small vgg11 visformer_tiny test_vit
vit_tiny_r_s16_p8_224 vit_relpos_small_patch16_224 vitamin_small_224 volo_d1_224
ese_vovnet19b_dw xception41 xcit_nano_12_p16_224""".split()


def image_model(name):
    import timm
    import torch

    module = timm.create_model(name, pretrained=False, num_classes=10)
    size = module.pretrained_cfg["input_size"]
    return Made(module.train(), (torch.rand(2, *size),))


def models():
    for name in NAMES:
        yield name, lambda name=name: image_model(name)
