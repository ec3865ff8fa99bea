# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The net of parallel.py in a DeepSpeed engine, on two ranks: zero.py STAGE."""

import os
import sys

import deepspeed
import torch
from parallel import ROWS, STEPS, WIDTH, model_class


def main():
    deepspeed.init_distributed("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = model_class("ZeroNet")()
    config = {
        "train_batch_size": ROWS,
        "optimizer": {"type": "SGD", "params": {"lr": 0.1}},
        "zero_optimization": {"stage": int(sys.argv[1])},
        "zero_allow_untested_optimizer": True,
    }
    engine, *_ = deepspeed.initialize(
        model=model, config=config, model_parameters=model.parameters()
    )
    x = torch.randn(ROWS // 2, WIDTH, device="cuda")
    for _ in range(STEPS):
        engine.backward(engine(x).sum())
        engine.step()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
