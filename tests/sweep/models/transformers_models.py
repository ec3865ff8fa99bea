# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""transformers: a small configuration of each kind of model. The sizes that configurations agree
on are made small (`SIZES`); what a kind wants besides stands beside its name."""

from models import Made

# Set where a configuration (or one inside of it) has the name.
SIZES = {
    "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "embedding_size": 32,
    "embed_dim": 32, "n_embed": 32, "hidden_dim": 32, "word_embed_proj_dim": 32, "d_embed": 32,
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "encoder_layers": 2,
    "decoder_layers": 2, "num_decoder_layers": 2, "num_encoder_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "num_key_value_heads": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_encoder_attention_heads": 4,
    "num_decoder_attention_heads": 4, "head_dim": 8, "d_kv": 8, "d_head": 8, "d_inner": 64,
    "intermediate_size": 64, "d_ff": 64, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
    "ffn_dim": 64, "n_inner": 64, "ffn_hidden_size": 64, "intermediate_dim": 64,
    "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32, "num_local_experts": 4,
    "num_experts": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "top_k_experts": 2,
    "vocab_size": 64, "max_position_embeddings": 64, "n_positions": 64, "image_size": 32,
    "patch_size": 8, "kv_lora_rank": 8, "q_lora_rank": 8, "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8, "v_head_dim": 8, "n_group": 1, "topk_group": 1,
    "first_k_dense_replace": 1, "sliding_window": 8, "state_size": 8, "time_step_rank": 4,
    "use_cache": False, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "decoder_start_token_id": 1,
    "projection_dim": 32, "num_buckets": 32, "max_2d_position_embeddings": 64,
}  # fmt: skip
WORDS, IMAGES, PAIRS, SOUNDS, SPECTRA = "words images pairs sounds spectra".split()

# Kinds of models by what they are called with.
KINDS = {
    WORDS: """albert apertus arcee bert bert-generation big_bird biogpt bitnet bloom
camembert canine codegen cohere cohere2 convbert ctrl cwm data2vec-text deberta deberta-v2
deepseek_v2 deepseek_v3 diffllama distilbert doge electra ernie ernie4_5 ernie4_5_moe eurobert
exaone4 falcon_h1 falcon_mamba flaubert flex_olmo fnet gemma gemma2 gemma3_text glm glm4
glm4_moe gpt2 gpt_bigcode gpt_neo gpt_neox gpt_neox_japanese gpt_oss gptj granite granitemoe
granitemoehybrid granitemoeshared gte helium ibert internlm3 jamba jetmoe layoutlm lfm2 llama
llama4_text longformer luke mamba mamba2 markuplm megatron-bert minimax mistral mixtral
mobilebert modernbert modernbert-decoder mpnet mpt mra nomic_bert nystromformer olmo olmo2 olmo3
olmoe openai-gpt opt persimmon phi phi3 phimoe qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next
recurrent_gemma reformer rembert roberta roberta-prelayernorm roc_bert roformer rwkv seed_oss
smollm3 splinter squeezebert stablelm starcoder2 tapas vaultgemma xglm xlm xlm-roberta
xlm-roberta-xl yoso zamba2""".split(),
    IMAGES: """beit bit convnext convnextv2 cvt data2vec-vision deit dinov2
dinov2_with_registers dinov3_convnext dinov3_vit donut-swin dpt focalnet glpn hgnet_v2 hiera
ijepa imagegpt levit mobilenet_v1 mobilenet_v2 mobilevit poolformer pvt pvt_v2 regnet resnet
segformer siglip_vision_model clip_vision_model swiftformer swin swin2sr swinv2 textnet vit
vit_mae vit_msn vitdet yolos""".split(),
    PAIRS: """bart bigbird_pegasus blenderbot blenderbot-small fsmt led longt5 m2m_100 marian
