# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Replays a graph of kernels: python graph_load.py KERNELS REPLAYS SECONDS [ELEMENTS]

Stops after REPLAYS, or SECONDS. Prints replays, kernels in the graph, GPU memory that went
meanwhile, and seconds by cudaEvents of a replay. With ELEMENTS: kernels over so many, behind a long
product, so that the GPU never waits for a launch between two events, and rests after each burst, so
that the profiler keeps up.
"""

import json
import sys
import time

import torch

kernels, replays, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
paced = len(sys.argv) > 4
x = torch.zeros(int(sys.argv[4]) if paced else 64, device="cuda")
x.add_(1)
if paced:
    a = torch.zeros(8192, 8192, device="cuda", dtype=torch.bfloat16)
    a @ a
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(kernels):
        x.add_(1)
graph.replay()
torch.cuda.synchronize()
free = torch.cuda.mem_get_info()[0]
deadline, done, spent_s = time.monotonic() + seconds, 0, 0.0
while done < replays and time.monotonic() < deadline:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    if paced:
        a @ a
    begin.record()
    for _ in range(min(20, replays - done)):
        graph.replay()
        done += 1
    end.record()
    torch.cuda.synchronize()
    spent_s += begin.elapsed_time(end) / 1e3
    if paced:
        time.sleep(0.02)
print(
    json.dumps(
        {"replays": done + 1, "kernels": kernels, "taken": free - torch.cuda.mem_get_info()[0],
         "replay_s": spent_s / max(done, 1)}
    )
)  # fmt: skip
