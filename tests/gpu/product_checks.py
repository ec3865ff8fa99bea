# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Answers from runs under the product."""

import json
import os

import convolution
import library_load
import small_model
import summary_checks
from check import HERE, Answer, Context, contradicted, held, last_lines
from flopsprof_run import product, run_profiled
from replay_judge import replays_are_right


def profiled(context: Context, command: list, name: str, budget_s: float, *options, **more):
    run = run_profiled(
        [context.python, *command], *options, folder=os.path.join(context.scratch, name),
        timeout=budget_s, faults=context.faults if context.simulated else "", **more,
    )  # fmt: skip
    if not run.ended_well() or not run.summary or run.summary["empty"]:
        raise RuntimeError(f"exit code {run.exit_code}: {last_lines(run.stderr)}")
    return run


def program(name: str) -> str:
    return os.path.join(HERE, name + ".py")


def losses(run) -> dict:
    found = {}
    for rank in run.summary["ranks"]:
        found.update({name: count for name, count in rank["loss"].items() if count})
    return found


def graph_times(context: Context, run) -> tuple:
    """(what the program says, its graphs' line, mean seconds of a replay's kernels by us)."""
    said = json.loads(run.stdout.splitlines()[-1])
    (line,) = run.summary["coverage"]["graphs"]
    return said, line, line["gpu_time_s"] / said["replays"]


def graphs_auto(context: Context, budget_s: float) -> Answer:
    """The switch from nodes to launches in the middle of a run."""
    seconds = 1.5 if context.simulated else 4
    # Kernels so long that the gaps between them, which a launch's time has and its nodes' have not,
    # are little.
    command = [program("graph_load"), "20", "1000000", str(seconds), str(1 << 24)]
    limit = {"FLOPSPROF_GRAPH_NODE_LIMIT": "2000"}
    run = profiled(context, command, "graphs-auto", budget_s, "--graphs", "auto", env=limit)
    said, line, replay_s = graph_times(context, run)
    text = (f"{line['replays']} of {said['replays']} replays, {line['activities']} records,"
            f" {replay_s * 1e6:.1f} us of {said['replay_s'] * 1e6:.1f} us a replay by cudaEvents;"
            f" {run.summary['method']['graphs']}; {losses(run)}")  # fmt: skip
    return (held if replays_are_right(said, line, losses(run)) else contradicted)(text)


def every_graph_kernel(context: Context, budget_s: float) -> Answer:
    """Launched = recorded + lost, and GPU memory stays where it was."""
    seconds = 1 if context.simulated else 20
    command = [program("graph_load"), "100", "1000000", str(seconds)]
    if context.simulated:  # its GPU takes the processor that the profiler needs: with rests
        command.append("64")
    run = profiled(context, command, "graph-kernels", budget_s, "--graphs", "node")
    said, line, _ = graph_times(context, run)
    wanted = said["replays"] * said["kernels"]
    text = (f"{wanted} kernels, {line['activities']} records, losses {losses(run)},"
            f" {said['taken'] / 1e6:.0f} MB of GPU memory taken meanwhile")  # fmt: skip
    right = line["activities"] == wanted and not losses(run) and said["taken"] <= 900e6
    return (held if right else contradicted)(text, **said)


def window_cost(context: Context, budget_s: float) -> Answer:
    count = 60 if context.simulated else 300
    folder = os.path.join(context.scratch, "window")
    command = [program("window_load"), str(count), product("bin/flopsprof"), folder]
    run = profiled(context, command, "window", budget_s, "--paused")
    before, inside, after = json.loads(run.stdout.splitlines()[-1])
    text = f"a step took {before / 1e3:.0f} us before, {inside / 1e3:.0f} in, {after / 1e3:.0f} after"
    bound = 1.05
    if context.simulated:
        bound = 2  # its host is shared
        text += "; on the stand-in only twice as much would be too much"
    stays = "cupti_stays" in losses(run)
    if stays:
        text += f"; CUPTI stayed: {run.summary['ranks'][0]['notes'].get('cupti_stays')}"
    return (held if after <= bound * before and not stays else contradicted)(
        text, before_ns=before, in_ns=inside, after_ns=after
    )