mbart mt5 mvp nllb-moe pegasus pegasus_x plbart switch_transformers t5 umt5""".split(),
    SOUNDS: "data2vec-audio hubert sew unispeech unispeech-sat wav2vec2 wavlm".split(),
    SPECTRA: "audio-spectrogram-transformer speech_to_text whisper".split(),
}
# The same models in other ways.
WAYS = {
    "bf16": "bert gpt2 llama mistral t5 vit gemma2 qwen2 opt bart",
    "autocast": "bert llama vit t5",
    "checkpointing": "bert gpt2 llama vit t5 qwen3",
    "eager": "bert llama vit mixtral qwen2_moe",
    "no gradients": "bert llama resnet t5",
    "half frozen": "bert llama vit",
}
MORE = {
    "deepseek_v2": {
        "head_dim": 4, "num_key_value_heads": 4, "num_experts_per_tok": 2,
    },
    "deepseek_v3": {"head_dim": 4, "num_key_value_heads": 4}, "gptj": {"rotary_dim": 4},
    "codegen": {"rotary_dim": 4}, "data2vec-audio": {"conv_dim": (32,) * 7}, "ctrl": {"dff": 64},
    "granitemoehybrid": {"mamba_n_heads": 8, "mamba_d_head": 8},
    "glm": {"partial_rotary_factor": 0.5}, "mamba2": {"num_heads": 8, "n_groups": 1},
    "reformer": {
        "attn_layers": ["local", "local"], "axial_pos_embds": False, "attention_head_size": 8,
        "feed_forward_size": 64, "local_attn_chunk_length": 4, "num_buckets": None,
    },
    "big_bird": {"attention_type": "original_full"}, "yolos": {"image_size": [32, 32]},
    "whisper": {"max_source_positions": 16, "num_mel_bins": 16},
    "speech_to_text": {"conv_channels": 32, "input_feat_per_channel": 16},
    "audio-spectrogram-transformer": {"max_length": 48, "num_mel_bins": 16},
}  # fmt: skip


def made_small(config, more) -> None:
    from transformers import PretrainedConfig

    for name, value in SIZES.items():
        old = getattr(config, name, None)
        # Lists (sizes by stage) stay as they are.
        if old is not None and not isinstance(old, (list, tuple, dict)):
            setattr(config, name, value)
    for value in vars(config).values():
        if isinstance(value, PretrainedConfig):
            made_small(value, {})
    for name, value in more.items():
        setattr(config, name, value)


def small_config(kind):
    """Made with the small values where it takes them, since sizes depend on each other."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[kind]
    plain = cls()
    stages = getattr(plain, "depths", None) or getattr(plain, "hidden_sizes", None)
    if isinstance(stages, (list, tuple)):
        return plain  # sizes by stage, which must fit together
    given = {
        name: value
        for name, value in SIZES.items()
        if getattr(plain, name, None) is not None
        and not isinstance(getattr(plain, name), (list, tuple, dict))
    }
    for name in ("layer_types", "layers_block_type", "mlp_layer_types"):
        if getattr(plain, name, None) is not None:
            kept = list(getattr(plain, name))
            given[name] = sorted(set(kept))[:2] * (1 if len(set(kept)) > 1 else 2)
    try:
        return cls(**{**given, **MORE.get(kind, {})})
    except Exception:
        made_small(plain, MORE.get(kind, {}))
        return plain


def inputs_of(what, config) -> dict:
    import torch

    words = torch.arange(24).reshape(2, 12) % 29 + 3
    if what == WORDS:
        return {"input_ids": words}
    if what == PAIRS:
        return {"input_ids": words, "decoder_input_ids": words[:, :8]}
    if what == SOUNDS:
        return {"input_values": torch.rand(2, 4000)}
    if what == SPECTRA:
        name = "input_values" if hasattr(config, "frequency_stride") else "input_features"
        frames = torch.rand(2, 48, 16) if name == "input_values" else torch.rand(2, 32, 16)
        if config.model_type == "whisper":
            frames = torch.rand(2, 16, 32)
        more = {} if name == "input_values" else {"decoder_input_ids": words[:, :8]}
        return {name: frames, **more}
    if config.model_type == "imagegpt":
        return {"input_ids": words}
    size = getattr(config, "image_size", None) or 64
    side = size if isinstance(size, int) else size[0]
    return {"pixel_values": torch.rand(2, getattr(config, "num_channels", 3), side, side)}


def made(kind, what, way=""):
    import torch
    from transformers import AutoModel

    config, context = small_config(kind), None
    options = {"attn_implementation": "eager"} if way == "eager" else {}
    model = AutoModel.from_config(config, **options).train()
    inputs = inputs_of(what, config)
    if way == "bf16":
        model = model.to(torch.bfloat16)
        inputs = {
            name: value.to(torch.bfloat16) if value.is_floating_point() else value
            for name, value in inputs.items()
        }
    elif way == "autocast":
        context = lambda: torch.autocast("cuda", torch.bfloat16)  # noqa: E731
    elif way == "checkpointing":
        model.gradient_checkpointing_enable()
    elif way == "no gradients":
        context = torch.no_grad
    elif way == "half frozen":
        for number, parameter in enumerate(model.parameters()):
            parameter.requires_grad_(number % 2 == 0)
    return Made(model, (), inputs, context)


def models():
    for what, kinds in KINDS.items():
        for kind in kinds:
            yield kind, lambda kind=kind, what=what: made(kind, what)
    for way, kinds in WAYS.items():
        for kind in kinds.split():
            what = next(what for what, all_kinds in KINDS.items() if kind in all_kinds)
            yield (
                f"{kind} {way}",
                lambda kind=kind, what=what, way=way: made(kind, what, way),
            )
