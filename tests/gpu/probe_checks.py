# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Answers from probe.py: what CUDA, CUPTI and cuBLAS do without the product."""

import json
import os

from check import HERE, Answer, Context, contradicted, held, last_lines
from flopsprof_run import run_plain

# Least bytes of a kernel record by CUDA's major version, as the headers have it.
KERNEL_BYTES = {12: 208, 13: 216}


def probe(name: str, context: Context, budget_s: float) -> dict:
    """What probe.py says; one process for all questions that ask the same."""
    key = (name, context.faults)
    if key not in context.probes:
        run = run_plain(
            [context.python, os.path.join(HERE, "probe.py"), name], timeout=budget_s,
            faults=context.faults if context.simulated else "",
        )  # fmt: skip
        if not run.ended_well():
            raise RuntimeError(f"{name}: {last_lines(run.stderr)}")
        context.probes[key] = json.loads(run.stdout.splitlines()[-1])
    return context.probes[key]


def correlation(context: Context, budget_s: float) -> Answer:
    found = probe("records", context, budget_s)
    total = found["kernels"] + found["sets"]
    text = f"{found['unmatched']} of {total} records without a launch; {found['callback_ids']}"
    right = found["kernels"] >= 40 and found["sets"] >= 40 and not found["unmatched"]
    return (held if right else contradicted)(text, **found)


def record_layout(context: Context, budget_s: float) -> Answer:
    found = probe("records", context, budget_s)
    text = (f"CUPTI {found['version']}: sizes {found['sizes']}, kernels {found['names']},"
            f" {found['nameless']} without a name, {found['unmatched']} of no launch")  # fmt: skip
    major = found["version"] // 10000 or 12  # before 13 CUPTI's versions were numbered from 1
    sizes = [size for kind in ("10", "3") for size in found["sizes"].get(kind, [])]
    right = (
        found["kernels"] and min(sizes) >= KERNEL_BYTES.get(major, 216) and found["bytes_right"] and not found["nameless"]
        and found["grids_right"] == found["kernels"] and not found["unmatched"]
    )  # fmt: skip
    return (held if right else contradicted)(text)


def record_times(context: Context, budget_s: float) -> Answer:
    found = probe("records", context, budget_s)
    if found["out_of_time"] or not found["kernels"]:
        return contradicted(f"{found['out_of_time']} of {found['kernels'] + found['sets']} records"
                            " have no time, or one that the host's clock does not hold")  # fmt: skip
    return held("all between the host's times before the launch and after the wait")


def nested_ids(context: Context, budget_s: float) -> Answer:
    found = probe("records", context, budget_s)
    own = found["driver_calls"] - found["driver_ids_of_the_runtimes"]
    text = (f"{found['runtime_calls']} runtime and {found['driver_calls']} driver callbacks,"
            f" {found['driver_ids_of_the_runtimes']} with the runtime's id")  # fmt: skip
    # Libraries may launch by the driver alone; then no call has both.
    mixed = found["runtime_calls"] and own
    return (contradicted if mixed else held)(text)


def late_records(context: Context, budget_s: float) -> Answer:
    found = probe("records", context, budget_s)
    text = f"the last record came {found['late_s']:.3f} s after the wait"
    return (held if found["late_s"] < 1 else contradicted)(text, late_s=found["late_s"])


def graph_ids(context: Context, budget_s: float) -> Answer:
    found = probe("graphs", context, budget_s)
    text = (f"captured {found['own_ids']}, child {found['child_ids']}, replayed"
            f" {found['replayed_ids']}: {found['unknown']} not known")  # fmt: skip
    right = found["kernels"] >= 3 and not found["unknown"]
    return (held if right else contradicted)(text, **found)


def graph_update(context: Context, budget_s: float) -> Answer:
    found = probe("graphs", context, budget_s)
    text = f"{found['changed_by_update']} ids are others after cudaGraphExecUpdate"
    return (contradicted if found["changed_by_update"] else held)(text)


def graph_correlation(context: Context, budget_s: float) -> Answer:
    found = probe("graphs", context, budget_s)
    text = f"{found['replays_unmatched']} records of replays without the launch of a graph"
    return (contradicted if found["replays_unmatched"] else held)(text)


def graph_trace(context: Context, budget_s: float) -> Answer:
    found = probe("graph_trace", context, budget_s)
    text = (f"of {found['replays_after']} replays after it {found['both']} had both kinds of"
            f" records, {found['neither']} none; of the last 20 {found['last_by_node']} had their"
            " nodes'")  # fmt: skip
    wrong = found["neither"] or found["last_by_node"]
    return (contradicted if wrong else held)(text, **found)


def finalize(context: Context, budget_s: float) -> Answer:
    found = probe("finalize", context, budget_s)
    text = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in found.items())
    right = all(found.get(start, 0) == 50 and found[f"{start}_finalize"] == 0
                for start in ("first", "second"))  # fmt: skip
    return (held if right else contradicted)(text, **found)


def buffers_back(context: Context, budget_s: float) -> Answer:
    found = probe("buffers_back", context, budget_s)
    text = (f"{found['kernels']} of 50 records, {found['kept']} buffers not back; the flush gave"
            f" {found['flush']}")  # fmt: skip
    right = found["kernels"] >= 50 and not found["kept"] and not found["flush"]
    return (held if right else contradicted)(text, **found)


def subscribers(context: Context, budget_s: float) -> Answer:
    found = probe("subscribers", context, budget_s)
    text = f"a second cuptiSubscribe gave {found['second']}"
    return (held if found["second"] == found["expected"] else contradicted)(text, **found)


def launching_threads(context: Context, budget_s: float) -> Answer:
    found = probe("products", context, budget_s)
    text = (f"launches by product {found['launches']}, {found['from_other_threads']} callbacks on"
            " other threads")  # fmt: skip
    wrong = found["from_other_threads"] or not all(found["launches"].values())
    return (contradicted if wrong else held)(text, **found)


def bad_arguments(context: Context, budget_s: float) -> Answer:
    found = probe("products", context, budget_s)
    text = (f"a leading dimension that is too small: {found['bad_arguments']},"
            f" {found['launched_by_bad_arguments']} launches")  # fmt: skip
    wrong = found["bad_arguments"] == "accepted" or found["launched_by_bad_arguments"]
    return (contradicted if wrong else held)(text)


def context_end(context: Context, budget_s: float) -> Answer:
    found = probe("context_end", context, budget_s)
    text = f"{found['kernels']} of 50 records were there after cudaDeviceReset"
    return (held if found["kernels"] >= 50 else contradicted)(text)


def lt_words(context: Context, budget_s: float) -> Answer:
    found = probe("lt_words", context, budget_s)
    text = (f"getters wrong: {found['getters_wrong'] or 'none'}; words other than the getters':"
            f" {found['words_differ'] or 'none'}")  # fmt: skip
    return (contradicted if found["getters_wrong"] else held)(text, **found)
