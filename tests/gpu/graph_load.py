# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Replays a graph of small kernels: python graph_load.py KERNELS REPLAYS SECONDS

Stops after REPLAYS, or SECONDS. Prints replays, kernels in the graph, GPU memory that went
meanwhile, and mean seconds by cudaEvents of a replay.
"""

import json
import sys
import time

import torch

kernels, replays, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
x = torch.zeros(64, device="cuda")
x.add_(1)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(kernels):
        x.add_(1)
graph.replay()
torch.cuda.synchronize()
free = torch.cuda.mem_get_info()[0]
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
deadline, done = time.monotonic() + seconds, 0
begin.record()
while done < replays and time.monotonic() < deadline:
    for _ in range(min(20, replays - done)):
        graph.replay()
        done += 1
    torch.cuda.synchronize()
end.record()
torch.cuda.synchronize()
print(
    json.dumps(
        {"replays": done + 1, "kernels": kernels, "taken": free - torch.cuda.mem_get_info()[0],
         "replay_s": begin.elapsed_time(end) / 1e3 / max(done, 1)}
    )
)  # fmt: skip
