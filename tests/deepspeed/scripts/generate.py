# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-alone package's example of T5 (seed 003): func_name="generate"; a small T5 from its
configuration."""

import torch
from transformers import T5Config, T5ForConditionalGeneration
from flops_profiler.profiler import get_model_profile

model = T5ForConditionalGeneration(T5Config(num_layers=2, d_model=32, d_kv=8, num_heads=4, d_ff=48, vocab_size=64, decoder_start_token_id=0))
flops, macs, params = get_model_profile(
    model,
    kwargs={"input_ids": torch.arange(24).reshape(2, 12), "max_new_tokens": 4},
    print_profile=True,
    warm_up=1,
    as_string=True,
    func_name="generate",
)
print("{:<30}  {:<8}".format("Number of flops: ", flops))
print("{:<30}  {:<8}".format("Number of MACs: ", macs))
print("{:<30}  {:<8}".format("Number of parameters: ", params))
