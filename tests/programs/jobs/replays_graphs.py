# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Captures work into a CUDA graph and replays it.

    replays_graphs.py WAY REPLAYS

WAY: `replay` (torch.cuda.graph), `callables` (torch.cuda.make_graphed_callables), `compiled`
(torch.compile, mode "reduce-overhead"), `attention` (flash attention, a kernel without a library
call), `formula` (an operation of the program with a formula of its own), `unseen` (captured by functions of the runtime that were not looked up by name).
"""

import ctypes
import subprocess
import sys

import small_net
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

WARM_UP = 3


class Attention(nn.Module):
    SHAPE = (2, 4, 64, 32)  # sequences, heads, tokens, width

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones((), dtype=torch.bfloat16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * self.scale
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return F.scaled_dot_product_attention(x, x, x)


def capture(step) -> torch.cuda.CUDAGraph:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UP):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


def replay(replays: int) -> None:
    trainer = small_net.Trainer()

    def step() -> None:
        trainer.optimizer.zero_grad(set_to_none=False)
        trainer.model(trainer.inputs).square().mean().backward()
        trainer.optimizer.step()

    graph = capture(step)
    for _ in range(replays):
        graph.replay()


def callables(replays: int) -> None:
    trainer = small_net.Trainer()
    trainer.model = torch.cuda.make_graphed_callables(trainer.model, (trainer.inputs,), WARM_UP)
    trainer.train(replays)


def compiled(replays: int) -> None:
    trainer = small_net.Trainer()
    trainer.model = torch.compile(trainer.model, mode="reduce-overhead")
    for _ in range(replays):
        torch.compiler.cudagraph_mark_step_begin()
        trainer.step()


def attention(replays: int) -> None:
    model = Attention().cuda()
    x = torch.randn(Attention.SHAPE, device="cuda", dtype=torch.bfloat16)
    graph = capture(lambda: model(x).sum().backward())
    for _ in range(replays):
        graph.replay()


def formula(replays: int) -> None:
    import flopsprof

    library = torch.library.Library("mylib", "DEF")
    library.define("outer(Tensor a, Tensor b) -> Tensor")
    library.impl("outer", lambda a, b: a[:, None] * b[None, :], "CUDA")
    flopsprof.formula("mylib::outer")(lambda a, b: 2 * a[0] * b[0])
    a, b = torch.zeros(8, device="cuda"), torch.zeros(16, device="cuda")
    graph = capture(lambda: torch.ops.mylib.outer(a, b))
    for _ in range(replays):
        graph.replay()


def by_address(name: str):
    """A function of the loaded runtime that no dlsym was asked for."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        lines = [line.split() for line in maps if "libcudart.so" in line]
    base = min(int(line[0].split("-")[0], 16) for line in lines)
    names = subprocess.run(
        ["nm", "-D", lines[0][-1]], capture_output=True, text=True, check=True
    ).stdout
    found = next(line for line in names.splitlines() if line.split()[-1].split("@")[0] == name)
    return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
        base + int(found.split()[0], 16)
    )


def unseen(replays: int) -> None:
    model = small_net.SmallNet().cuda()
    x = torch.randn(small_net.BATCH, 64).cuda()
    begin, end = by_address("cudaStreamBeginCapture"), by_address("cudaStreamEndCapture")
    runtime = ctypes.CDLL("libcudart.so.13")
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    stream = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(stream):
        model(x)
        torch.cuda.synchronize()
        handle = ctypes.c_void_p(stream.cuda_stream)
        kept = []  # memory of a capture must not be used again
        assert begin(handle, 2) == 0  # relaxed
        kept.append(model(x))
        assert end(handle, ctypes.byref(graph)) == 0
        assert runtime.cudaGraphInstantiate(ctypes.byref(executable), graph, 0) == 0
        for _ in range(replays):
            assert runtime.cudaGraphLaunch(executable, handle) == 0


if __name__ == "__main__":
    globals()[sys.argv[1]](int(sys.argv[2]))
    torch.cuda.synchronize()