def backward(context: Context, budget_s: float) -> Answer:
    """Whose kernels and flops the backward pass has."""
    run = profiled(context, [program("small_model")], "backward", budget_s)
    forward, back = (small_model.STEPS * flops for flops in small_model.flops())
    totals = run.summary["totals"]["flops"]
    by_module = sum(summary_checks.zero_if_null(module["self"]["flops"].get("backward"))
                    for module in run.summary["modules"] if module["path"] != "(outside)")  # fmt: skip
    text = (f"forward {totals.get('forward')} of {forward} flops, backward {by_module} of {back}"
            f" in modules; {run.summary['coverage']['calls_unmatched']} calls without their"
            f" kernels; losses {losses(run)}")  # fmt: skip
    right = (totals.get("forward"), by_module) == (forward, back) and not losses(run)
    right = right and not run.summary["coverage"]["calls_unmatched"]
    return (held if right else contradicted)(text)


def spared_callbacks(context: Context, budget_s: float) -> Answer:
    """What the injector decides itself, in some seconds of a job; and that nothing is lost for it."""
    run = profiled(context, [program("callback_load"), "6"], "spared-callbacks", budget_s)
    decided = run.summary["ranks"][0]["notes"].get("launch_callbacks", "nothing was decided")
    unseen = [reason for reason in run.summary["coverage"]["reasons"]
              if "launch was not seen" in reason]  # fmt: skip
    text = f"{decided}; {', '.join(unseen) or 'each kernel has its launch'}; losses {losses(run)}"
    right = decided.startswith("of the driver alone") and "kept" not in decided
    return (held if right and not unseen and not losses(run) else contradicted)(text)


def cudnn_plans(context: Context, budget_s: float) -> Answer:
    run = profiled(context, [program("convolution")], "cudnn-plans", budget_s)
    counted = summary_checks.total(run.summary["totals"]["flops"])
    text = f"{counted} of {convolution.flops()} flops of a convolution; losses {losses(run)}"
    return (held if counted == convolution.flops() else contradicted)(text)


def nested_libraries(context: Context, budget_s: float) -> Answer:
    """cuBLAS may call cublasLt inside, and cuSOLVER cuBLAS: once counted all the same."""
    run = profiled(context, [program("library_load")], "nested-libraries", budget_s)
    counted, wanted = summary_checks.total(run.summary["totals"]["flops"]), library_load.flops()
    text = f"{counted} of {wanted} flops of mm, linear and cholesky, whatever calls what inside; losses {losses(run)}"
    return (held if counted == wanted and not losses(run) else contradicted)(text)


def stacks(context: Context, budget_s: float) -> Answer:
    run = profiled(context, [program("small_model")], "stacks", budget_s, "--stacks-rate", "all")
    found = run.summary["stacks"]
    names = {frame["function"] for stack in found for frame in stack["frames"]
             if frame["kind"] == "python"}  # fmt: skip
    # Threads of torch's engine have no Python; of others a library would have launched.
    bare = sum(stack["phase"] != "backward"
               and all(frame["kind"] != "python" for frame in stack["frames"])
               for stack in found)  # fmt: skip
    text = (f"{len(found)} stacks, {bare} without Python outside of backward, {run.summary['method'].get('stacks')},"
            f" losses {losses(run)}")  # fmt: skip
    return (held if "outside_of_modules" in names and not bare else contradicted)(text)


def torch_profiler(context: Context, budget_s: float) -> Answer:
    run = profiled(context, [program("small_model"), "profiler"], "torch-profiler", budget_s)
    seen = int(run.stdout.splitlines()[-1])
    forward = summary_checks.zero_if_null(run.summary["totals"]["flops"].get("forward"))
    wanted = small_model.STEPS * small_model.flops()[0]
    # Of the steps before it.
    timed_s = run.summary["coverage"]["gpu_time_s"] or 0
    text = (f"torch.profiler saw {seen} kernels; {forward} of {wanted} forward flops by us,"
            f" {timed_s * 1e6:.1f} us of GPU time before it;"
            f" {' '.join(run.summary['coverage']['reasons'])}")  # fmt: skip
    right = seen and forward == wanted and timed_s > 0 and set(losses(run)) == {"cupti_yielded"}
    return (held if right else contradicted)(text)
