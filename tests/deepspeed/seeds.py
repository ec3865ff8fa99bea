# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The published reports (seeds) beside ours, for docs/seeds.md; programs run on the meta device.

    python tests/deepspeed/seeds.py             # {"wrong": [...], "page_is_up_to_date": ...}
    python tests/deepspeed/seeds.py --write

What a report printed, and whether that is right, stands in tests/golden/golden.json. Each of our numbers
must stand in the page that the profiler prints in the seed's own style.
"""

import contextlib
import io
import json
import os
import re
import sys
import warnings

import torch

from golden_counts import GOLDEN, ROOT, harness  # puts ours on the path
from flopsprof.deepspeed import FlopsProfiler
from flopsprof.deepspeed.units import newest, old

PAGE = os.path.join(ROOT, "docs", "seeds.md")
_NO_ATTENTION = "matmul and baddbmm were not counted, elements of softmax were; ours has Q K' and P V"
_BIASES = "biases of convolutions and elements of pools were MACs; ours are products"
_BACKWARD = "backward flops"
_OF_BACKWARD = {"cifar_net-batch-8-mode-fwd": "cifar_net-batch-8-mode-train"}
# Configuration -> (heading, style, rows of the summary: what, printed, why not ours or None).
SEEDS = {
    "cifar_net-batch-8-mode-fwd": ("000: a CIFAR net, batch 8, newest layout", "deepspeed", (
        ("MACs", "5.21 M", None), ("flops", "10.58 M", None), ("params", "62.01 K", None),
        (_BACKWARD, "21.16 M", "it printed rates by its rule of 2 x forward flops; the backward pass has no"
         " gradient of the image; `tests/integration/acceptance_test.py` measures it on the stand-in"))),
    "graph_transformer-mode-fwd": ("001: a graph transformer, layout of 2022", "deepspeed-2022", (
        ("MACs", "411.82 G", None),
        ("flops", "823.74 G", "DeepSpeed's rules give {quirks:,} (`quirks`); ours has biases, attention's"
         " own sums and products of elements, and means, too"),
        ("params", "64.07 M", None))),
    "lenet5-batch-1024-mode-fwd": ("002: LeNet5, batch 1024, layout of 2021", "deepspeed-2021", (
        ("MACs", "439.55 M", _BIASES), ("params", "61.71 k", None))),
    "gpt2_megatron-checkpoint-mode-train": ("002: GPT-2 of Megatron, 4 layers, layout of 2021", "deepspeed-2021", (
        ("MACs", "207.23 G", "the forward was counted twice, since checkpointing runs it again in the"
         " backward; " + _NO_ATTENTION + ", and the logits; here one forward"),
        ("params", "38.89 M", None))),
    "bert-batch-4-seq-128-mode-fwd": (
        "003: BERT-base, batch 4 (its text says 1), layout of the stand-alone package", "flops-profiler", (
        ("MACs", "44.7 G", None),
        ("flops", "89.45 G", "DeepSpeed's rules give {quirks:,} (`quirks`); ours has biases, residual"
         " sums and the activation too"),
        ("params", "109.48 M", None))),
    "bert-size-large-batch-80-vocabulary-30528-head-pretrain-masked-1159-mode-fwd": (
        "004: BERT-Large, batch 80, layout of 2021-05", "deepspeed-2021-05", (
            ("MACs", "3139.93 G", _NO_ATTENTION), ("params", "336.23 M", None))),
    "gpt2_megatron-layers-12-hidden-8192-heads-32-batch-4-dtype-fp16-mode-fwd": (
        "003 and 004: GPT-2 of Megatron, 12 layers, micro batch 4, layout of 2021-05", "deepspeed-2021-05", (
            ("MACs", "41271.95 G", _NO_ATTENTION),
            ("params", "1.29 M", "ZeRO-3 had left 1.29 M in the process; that many are in the model"))),
    "alexnet-batch-256-mode-fwd": (
        "002, 003 and 004: AlexNet, batch 256, an example program", "deepspeed-2022", (
            ("MACs", "none", "no document prints a number; 256 x 714,188,480 by hand"),
            ("params", "none", "no document prints a number"))),
}  # fmt: skip


def profiled(row, compat="right", device="meta", style="deepspeed"):
    program, *options = row["argv"]
    module = harness.load(os.path.join(ROOT, "tests", "programs", "acceptance", program))
    args = harness.parse(module, [*options, "--device", device])
    args.distributed = False
    work = harness.create(module, args)
    profiler = FlopsProfiler(work.model, compat=compat, style=style)
    profiler.start_profile()
    with torch.set_grad_enabled(args.mode == "train"):
        work.forward()
    profiler.stop_profile()
    return profiler, work.model


def text_of(kind, number, is_newest) -> str:
    if is_newest:
        return newest.number_to_string(number).strip()
    return old.params_to_string(number) if kind == "params" else old.num_to_string(number)


def reason_of(row, why, printed, is_newest) -> tuple:
    """(the reason with DeepSpeed's own number, which must be what was printed; what is wrong).

    On the CPU: on meta tensors DeepSpeed counts functions that PyTorch calls from others of them again.
    """
    if not why or "{quirks" not in why:
        return why, []
    profiler, _ = profiled(row, compat="quirks", device="cpu")
    number = profiler.get_total_flops()
    profiler.end_profile()
    text = text_of("flops", number, is_newest)
    return why.format(quirks=number), [] if text == printed else [[row["id"], "quirks", printed, text]]


def printed_by(profiler) -> str:
    """The seed's page by us."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        profiler.print_model_profile()
        if profiler.style == "deepspeed-2021":
            profiler.print_model_aggregated_profile()
    return out.getvalue()


def stands_in(page, text) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(text)}(?!\d)", page) is not None


