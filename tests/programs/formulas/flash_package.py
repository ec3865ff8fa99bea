# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of flash-attn's extension module (a stand-in), imported when the model is there already."""

import torch
from torch import nn

B, S, H, HK, D = 2, 128, 8, 2, 64


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        import flash_attn_2_cuda as flash

        ctx.save_for_backward(q, k, v)
        return flash.fwd(q, k, v, None, None, 0.0, 0.125, True, -1, -1, 0.0, False, None)[0]

    @staticmethod
    def backward(ctx, grad):
        import flash_attn_2_cuda as flash

        q, k, v = ctx.saved_tensors
        return flash.bwd(
            grad, q, k, v, q, q, None, None, None, None, 0.0, 0.125, True, -1, -1, 0.0, False, None,
            None,
        )  # fmt: skip


class Dense(nn.Module):
    def forward(self, q, k, v):
        Attention.apply(q, k, v).sum().backward()


class Packed(nn.Module):
    """Sequences one after the other, of which the longest has `longest`."""

    def __init__(self, longest):
        super().__init__()
        self.longest = longest

    def forward(self, q, k, v):
        import flash_attn_2_cuda as flash

        bounds = torch.tensor([0, 0, 0], dtype=torch.int32, device="cuda")
        flash.varlen_fwd(
            q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1), None, bounds, bounds, None, None,
            None, None, self.longest, self.longest, 0.0, 0.125, False, True, -1, -1, 0.0, False,
            None,
        )  # fmt: skip


class Raises(nn.Module):
    def forward(self, q, k, v):
        import flash_attn_2_cuda as flash

        try:
            flash.varlen_fwd(
                q[0], q[0, :, :3], v[0], None, k, k, None, None, None, None, S, S, 0.0, 0.1, False,
                True, -1, -1, 0.0, False, None,
            )  # fmt: skip
        except RuntimeError:
            return


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = Dense()
        self.uniform = Packed(S)
        self.ragged = Packed(S + 1)
        self.raises = Raises()

    def forward(self, *tensors):
        for child in self.children():
            child(*tensors)


def main() -> None:
    def tensor(heads, size):
        return torch.zeros(
            B, S, heads, size, device="cuda", dtype=torch.bfloat16, requires_grad=True
        )

    model = Model()
    for _ in range(2):
        model(tensor(H, D), tensor(HK, D), tensor(HK, 32))
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
