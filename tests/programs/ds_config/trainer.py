# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A linear layer under Hugging Face's Trainer, 4 steps of 4 rows. Arguments are those of
TrainingArguments, or one JSON file with them.

Forward flops of a step: 2 * 4 * 32 * 8 = 2,048.
"""

import sys

import torch
from torch import nn
from transformers import HfArgumentParser, Trainer, TrainingArguments


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(32, 8)

    def forward(self, x, labels=None):
        return {"loss": self.layer(x).pow(2).mean()}


parser = HfArgumentParser(TrainingArguments)
is_file = len(sys.argv) == 2 and sys.argv[1].endswith(".json")
(arguments,) = parser.parse_json_file(sys.argv[1]) if is_file else parser.parse_args_into_dataclasses()
rows = [{"x": torch.ones(32), "labels": torch.tensor(0)} for _ in range(16)]
Trainer(model=Model(), args=arguments, train_dataset=rows).train()
print("trained")
