# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks: one cuDNN call covers all layers, directions and time steps.

`--packed` uses lengths seq, seq-1, ... (one per sequence), so the token count is
their sum and not batch * seq.
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import harness

BATCH = 16


class Recurrent(nn.Module):
    def __init__(self, args, lengths) -> None:
        super().__init__()
        options = {"proj_size": args.projection} if args.projection else {}
        self.rnn = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[args.cell](
            args.features,
            args.hidden,
            args.layers,
            bidirectional=args.bidirectional,
            batch_first=True,
            **options,
        )
        width = (args.projection or args.hidden) * (2 if args.bidirectional else 1)
        self.head = nn.Linear(width, args.classes)
        self.lengths = lengths

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.lengths is not None:
            x = pack_padded_sequence(x, self.lengths, batch_first=True)
        x, _ = self.rnn(x)
        if self.lengths is not None:
            x, _ = pad_packed_sequence(x, batch_first=True)
        return self.head(x)


def arguments(parser) -> None:
    parser.add_argument("--cell", choices=("lstm", "gru", "rnn"), default="lstm")
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--seq", type=int, default=50)
    parser.add_argument("--classes", type=int, default=32)
    parser.add_argument("--projection", type=int, default=0)
    parser.add_argument("--bidirectional", action="store_true")
    parser.add_argument("--packed", action="store_true")


def build(args) -> harness.Workload:
    lengths = None
    if args.packed:
        with torch.device("cpu"):
            lengths = torch.tensor([args.seq - i for i in range(args.batch)])
    x = torch.randn(args.batch, args.seq, args.features, dtype=args.torch_dtype)
    return harness.Workload(Recurrent(args, lengths).to(args.torch_dtype), (x,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