def lines_of(row, heading, style, summary, backward) -> tuple:
    """(lines of the page, what is wrong)."""
    profiler, model = profiled(row, style=style)
    page = printed_by(profiler)
    figures, modules = profiler.figures(), dict(model.named_modules())
    is_newest, wrong = heading.startswith("000"), []
    lines = [f"## {heading}", "", "| what | printed | ours | exactly | why |", "|---|---|---|---|---|"]
    totals = {"MACs": figures.total.macs, "flops": figures.total.flops, "params": figures.total.params,
              _BACKWARD: backward}  # fmt: skip
    entries = [(kind, kind, printed, totals[kind], why) for kind, printed, why in summary]
    for path, printed in row["seed"].get("rows", {}).items():
        stats = figures.stats[id(modules[path])]
        entries.append((f"`{path}`", "MACs", printed["printed"], stats.macs, printed.get("why")))
    for what, kind, printed, number, why in entries:
        ours = text_of(kind, number, is_newest)
        why, failures = reason_of(row, why, printed, is_newest)
        wrong += failures
        if ours != printed and not why:
            wrong.append([row["id"], what, printed, ours, "no reason"])
        if kind != _BACKWARD and not stands_in(page, ours):
            wrong.append([row["id"], what, ours, f"not in the page of style {style}"])
        reason = "equal" if ours == printed else (why or "")
        lines.append(f"| {what} | {printed} | {ours} | {number:,} | {reason} |")
    profiler.end_profile()
    return [*lines, ""], wrong


HEAD = """# Published reports of DeepSpeed, and ours

Five documents with DeepSpeed's output are what users know: here are their numbers and ours. Each program
is in `tests/programs/acceptance` with the sizes that the document implies. `tests/deepspeed/seeds.py`
runs it on meta tensors under `flopsprof.deepspeed` and writes this page; a test keeps it up to date. Each of
our numbers also stands in the page that we print in that layout, as the test makes sure.
MACs are of modules and of the whole forward. Latencies are not compared. Where a number is not ours, the
last column says why; `tests/golden/golden.json` has the sums that give what was printed. A number with
`quirks` is what `compat="quirks"` counts on the CPU ([deepspeed.md](deepspeed.md)); the test computes it, and
it must read as was printed.
"""


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with open(os.path.join(GOLDEN, "golden.json"), encoding="utf-8") as file:
        golden = {row["id"]: row for row in json.load(file)}
    lines, wrong = [HEAD], []
    for name, (heading, style, summary) in SEEDS.items():
        backward = golden[_OF_BACKWARD[name]]["bwd"]["flops"] if name in _OF_BACKWARD else None
        more, failures = lines_of(golden[name], heading, style, summary, backward)
        lines += more
        wrong += failures
    text = "\n".join(lines)
    if "--write" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        print(json.dumps(wrong), file=sys.stderr)
        return
    with open(PAGE, encoding="utf-8") as file:
        print(json.dumps({"wrong": wrong, "page_is_up_to_date": file.read() == text}))


if __name__ == "__main__":
    main()
