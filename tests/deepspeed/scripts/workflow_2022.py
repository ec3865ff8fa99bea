# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's example of a training workflow, of seeds 003 and 004, with LeNet5 of seed 002."""

import torch
from torch import nn
from deepspeed.profiling.flops_profiler import FlopsProfiler


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.feature_extractor = nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(),
            nn.AvgPool2d(2), nn.Conv2d(16, 120, 5), nn.Tanh())
        self.classifier = nn.Sequential(nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10))

    def forward(self, x):
        return self.classifier(torch.flatten(self.feature_extractor(x), 1)).softmax(1).max()


model = LeNet5()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data_loader = [torch.randn(16, 1, 32, 32) for _ in range(7)]
prof = FlopsProfiler(model)

profile_step = 5
print_profile= True

for step, batch in enumerate(data_loader):
  # start profiling at training step "profile_step"
  if step == profile_step:
    prof.start_profile()

  # forward() method
  loss = model(batch)

  # end profiling and print output
  if step == profile_step: # if using multi nodes, check global_rank == 0 as well
    prof.stop_profile()
    flops = prof.get_total_flops()
    macs = prof.get_total_macs()
    params = prof.get_total_params()
    if print_profile:
        prof.print_model_profile(profile_step=profile_step)
    prof.end_profile()

  # runs backpropagation
  loss.backward()

  # weight update
  optimizer.step()
print(macs, params, sep="|")
