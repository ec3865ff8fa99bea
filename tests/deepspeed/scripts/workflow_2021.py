# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's example of a training workflow, of seed 002, with a model."""

import torch
from torch import nn
from deepspeed.profiling.flops_profiler import FlopsProfiler

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data_loader = [torch.randn(4, 8) for _ in range(8)]
print_profile = print_aggregated_profile = True
prof = FlopsProfiler(model)

start_step = 5
end_step = 6
assert (end_step > start_step), "should end profiling after start profiling"

for step, batch in enumerate(data_loader):
  # start profiling at training step "start_step"
  if step == start_step:
    prof.start_profile()

  # end profiling and print output at training step "end_step"
  if step == end_step: # if using multi nodes, check global_rank == 0 as well
    flops = prof.get_total_flops(in_str=True)
    params = prof.get_total_params(in_str=True)
    if print_profile:
        prof.print_model_profile()
    if print_aggregated_profile:
        prof.print_model_aggregated_profile(module_depth=-1, top_modules=3)
    prof.end_profile()

  # forward() method
  loss = model(batch).mean()

  # runs backpropagation
  loss.backward()

  # weight update
  optimizer.step()
print(flops, params, sep="|")
