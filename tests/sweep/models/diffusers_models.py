# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""diffusers: small UNets, transformers, autoencoders and controllers, one step of denoising."""

from models import Made

BLOCKS = "block_out_channels=(32, 64), layers_per_block=1, norm_num_groups=8"
CROSS = (
    "down_block_types=('DownBlock2D', 'CrossAttnDownBlock2D'),"
    " cross_attention_dim=16, attention_head_dim=8"
)
UP = "up_block_types=('CrossAttnUpBlock2D', 'UpBlock2D')"
CODER = (
    "down_block_types=('DownEncoderBlock2D',) * 2, up_block_types=('UpDecoderBlock2D',) * 2,"
    " latent_channels=4, norm_num_groups=8, block_out_channels=(32, 64)"
)
HEADS = "num_attention_heads=2, attention_head_dim=16"

# name: (how it is made, what it is called with). `r(...)`: random numbers of a shape.
MODELS = {
    "UNet2DModel": (
        f"d.UNet2DModel(sample_size=16, {BLOCKS}, down_block_types=('DownBlock2D',"
        " 'AttnDownBlock2D'), up_block_types=('AttnUpBlock2D', 'UpBlock2D'))",
        "dict(sample=r(2, 3, 16, 16), timestep=t(5))",
    ),
    "UNet2DModel skip": (
        "d.UNet2DModel(sample_size=16, block_out_channels=(32, 64), layers_per_block=1,"
        " norm_num_groups=8, down_block_types=('SkipDownBlock2D', 'AttnSkipDownBlock2D'),"
        " up_block_types=('AttnSkipUpBlock2D', 'SkipUpBlock2D'))",
        "dict(sample=r(2, 3, 16, 16), timestep=t(5))",
    ),
    "UNet2DModel resnets": (
        f"d.UNet2DModel(sample_size=16, {BLOCKS}, down_block_types=('ResnetDownsampleBlock2D',"
        " 'DownBlock2D'), up_block_types=('UpBlock2D', 'ResnetUpsampleBlock2D'))",
        "dict(sample=r(2, 3, 16, 16), timestep=t(5))",
    ),
    "UNet2DConditionModel": (
        f"d.UNet2DConditionModel(sample_size=16, {BLOCKS}, {CROSS}, {UP})",
        "dict(sample=r(2, 4, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 7, 16))",
    ),
    "UNet2DConditionModel linear": (
        f"d.UNet2DConditionModel(sample_size=16, {BLOCKS}, {CROSS}, {UP},"
        " use_linear_projection=True, only_cross_attention=(True, False))",
        "dict(sample=r(2, 4, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 7, 16))",
    ),
    "UNet2DConditionModel XL": (
        f"d.UNet2DConditionModel(sample_size=16, {BLOCKS}, {CROSS}, {UP},"
        " addition_embed_type='text_time', addition_time_embed_dim=8,"
        " projection_class_embeddings_input_dim=64, transformer_layers_per_block=(1, 2))",
        "dict(sample=r(2, 4, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 7, 16),"
        " added_cond_kwargs=dict(text_embeds=r(2, 16), time_ids=r(2, 6)))",
    ),
    "UNet2DConditionModel checkpointing": (
        f"checkpointing(d.UNet2DConditionModel(sample_size=16, {BLOCKS}, {CROSS}, {UP}))",
        "dict(sample=r(2, 4, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 7, 16))",
    ),
    "UNet1DModel": (
        "d.UNet1DModel(block_out_channels=(32, 32, 64), sample_size=64, extra_in_channels=64)",
        "dict(sample=r(2, 2, 512), timestep=t(5))",
    ),
    "UNet3DConditionModel": (
        "d.UNet3DConditionModel(sample_size=16, block_out_channels=(32, 64), layers_per_block=1,"
        " norm_num_groups=8, down_block_types=('CrossAttnDownBlock3D', 'DownBlock3D'),"
        " up_block_types=('UpBlock3D', 'CrossAttnUpBlock3D'), cross_attention_dim=16,"
        " attention_head_dim=8)",
        "dict(sample=r(2, 4, 3, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 7, 16))",
    ),
    "UNetMotionModel": (
        "d.UNetMotionModel(sample_size=16, block_out_channels=(32, 64), layers_per_block=1,"
        " norm_num_groups=8, down_block_types=('CrossAttnDownBlockMotion', 'DownBlockMotion'),"
        " up_block_types=('UpBlockMotion', 'CrossAttnUpBlockMotion'), cross_attention_dim=16,"
        " num_attention_heads=2, motion_num_attention_heads=2, motion_max_seq_length=8)",
        "dict(sample=r(2, 4, 3, 16, 16), timestep=t(5), encoder_hidden_states=r(6, 7, 16))",
    ),
    "UNetSpatioTemporalConditionModel": (
        "d.UNetSpatioTemporalConditionModel(sample_size=16, block_out_channels=(32, 64),"
        " layers_per_block=1, down_block_types=('CrossAttnDownBlockSpatioTemporal',"
        " 'DownBlockSpatioTemporal'), up_block_types=('UpBlockSpatioTemporal',"
        " 'CrossAttnUpBlockSpatioTemporal'), cross_attention_dim=16, num_attention_heads=2,"
        " addition_time_embed_dim=8, projection_class_embeddings_input_dim=24)",
        "dict(sample=r(2, 3, 8, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 1, 16),"
        " added_time_ids=r(2, 3))",
    ),
    "ControlNetModel": (
        f"d.ControlNetModel({BLOCKS}, {CROSS}, conditioning_embedding_out_channels=(8, 16))",
        "dict(sample=r(2, 4, 16, 16), timestep=t(5), encoder_hidden_states=r(2, 7, 16),"
        " controlnet_cond=r(2, 3, 32, 32))",
    ),
    "T2IAdapter": ("d.T2IAdapter(channels=(8, 16), num_res_blocks=1, downscale_factor=8)",
                   "dict(x=r(2, 3, 64, 64))"),
    "AutoencoderKL": (f"d.AutoencoderKL({CODER})", "dict(sample=r(2, 3, 32, 32))"),
    "AsymmetricAutoencoderKL": (
        "d.AsymmetricAutoencoderKL(down_block_types=('DownEncoderBlock2D',),"
        " down_block_out_channels=(32,), up_block_types=('UpDecoderBlock2D',),"
        " up_block_out_channels=(32,), norm_num_groups=8)",
        "dict(sample=r(2, 3, 32, 32), mask=r(2, 1, 32, 32))",
    ),
    "AutoencoderTiny": (
        "d.AutoencoderTiny(encoder_block_out_channels=(16, 16), decoder_block_out_channels=(16,"
        " 16), num_encoder_blocks=(1, 2), num_decoder_blocks=(2, 1))",
        "dict(sample=r(2, 3, 32, 32))",
    ),
    "AutoencoderKLTemporalDecoder": (
        "d.AutoencoderKLTemporalDecoder(block_out_channels=(32, 64),"
        " down_block_types=('DownEncoderBlock2D',) * 2, layers_per_block=1)",
        "dict(sample=r(3, 3, 32, 32), num_frames=3)",
    ),
    "VQModel": (
        "d.VQModel(down_block_types=('DownEncoderBlock2D',) * 2, up_block_types="
        "('UpDecoderBlock2D',) * 2, block_out_channels=(32, 64), norm_num_groups=8)",
        "dict(sample=r(2, 3, 32, 32))",
    ),
    "PriorTransformer": (
        "d.PriorTransformer(num_attention_heads=2, attention_head_dim=16, num_layers=2,"
        " embedding_dim=16, num_embeddings=7, additional_embeddings=4)",
        "dict(hidden_states=r(2, 16), timestep=t(5), proj_embedding=r(2, 16),"
        " encoder_hidden_states=r(2, 7, 16))",
    ),
    "DiTTransformer2DModel": (
        f"d.DiTTransformer2DModel({HEADS}, num_layers=2, sample_size=8, norm_num_groups=8,"
        " num_embeds_ada_norm=10)",
        "dict(hidden_states=r(2, 4, 8, 8), timestep=t(5).repeat(2), class_labels=t(3).repeat(2))",
    ),
    "Transformer2DModel": (
        f"d.Transformer2DModel({HEADS}, in_channels=32, num_layers=1, norm_num_groups=8,"
        " cross_attention_dim=16)",
        "dict(hidden_states=r(2, 32, 8, 8), encoder_hidden_states=r(2, 7, 16))",
    ),
    "PixArtTransformer2DModel": (
        f"d.PixArtTransformer2DModel({HEADS}, num_layers=2, sample_size=8, caption_channels=16,"
        " cross_attention_dim=32, norm_num_groups=8, use_additional_conditions=False)",
        "dict(hidden_states=r(2, 4, 8, 8), timestep=t(5).repeat(2),"
        " encoder_hidden_states=r(2, 7, 16), added_cond_kwargs=dict(resolution=None,"
        " aspect_ratio=None))",
    ),
    "SD3Transformer2DModel": (
        f"d.SD3Transformer2DModel({HEADS}, sample_size=16, num_layers=2, joint_attention_dim=16,"
        " caption_projection_dim=32, pooled_projection_dim=24, out_channels=16,"
        " pos_embed_max_size=16)",
        "dict(hidden_states=r(2, 16, 16, 16), encoder_hidden_states=r(2, 7, 16),"
        " pooled_projections=r(2, 24), timestep=t(5).repeat(2))",
    ),
    "FluxTransformer2DModel": (
        f"d.FluxTransformer2DModel({HEADS}, in_channels=16, num_layers=1, num_single_layers=1,"
        " joint_attention_dim=16, pooled_projection_dim=24, axes_dims_rope=(4, 4, 8))",
        "dict(hidden_states=r(2, 16, 16), encoder_hidden_states=r(2, 7, 16),"
        " pooled_projections=r(2, 24), timestep=r(2), img_ids=r(16, 3), txt_ids=r(7, 3))",
    ),
    "AuraFlowTransformer2DModel": (
        f"d.AuraFlowTransformer2DModel({HEADS}, sample_size=16, num_mmdit_layers=1,"
        " num_single_dit_layers=1, joint_attention_dim=16, caption_projection_dim=32,"
        " pos_embed_max_size=64)",
        "dict(hidden_states=r(2, 4, 16, 16), encoder_hidden_states=r(2, 7, 16), timestep=r(2))",
    ),
    "CogVideoXTransformer3DModel": (
        f"d.CogVideoXTransformer3DModel({HEADS}, in_channels=4, out_channels=4, num_layers=1,"
        " text_embed_dim=16, time_embed_dim=8, sample_width=8, sample_height=8, sample_frames=9,"
        " max_text_seq_length=7)",
        "dict(hidden_states=r(2, 3, 4, 8, 8), encoder_hidden_states=r(2, 7, 16),"
        " timestep=t(5).repeat(2))",
    ),
    "SanaTransformer2DModel": (
        f"d.SanaTransformer2DModel({HEADS}, in_channels=4, out_channels=4, num_layers=1,"
        " num_cross_attention_heads=2, cross_attention_head_dim=16, cross_attention_dim=32,"
        " caption_channels=16, sample_size=8)",
        "dict(hidden_states=r(2, 4, 8, 8), encoder_hidden_states=r(2, 7, 16),"
        " timestep=t(5).repeat(2))",
    ),
    "WanTransformer3DModel": (
        f"d.WanTransformer3DModel({HEADS}, in_channels=4, out_channels=4, text_dim=16,"
        " freq_dim=16, ffn_dim=64, num_layers=2)",
        "dict(hidden_states=r(2, 4, 3, 8, 8), encoder_hidden_states=r(2, 7, 16),"
        " timestep=t(5).repeat(2))",
    ),
    "LTXVideoTransformer3DModel": (
        f"d.LTXVideoTransformer3DModel({HEADS}, in_channels=4, out_channels=4,"
        " cross_attention_dim=32, num_layers=2, caption_channels=16)",
        "dict(hidden_states=r(2, 32, 4), encoder_hidden_states=r(2, 7, 16),"
        " timestep=t(5).repeat(2), encoder_attention_mask=r(2, 7), num_frames=2, height=4,"
        " width=4)",
    ),
    "UVit2DModel": (
        "d.UVit2DModel(hidden_size=32, cond_embed_dim=16, encoder_hidden_size=16,"
        " micro_cond_encode_dim=4, micro_cond_embed_dim=4, vocab_size=40, codebook_size=32,"
        " in_channels=32, block_out_channels=32, num_res_blocks=1, num_hidden_layers=2,"
        " num_attention_heads=2, intermediate_size=64)",
        "dict(input_ids=t(3).repeat(2, 8, 8), encoder_hidden_states=r(2, 7, 16),"
        " pooled_text_emb=r(2, 16), micro_conds=r(2, 1))",
    ),
}  # fmt: skip


def checkpointing(model):
    model.enable_gradient_checkpointing()
    return model


def denoiser(name):
    import diffusers
    import torch

    make, inputs = MODELS[name]
    names = {
        "d": diffusers,
        "r": torch.rand,
        "t": lambda value: torch.tensor(value),
        "checkpointing": checkpointing,
    }
    return Made(eval(make, names).train(), (), eval(inputs, names))


def models():
    for name in MODELS:
        yield name, lambda name=name: denoiser(name)
