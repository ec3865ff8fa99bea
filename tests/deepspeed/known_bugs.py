# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The smallest input of each known bug of DeepSpeed's counts: the right number by hand, ours, theirs.

    python tests/deepspeed/known_bugs.py            # a JSON object for each row
    python tests/deepspeed/known_bugs.py --write    # the tables in docs/deepspeed.md

The numbers of the bugs are those of docs/deepspeed.md.
"""

import contextlib
import json
import os
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn

import compare  # puts ours on the path
from flopsprof.deepspeed import FlopsProfiler
from flopsprof.deepspeed.quirks.reasons import REASONS

PAGE = os.path.join(compare.ROOT, "docs", "deepspeed.md")


class Calls(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def packed():
    return nn.utils.rnn.pack_padded_sequence(torch.zeros(4, 3, 10), [4, 3, 2])


def shared():
    layer = nn.Linear(100, 100)
    return nn.Sequential(nn.Sequential(layer), nn.Sequential(layer), nn.Sequential(layer))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x)[0]


def z(*sizes):
    return torch.zeros(sizes)


Q = (1, 12, 64, 64)
PAIRS = 12 * 64 * 64  # of query and key in Q
LSTM_MACS = 4 * 20 * (10 + 20)  # a token; beside them two biases of the gates, and 10 pointwise a unit
LSTM_REST = 2 * 4 * 20 + 10 * 20

# bug, where it was told, what, model, inputs, right flops, right MACs
ROWS = (
    ("4", "DeepSpeed#7256", "a layer of 100 x 100 with bias under three parents", shared, [z(1, 100)],
     3 * (2 * 10000 + 100), 30000),
    ("8", "DeepSpeed#4723", "scaled_dot_product_attention", lambda: Calls(
        lambda q: F.scaled_dot_product_attention(q, q, q)), [z(*Q)], 4 * PAIRS * 64, 2 * PAIRS * 64),
    ("9", "RDT PR 120", "the same by keywords", lambda: Calls(
        lambda q: F.scaled_dot_product_attention(query=q, key=q, value=q)), [z(*Q)],
     4 * PAIRS * 64, 2 * PAIRS * 64),
    ("11", "PR 8419", "nn.Linear(8, 16), four rows", lambda: nn.Linear(8, 16), [z(4, 8)],
     2 * 512 + 64, 512),
    ("12", "PR 8419", "vector @ vector, 8",
     lambda: Calls(lambda a, b: torch.matmul(a, b)), [z(8), z(8)], 16, 8),
    ("12", "PR 8419", "matrix @ vector, 4 x 8",
     lambda: Calls(lambda a, b: torch.matmul(a, b)), [z(4, 8), z(8)], 64, 32),
    ("13", "PR 8419", "(2,1,4,8) @ (3,8,5)", lambda: Calls(lambda a, b: torch.matmul(a, b)),
     [z(2, 1, 4, 8), z(3, 8, 5)], 2 * 960, 960),
    ("14", "PR 8419", "addmm, 5 + (4,8) @ (8,5)", lambda: Calls(lambda a, b, c: torch.addmm(a, b, c)),
     [z(5), z(4, 8), z(8, 5)], 320 + 20, 160),
    ("15", "PR 8324", "torch.mul, (2,3,4) by (4)",
     lambda: Calls(lambda a, b: torch.mul(a, b)), [z(2, 3, 4), z(4)], 24, 0),
    ("16", "PR 8323", "nn.ConvTranspose2d(4,4,3,stride=2,padding=1,output_padding=1,groups=4)",
     lambda: nn.ConvTranspose2d(4, 4, 3, 2, 1, 1, groups=4), [z(2, 4, 8, 8)],
     2 * 4608 + 2 * 4 * 16 * 16, 2 * 64 * 9 * 4),
    ("17", "PR 8323", "nn.ConvTranspose2d(4,6,4,stride=2,padding=1)",
     lambda: nn.ConvTranspose2d(4, 6, 4, 2, 1), [z(2, 4, 8, 8)],
     2 * 49152 + 2 * 6 * 16 * 16, 2 * 64 * 16 * 4 * 6),
    ("18", "DeepSpeed#3815", "nn.ConvTranspose2d(3,1,2,stride=2)",
     lambda: nn.ConvTranspose2d(3, 1, 2, 2), [z(1, 3, 2, 2)], 2 * 48 + 16, 48),
    ("19", "PR 1518", "nn.Conv3d(1,1,3)", lambda: nn.Conv3d(1, 1, 3), [z(1, 1, 5, 5, 5)],
     2 * 729 + 27, 729),
    ("20", "PR 3169", "nn.Conv2d(4,6,2,padding='same')", lambda: nn.Conv2d(4, 6, 2, padding="same"),
     [z(2, 4, 8, 8)], 2 * 12288 + 2 * 6 * 64, 2 * 64 * 6 * 4 * 4),
    ("21", "", "F.conv2d with a list for the stride", lambda: Calls(
        lambda x, w: F.conv2d(x, w, stride=[1, 1])), [z(1, 2, 4, 4), z(3, 2, 3, 3)],
     2 * 4 * 3 * 18, 4 * 3 * 18),
    ("21", "", "nn.Conv2d(2,3,3) without a batch", lambda: nn.Conv2d(2, 3, 3), [z(2, 4, 4)],
     2 * 4 * 3 * 18 + 12, 4 * 3 * 18),
    ("22", "DeepSpeed#3816", "nn.LSTM(10,20), 5 steps of 3", lambda: nn.Sequential(nn.LSTM(10, 20)),
     [z(5, 3, 10)], 15 * (2 * LSTM_MACS + LSTM_REST), 15 * LSTM_MACS),
    ("23", "DeepSpeed#1268", "the same, packed, lengths 4, 3, 2",
     lambda: nn.Sequential(nn.LSTM(10, 20)), [packed()], 9 * (2 * LSTM_MACS + LSTM_REST),
     9 * LSTM_MACS),
    ("24", "", "the same without a batch", lambda: nn.Sequential(nn.LSTM(10, 20)), [z(5, 10)],
     5 * (2 * LSTM_MACS + LSTM_REST), 5 * LSTM_MACS),
    ("25", "", "einsum('ij,jk->ik'), 4 x 8 by 8 x 5", lambda: Calls(
        lambda a, b: torch.einsum("ij,jk->ik", a, b)), [z(4, 8), z(8, 5)], 320, 160),
    ("27", "DeepSpeed#4498", "interpolate(scale_factor=2)", lambda: Calls(
        lambda x: F.interpolate(x, scale_factor=2)), [z(1, 3, 224, 224)], 3 * 448 * 448, 0),
    ("28", "DeepSpeed#4504", "interpolate(scale_factor=(2, 2))", lambda: Calls(
        lambda x: F.interpolate(x, scale_factor=(2, 2))), [z(1, 3, 4, 5)], 240, 0),
    ("29", "PR 8394", "interpolate(size=64) of (8,3,32,32)", lambda: Calls(
        lambda x: F.interpolate(x, size=64)), [z(8, 3, 32, 32)], 8 * 3 * 64 * 64, 0),
    ("30", "", "F.upsample(scale_factor=2) of (8,3,32,32)", lambda: Calls(
        lambda x: F.upsample(x, scale_factor=2)), [z(8, 3, 32, 32)], 8 * 3 * 64 * 64, 0),
    ("31", "DeepSpeed#1742", "torch.add(x, x, alpha=5), 10 elements", lambda: Calls(
        lambda x: torch.add(x, x, alpha=5)), [z(10)], 20, 0),
    ("32", "DeepSpeed#2414", "nn.MaxPool2d(2)", lambda: nn.MaxPool2d(2), [z(1, 2, 4, 4)], 32, 0),
    ("54", "ptflops#101", "nn.MultiheadAttention(16,4), 2 x 5, eval without gradients", Attention,
     [z(2, 5, 16)], 2 * 11840 + 4 * 160, 10 * 4 * 256 + 2 * 2 * 25 * 16),
)  # fmt: skip


def counted(profiler, model, inputs) -> tuple:
    profiler.start_profile()
    try:
        model(*inputs)
        return profiler.get_total_flops(), profiler.get_total_macs()
    finally:
        profiler.end_profile()


def by_deepspeed(model, inputs):
    """Its numbers, or the name of the exception that it makes of the program."""
    try:
        return counted(compare.theirs.FlopsProfiler(model), model, inputs)
    except Exception as error:
        return type(error).__name__
    finally:
        compare.theirs.module_flop_count.clear()
        compare.theirs.module_mac_count.clear()


def rows() -> list:
    result = []
    with torch.no_grad():
        for bug, thread, what, make, inputs, flops, macs in ROWS:
            model = make().eval()
            result.append({
                "bug": bug, "thread": thread, "what": what, "right": [flops, macs],
                "ours": list(counted(FlopsProfiler(model), model, inputs)),
                "theirs": by_deepspeed(model, inputs),
                "quirks": list(counted(FlopsProfiler(model, compat="quirks"), model, inputs)),
            })  # fmt: skip
    return result


def number(pair) -> str:
    return pair if isinstance(pair, str) else f"{pair[0]:,} / {pair[1]:,}"


def bug_table(found) -> str:
    lines = ["| bug | told in | input | DeepSpeed 0.19.8: flops / MACs | ours |", "|---|---|---|---|---|"]
    for row in found:
        same = row["theirs"] != "" and list(row["theirs"]) == row["right"]
        theirs = "right (mended)" if same else number(row["theirs"])
        lines.append(
            f"| {row['bug']} | {row['thread'] or '-'} | {row['what']} | {theirs} | {number(row['right'])} |"
        )
    return "\n".join(lines)


def reason_table() -> str:
    lines = ["| reason | bug | DeepSpeed 0.19.8 | ours |", "|---|---|---|---|"]
    for reason in REASONS:
        lines.append(f"| `{reason.key}` | {reason.bug or '-'} | {reason.theirs} | {reason.ours} |")
    return "\n".join(lines)


def page_with(found) -> str:
    """docs/deepspeed.md with the tables between its marks."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    for name, table in (("bugs", bug_table(found)), ("reasons", reason_table())):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        head, rest = text.split(begin)
        text = head + begin + table + "\n" + end + rest.split(end)[1]
    return text


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(sys.stderr):
        found = rows()
    if "--write" in sys.argv:
        text = page_with(found)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(PAGE, encoding="utf-8") as file:
        up_to_date = file.read() == page_with(found)
    print(json.dumps({"rows": found, "page_is_up_to_date": up_to_date}))


if __name__ == "__main__":
    main()
