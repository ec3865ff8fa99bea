# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""peft: every kind of adapter that can be made from a configuration, on a small LLaMA, BERT, ViT
or T5. Not BOFT, which compiles a CUDA extension when it is made."""

from models import Made

LINEAR = "target_modules=['q_proj', 'v_proj', 'down_proj']"
SQUARE = "target_modules=['q_proj', 'o_proj']"

# name: (configuration, base model)
ADAPTERS = {
    "LoRA": (f"p.LoraConfig(r=4, {LINEAR})", "llama"),
    "LoRA dropout": (f"p.LoraConfig(r=4, lora_dropout=0.1, {LINEAR})", "llama"),
    "LoRA bias": (f"p.LoraConfig(r=4, bias='all', lora_bias=True, {LINEAR})", "llama"),
    "LoRA all linear": ("p.LoraConfig(r=4, target_modules='all-linear')", "llama"),
    "LoRA ranks": (f"p.LoraConfig(r=4, rank_pattern={{'v_proj': 8}}, {LINEAR})", "llama"),
    "LoRA rslora": (f"p.LoraConfig(r=4, use_rslora=True, {LINEAR})", "llama"),
    "LoRA embedding": ("p.LoraConfig(r=4, target_modules=['embed_tokens', 'q_proj'])", "llama"),
    "LoRA saved head": (
        "p.LoraConfig(r=4, target_modules=['q_proj'], modules_to_save=['lm_head'])", "llama",
    ),
    "LoRA layers": (
        "p.LoraConfig(r=4, target_modules=['q_proj'], layers_to_transform=[0])", "llama",
    ),
    "LoRA tokens": (
        "p.LoraConfig(r=4, target_modules=['q_proj'], trainable_token_indices=[1, 2])", "llama",
    ),
    "DoRA": (f"p.LoraConfig(r=4, use_dora=True, {LINEAR})", "llama"),
    "PiSSA": (f"p.LoraConfig(r=4, init_lora_weights='gaussian', {LINEAR})", "llama"),
    "LoRA two adapters": (f"p.LoraConfig(r=4, {LINEAR})", "llama twice"),
    "LoRA merged": (f"p.LoraConfig(r=4, {LINEAR})", "llama merged"),
    "LoRA unloaded": (f"p.LoraConfig(r=4, {LINEAR})", "llama unloaded"),
    "LoRA bf16": (f"p.LoraConfig(r=4, {LINEAR})", "llama bf16"),
    "LoRA checkpointing": (f"p.LoraConfig(r=4, {LINEAR})", "llama checkpointing"),
    "LoRA autocast": (f"p.LoraConfig(r=4, {LINEAR})", "llama autocast"),
    "LoRA BERT": ("p.LoraConfig(r=4, target_modules=['query', 'value'])", "bert"),
    "LoRA ViT": ("p.LoraConfig(r=4, target_modules='all-linear')", "vit"),
    "LoRA T5": ("p.LoraConfig(r=4, target_modules=['q', 'v'])", "t5"),
    "LoRA convolution": ("p.LoraConfig(r=4, target_modules=['projection'])", "vit"),
    "DoRA convolution": ("p.LoraConfig(r=4, use_dora=True, target_modules=['projection'])", "vit"),
    "LoRA GPT-2": ("p.LoraConfig(r=4, target_modules=['c_attn'], fan_in_fan_out=True)", "gpt2"),
    "LoRA experts": ("p.LoraConfig(r=4, target_modules=['q_proj'])", "mixtral"),
    "AdaLoRA": (f"p.AdaLoraConfig(init_r=6, target_r=4, total_step=10, {LINEAR})", "llama"),
    "IA3": (
        "p.IA3Config(target_modules=['k_proj', 'down_proj'], feedforward_modules=['down_proj'])",
        "llama",
    ),
    "LoHa": (f"p.LoHaConfig(r=4, {LINEAR})", "llama"),
    "LoHa convolution": ("p.LoHaConfig(r=4, target_modules=['projection'])", "vit"),
    "LoKr": (f"p.LoKrConfig(r=4, {LINEAR})", "llama"),
    "LoKr decomposed": (f"p.LoKrConfig(r=2, decompose_both=True, {LINEAR})", "llama"),
    "OFT": (f"p.OFTConfig(r=0, oft_block_size=4, {SQUARE})", "llama"),
    "OFT Cayley": (
        f"p.OFTConfig(r=0, oft_block_size=4, use_cayley_neumann=False, {SQUARE})", "llama",
    ),
    "VeRA": (f"p.VeraConfig(r=4, {SQUARE})", "llama"),
    "VBLoRA": (f"p.VBLoRAConfig(r=4, num_vectors=16, vector_length=8, {SQUARE})", "llama"),
    "FourierFT": (f"p.FourierFTConfig(n_frequency=10, {SQUARE})", "llama"),
    "WaveFT": (f"p.WaveFTConfig(n_frequency=10, {SQUARE})", "llama"),
    "HRA": (f"p.HRAConfig(r=4, {SQUARE})", "llama"),
    "HiRA": (f"p.HiraConfig(r=4, {SQUARE})", "llama"),
    "MiSS": (f"p.MissConfig(r=4, {SQUARE})", "llama"),
    "RandLoRA": (f"p.RandLoraConfig(r=4, {SQUARE})", "llama"),
    "SHiRA": (f"p.ShiraConfig(r=4, {SQUARE})", "llama"),
    "C3A": (f"p.C3AConfig(block_size=8, {SQUARE})", "llama"),
    "RoAd": (f"p.RoadConfig(group_size=8, {SQUARE})", "llama"),
    "DeLoRA": (f"p.DeloraConfig(r=4, {SQUARE})", "llama"),
    "GraLoRA": (f"p.GraloraConfig(r=4, gralora_k=2, {SQUARE})", "llama"),
    "OSF": (f"p.OSFConfig({SQUARE})", "llama"),
    "PSOFT": (f"p.PsoftConfig(r=4, {SQUARE})", "llama"),
    "LN tuning": ("p.LNTuningConfig()", "llama"),
    "trainable tokens": ("p.TrainableTokensConfig(token_indices=[1, 2, 3])", "llama"),
    "prompt tuning": ("p.PromptTuningConfig(num_virtual_tokens=4, task_type='CAUSAL_LM')", "llama"),
    "prefix tuning": ("p.PrefixTuningConfig(num_virtual_tokens=4, task_type='CAUSAL_LM')", "llama"),
    "prefix tuning, projected": (
        "p.PrefixTuningConfig(num_virtual_tokens=4, prefix_projection=True,"
        " encoder_hidden_size=16, task_type='CAUSAL_LM')", "llama",
    ),
    "P-tuning": (
        "p.PromptEncoderConfig(num_virtual_tokens=4, encoder_hidden_size=16,"
        " task_type='CAUSAL_LM')", "llama",
    ),
    "P-tuning lstm": (
        "p.PromptEncoderConfig(num_virtual_tokens=4, encoder_hidden_size=16,"
        " encoder_reparameterization_type='LSTM', task_type='CAUSAL_LM')", "llama",
    ),
    "adaption prompt": (
        "p.AdaptionPromptConfig(adapter_len=4, adapter_layers=1, task_type='CAUSAL_LM')", "llama",
    ),
}  # fmt: skip


def base(kind):
    """(model, keyword arguments)."""
    import torch
    import transformers as t

    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    words = torch.arange(20).reshape(2, 10) % 11
    inputs = {"input_ids": words, "labels": words}
    if kind == "bert":
        config = t.BertConfig(**small, intermediate_size=64, vocab_size=50)
        return t.BertForMaskedLM(config), inputs
    if kind == "vit":
        config = t.ViTConfig(**small, intermediate_size=64, image_size=32, patch_size=8)
        images = {"pixel_values": torch.rand(2, 3, 32, 32)}
        return t.ViTForImageClassification(config), images
    if kind == "t5":
        config = t.T5Config(
            d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=50,
            decoder_start_token_id=0,
        )  # fmt: skip
        return t.T5ForConditionalGeneration(config), inputs
    if kind == "gpt2":
        config = t.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=50)
        return t.GPT2LMHeadModel(config), inputs
    if kind == "mixtral":
        config = t.MixtralConfig(
            **small, num_key_value_heads=2, intermediate_size=64, vocab_size=50,
            num_local_experts=4, experts_implementation="eager",
        )  # fmt: skip
        return t.MixtralForCausalLM(config), inputs
    config = t.LlamaConfig(**small, num_key_value_heads=4, intermediate_size=64, vocab_size=50)
    return t.LlamaForCausalLM(config), inputs


def adapted(name):
    import peft as p
    import torch

    text, kind = ADAPTERS[name]
    kind, _, how = kind.partition(" ")
    model, inputs = base(kind)
    if how == "checkpointing":
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    config = eval(text, {"p": p})
    module, context = p.get_peft_model(model, config), None
    if how == "twice":
        module.add_adapter("other", config)
        module.base_model.set_adapter(["default", "other"])
    elif how == "merged":
        module.merge_adapter()
    elif how == "unloaded":
        module = module.merge_and_unload().requires_grad_(True)
    elif how == "bf16":
        module = module.to(torch.bfloat16)
    elif how == "autocast":
        context = lambda: torch.autocast("cuda", torch.bfloat16)  # noqa: E731
    return Made(module.train(), (), inputs, context)


def models():
    for name in ADAPTERS:
        yield name, lambda name=name: adapted(name)
