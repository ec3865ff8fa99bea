# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's example of seed 004: BERT with keyword arguments. A small one, from its configuration;
the tokenizer's files would be a download, so the ids are made here."""

import torch
from transformers import BertConfig, BertForSequenceClassification
from deepspeed.profiling.flops_profiler import get_model_profile
from deepspeed.accelerator import get_accelerator


def bert_input_constructor(batch_size, seq_len):
    ids = torch.zeros(batch_size, seq_len, dtype=torch.long)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    labels = torch.tensor([1] * batch_size)
    inputs.update({"labels": labels})
    return inputs


with get_accelerator().device(0):
    model = BertForSequenceClassification(BertConfig(num_hidden_layers=2, hidden_size=48, num_attention_heads=4, intermediate_size=96, vocab_size=100))
    batch_size = 4
    seq_len = 16
    enable_profile = True
    if enable_profile:
      flops, macs, params = get_model_profile(
          model,
          kwargs=bert_input_constructor(batch_size, seq_len),
          print_profile=True,
          detailed=True,
      )
    print(flops, macs, params, sep="|")
