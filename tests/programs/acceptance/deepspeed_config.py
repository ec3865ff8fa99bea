# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training loop driven by a DeepSpeed JSON file with a `flops_profiler` block.

    python deepspeed_config.py --config ds_config.json --steps 3
    torchrun --nproc-per-node 2 deepspeed_config.py      # the set-up of seed 000

With DeepSpeed installed the engine prints its own report (the reference for
compatibility tests); `--engine plain` reads the same file without DeepSpeed.
"""

import argparse
import json
import os

import torch
import torch.nn.functional as F

import cifar_net

HERE = os.path.dirname(os.path.abspath(__file__))


def deepspeed_step(config: dict, device: str):
    import deepspeed

    if "RANK" not in os.environ:
        os.environ.update(
            RANK="0", LOCAL_RANK="0", WORLD_SIZE="1",
            MASTER_ADDR="127.0.0.1", MASTER_PORT="29511",
        )  # fmt: skip
    deepspeed.init_distributed("nccl" if device == "cuda" else "gloo")
    engine, *_ = deepspeed.initialize(model=cifar_net.Net(), config=config)

    def step(image: torch.Tensor, label: torch.Tensor) -> None:
        engine.backward(F.cross_entropy(engine(image), label))
        engine.step()

    return step


def plain_step(config: dict, device: str):
    model = cifar_net.Net().to(device)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=config["optimizer"]["params"]["lr"]
    )
    group = config.get("gradient_accumulation_steps", 1)
    micro_step = 0

    def step(image: torch.Tensor, label: torch.Tensor) -> None:
        nonlocal micro_step
        (F.cross_entropy(model(image), label) / group).backward()
        micro_step += 1
        if micro_step % group == 0:
            optimizer.step()
            optimizer.zero_grad()

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default=os.path.join(HERE, "ds_config.json"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=3, help="micro steps")
    parser.add_argument("--engine", choices=("deepspeed", "plain"), default="deepspeed")
    args = parser.parse_args()
    with open(args.config) as file:
        config = json.load(file)
    make = deepspeed_step if args.engine == "deepspeed" else plain_step
    step = make(config, args.device)
    batch = config["train_micro_batch_size_per_gpu"]
    image = torch.randn(batch, 3, 32, 32, device=args.device)
    label = torch.zeros(batch, dtype=torch.long, device=args.device)
    for _ in range(args.steps):
        step(image, label)
    print(json.dumps({"workload": "deepspeed_config.py", "steps": args.steps}))


if __name__ == "__main__":
    main()
