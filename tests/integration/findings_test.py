# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about speed: a job that loses time in one way has that finding and no other; jobs that keep
their card busy have none. On the stand-in, whose times are a model: SIMGPU_SLOWER makes a card on
which small models are what large ones are on a real one.
"""

import ast
import json
import os
import re
import subprocess

import by_name
import json_schema
import pytest
from findings import about_speed, assert_healthy
from flopsprof_run import (
    PROGRAMS,
    ROOT,
    acceptance,
    environment,
    product,
    run_profiled,
    torchrun,
)

JOBS = os.path.join(PROGRAMS, "jobs")
LOSES = os.path.join(JOBS, "loses_time.py")
# The card needs 74 ms for a step of `busy`, the host some ms, and it is a step ahead: the card is idle only
# where the host stops for most of a step. Peaks below 1 G are refused, so it cannot be slower.
SLOWER = 2000
SLOW_CARD = {"SIMGPU_SLOWER": str(SLOWER)}
# The stand-in reaches 400 T flops and 3 T bytes a second: of that a two-thousandth is 0.2 T and 1.5 G.
PEAKS = "bf16=0.25T,memory=1.6G"


def with_peaks(folder: str, peaks: str) -> dict:
    """The summary of a run by other peaks."""
    done = subprocess.run(
        [product("bin/flopsprof"), "report", "--json", "--peak", peaks, folder],
        env=environment(), stdout=subprocess.PIPE, check=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def run(python, tmp_path_factory):
    """Runs loses_time.py in one way, once."""
    folder = tmp_path_factory.mktemp("findings")
    made = {}

    def make(way, ranks=1, env=SLOW_CARD, peaks=PEAKS, **more):
        if way not in made:
            command = torchrun(ranks, LOSES, way) if ranks > 1 else [python, LOSES, way]
            options = ("--peak", peaks) if peaks else ()
            made[way] = run_profiled(command, *options, folder=str(folder / way), env=env, **more)
            assert made[way].ended_well(), made[way].explain()
        return made[way]

    return make


def test_a_job_that_keeps_its_card_busy_has_none(run):
    summary = run("busy").summary
    assert about_speed(summary) == {}
    assert summary["steps"]["bound_by"] == "gpu_work"
    assert json_schema.summary_problems(summary) == []
    assert json_schema.summary_undescribed(summary) == []
    assert "bound by the work of the GPU" in run("busy").report()


def test_products_far_below_the_peak_are_slow(run):
    found = about_speed(with_peaks(run("busy").folder, "bf16=0.6T,memory=3.2G"))
    assert list(found) == ["slow_products"]
    # 2 * 512 * 1024 * 2048 flops take 10.74 ms at 0.2 T and 3 ms more; at 0.6 T 3.58 ms.
    assert "products reach 26.1%" in found["slow_products"]["text"]


def test_products_that_the_memory_bounds_are_not(run):
    # 7.34 MB take 7.27 of 13.74 ms at 1.01 G bytes a second.
    assert about_speed(with_peaks(run("busy").folder, "bf16=0.6T,memory=1.01G")) == {}


def test_odd_sizes_are_misaligned(run):
    summary = run("odd", peaks="bf16=0.6T,memory=3.2G").summary
    assert list(about_speed(summary)) == ["misaligned_products"]


def test_fp32_where_tf32_is_faster(run):
    summary = run("fp32", peaks="fp32=0.25T,tf32=2T,memory=3.2G").summary
    assert list(about_speed(summary)) == ["plain_fp32"]


def test_many_small_kernels_wait_for_launches(run):
    # From 100 us a launch on the host does other things. It needs 24 us for each of 3000 on a busy
    # machine, 4 times less than that.
    summary = run("launches", env={}).summary
    assert list(about_speed(summary)) == ["launch_bound"]
    assert summary["steps"]["bound_by"] == "launch_bound"


def test_host_work_between_steps(run):
    # 200 ms in each step; the finding needs half of what is idle, and the rest of a step takes some ms.
    summary = run("input", env={}).summary
    found = about_speed(summary)
    assert list(found) == ["input_bound"]
    assert summary["steps"]["bound_by"] == "input_bound"
    parts = summary["steps"]["parts"]
    assert parts["between_s"] >= 0.2 * (parts["rank_steps"] - 1)  # the last one ends before
    assert parts["between_idle_s"] == pytest.approx(parts["between_s"] - parts["busy_s"])


def test_host_work_elsewhere_is_not_told_apart(run):
    # 200 ms in each step: 13 launches may take 1.3 ms, and what is between steps 100 ms.
    summary = run("host", env={}).summary
    assert list(about_speed(summary)) == ["idle"]


def test_small_kernels_of_a_graph(run):
    # 20,000 kernels take 180 ms of each step, and the host is a step ahead.
    summary = run("graph", env={}, faults='{"durations": 9000}').summary
    assert list(about_speed(summary)) == ["small_kernels"]


@pytest.mark.parametrize(
    "way, kind",
    [("slow-rank", "slow_rank"), ("more-work", "uneven_ranks"), ("stages", "uneven_stages")],
)
def test_ranks_that_differ(run, way, kind):
    assert list(about_speed(run(way, ranks=2).summary)) == [kind]


def test_reductions_that_nothing_hides(run):
    summary = run("reduces", ranks=2, peaks="", faults='{"durations": 60000000}').summary
    assert list(about_speed(summary)) == ["exposed_communication"]


def test_repeated_forwards(python, folder):
    command = [python, *acceptance("checkpoint", "--mode", "train", "--steps", "3")]
    made = run_profiled(command, folder=folder, env={"SIMGPU_SLOWER": str(5 * SLOWER)})
    assert made.ended_well(), made.explain()
    assert list(about_speed(made.summary)) == ["recompute"]


def train(name: str, *options: str) -> list:
    return acceptance(name, "--mode", "train", "--steps", "3", *options)


def program(*names: str) -> list:
    return [os.path.join(PROGRAMS, *names)]


# With `busy`, a program in C++ below, and torch.compile in compile_test.py, 13 healthy jobs. None waits for
# its card within a step, so that only the first operation comes late: each takes some 10 ms, and the host
# needs 0.4 ms at most to launch one on a busy machine. With SIMGPU_SLOWER=1 each job of PyTorch is `idle` or
# `launch_bound`. Collectives of the stand-in are not slower: 0.2 % of the steps of ddp, and 2 % is a
# finding.
HEALTHY = {
    "one process": train("lenet5", "--batch", "8"),
    "recurrent": train("rnn"),
    "attention": train("sdpa"),
    "inference": acceptance("bert", "--mode", "fwd", "--steps", "3"),
    # In its second step DDP makes new buckets, which stops the host for up to 0.1 s: of 9 s.
    "ddp": [*program("parallel", "parallel.py"), "ddp", "6"],
    "fsdp2": [*program("parallel", "parallel.py"), "sharded"],
    "tensor parallel": [*program("parallel", "parallel.py"), "tensor"],
    "replayed graph": [*program("jobs", "replays_graphs.py"), "replay", "6"],
    "accelerate": program("ds_config", "accelerated.py"),
    "trainer": [
        *program("ds_config", "trainer.py"), "--output_dir=.", "--max_steps=4", "--report_to=none",
        "--per_device_train_batch_size=4", "--save_strategy=no", "--disable_tqdm=True",
    ],
}  # fmt: skip
OF_TWO_RANKS = ("ddp", "fsdp2", "tensor parallel")


def trainers() -> dict:
    """Accelerate and Transformers, on one card: with two, the trainer uses DataParallel."""
    script = os.path.join(ROOT, "scripts", "trainer_packages.sh")
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    return {"PYTHONPATH": done.stdout.strip(), "SIM_DEVICES": 1, "HF_HUB_OFFLINE": 1}


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_jobs_have_none(name, python, folder):
    command = HEALTHY[name]
    command = torchrun(2, *command) if name in OF_TWO_RANKS else [python, *command]
    env = {"SIMGPU_SLOWER": str(5 * SLOWER)}
    if name in ("accelerate", "trainer"):
        env.update(trainers())
    made = run_profiled(command, folder=folder, env=env, timeout=600)
    assert made.ended_well(), made.explain()
    assert_healthy(made.summary)


def test_a_pipeline_of_equal_stages_loses_what_filling_it_takes(folder):
    """Of 1F1B with two stages and 8 micro-batches one part of 9: that is no healthy job."""
    job = [*program("parallel", "even_pipeline.py"), "8"]
    made = run_profiled(torchrun(2, *job), folder=folder, env={"SIMGPU_SLOWER": "100"})
    assert made.ended_well(), made.explain()
    (finding,) = about_speed(made.summary).values()
    assert finding["kind"] == "exposed_communication"
    assert "most: ncclRecv" in finding["evidence"] and "waiting for the last rank" in finding["evidence"]


CPP = product("bin/cpp_ranges")
# Jobs that have one fault, by a C++ program of a second: (its words, options, variables, the card's faults).
SMALL = {
    "ranks_missing": ((), (), {"RANK": "0", "WORLD_SIZE": "4"}, ""),
    "environment": ((), (), {"FLOPSPROF_GRAPH_NODE_LIMIT": "abc"}, ""),
    "steps_missing": ((), ("--steps", "1:100"), {}, ""),
    "no_mfu": ((), (), {}, ""),
    "first_step": (("more",), (), {}, ""),
    "calls_not_seen": (("namespace",), (), {}, ""),
    # The fourth kind of record that is asked for is that of launches of graphs.
    "graph_timing": ((), ("--graphs", "graph"), {}, '{"fail": {"cuptiActivityEnable": [4]}}'),
    # What a launch costs us is known from the start; the job takes 9 ms of the card and is over.
    "budget_not_kept": ((), ("--max-overhead", "0.01%"), {}, ""),
}


def run_small(folder, *options, command=(CPP, "3"), faults="", **variables):
    env = {"LD_LIBRARY_PATH": by_name.library_folders(), **SLOW_CARD, **variables}
    made = run_profiled(list(command), *options, folder=folder, env=env, faults=faults)
    assert made.ended_well(), made.explain()
    return made


def kinds_of(run) -> set:
    """Without what each run has that is simulated."""
    return {finding["kind"] for finding in run.summary["findings"]} - {"no_mfu"}


@pytest.mark.parametrize("kind", SMALL)
def test_what_a_small_job_lacks_is_said(kind, folder):
    words, options, variables, faults = SMALL[kind]
    made = run_small(folder, *options, command=(CPP, "3", *words), faults=faults, **variables)
    assert {finding["kind"] for finding in made.summary["findings"]} == {kind, "no_mfu"}


def run_at_one_time(python, folder, *ranks):
    return run_small(folder, command=(python, *program("jobs", "at_one_time.py"), CPP, *ranks))


def test_two_processes_of_one_rank_at_one_time(python, folder):
    made = run_at_one_time(python, folder, "0:3", "0:3")
    assert kinds_of(made) == {"rank_claimed_twice", "ranks_missing"}
    assert len(made.summary["ranks"]) == 2


def test_a_rank_that_launches_nothing(python, folder):
    made = run_at_one_time(python, folder, "0:3", "1:0")
    assert kinds_of(made) == {"ranks_without_gpu"}
    assert "rank 1 of 2" in made.found("ranks_without_gpu")[0]["text"]


def test_two_ranks_that_work_have_none(python, folder):
    assert_healthy(run_at_one_time(python, folder, "0:3", "1:3").summary)


def test_a_cpp_program_without_a_fault_has_none(folder):
    """Steps that take 24 us and a card that is behind."""
    assert_healthy(run_small(folder).summary)


def kinds_in_code() -> list:
    with open(os.path.join(ROOT, "collector/model/finding_kinds.cc"), encoding="utf-8") as file:
        return re.findall(r'^    "(\w+)",$', file.read(), re.M)


def test_the_page_and_the_schema_list_the_kinds_that_there_are():
    kinds = kinds_in_code()
    assert len(kinds) > 40
    with open(os.path.join(ROOT, "docs/findings.md"), encoding="utf-8") as file:
        listed = re.findall(r"^\| `(\w+)` \|", file.read(), re.M)
    assert sorted(listed) == sorted(kinds)
    with open(os.path.join(ROOT, "docs/summary.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    items = schema["properties"]["findings"]["items"]
    assert items["properties"]["kind"]["enum"] == kinds


# Which test asserts it of a job that runs. A run made by hand shows each in
# tests/unit/collector/model/finding_kinds_test.cc, which fails where one is without.
SHOWN = {
    "profile_incomplete": ("collector_test", "test_what_the_launcher_gave_up_sending_is_in_its_report"),
    "agent_ended": ("collector_test", "test_an_agent_that_never_ends_is_in_the_report"),
    "process_ended": ("collector_test", "test_a_profile_db_that_is_held_loses_nothing"),
    "nothing_recorded": ("steps_test", "test_a_window_that_the_job_never_reaches_is_no_loss_of_times"),
    "no_gpu_times": (
        "bad_machine_test", "test_the_job_is_as_without_us_and_a_sentence_says_what_is_missing"),
    "cupti_stays": ("finalize_test", "test_without_a_cuda_call_it_stays_and_the_report_says_so"),
    "records_lost": ("faults_test", "test_records_dropped_by_cupti_are_counted"),
    "times_missing": ("programs_test", "test_a_kill_leaves_no_zeros"),
    "modules_on_cpu": ("objects_test", "test_work_on_the_cpu_is_not_known"),
    "called_by_forward": ("hostile_test", "test_children_called_by_forward_are_those_of_any_instance"),
    "graphs_not_counted": ("graphs_test", "test_a_graph_that_nobody_saw_captured_is_unknown_with_its_time"),
    "backward_not_attributed": (
        "main_job_test", "test_without_a_way_the_backward_pass_keeps_its_phase_and_says_so"),
    "no_module_names": ("scopes_test", "test_modules_that_never_came_are_said"),
    "modules_seen_late": (
        "scopes_test", "test_a_thread_that_trains_has_modules_while_the_main_thread_waits_for_it"),
    "unknown_kernels": ("formulas_test", "test_with_the_formula_off_the_same_work_is_unknown"),
    "no_steps": ("steps_test", "test_step_at_a_name_that_begins_no_step_is_said"),
    "compiled_rows": ("compile_test", "test_a_step_in_which_something_is_compiled_is_in_no_mean"),
    "tuning_runs": ("tuning_test", "test_tuning_runs_are_said"),
    "windows_differ": ("budget_test", "test_nodes_decide_for_themselves_and_the_report_says_so"),
    "rank_claimed_twice": ("findings_test", "test_two_processes_of_one_rank_at_one_time"),
    "ranks_without_gpu": ("findings_test", "test_a_rank_that_launches_nothing"),
    "ranks_numbered": ("programs_test", "test_workers_with_equal_models_are_ranks"),
    "programs": ("programs_test", "test_workers_with_models_of_their_own_are_programs"),
    **{kind: ("findings_test", "test_what_a_small_job_lacks_is_said") for kind in SMALL},
    "idle": ("findings_test", "test_host_work_elsewhere_is_not_told_apart"),
    "launch_bound": ("findings_test", "test_many_small_kernels_wait_for_launches"),
    "input_bound": ("findings_test", "test_host_work_between_steps"),
    "exposed_communication": ("findings_test", "test_reductions_that_nothing_hides"),
    "slow_rank": ("findings_test", "test_ranks_that_differ"),
    "uneven_ranks": ("findings_test", "test_ranks_that_differ"),
    "uneven_stages": ("findings_test", "test_ranks_that_differ"),
    "recompute": ("findings_test", "test_repeated_forwards"),
    "small_kernels": ("findings_test", "test_small_kernels_of_a_graph"),
    "slow_products": ("findings_test", "test_products_far_below_the_peak_are_slow"),
    "misaligned_products": ("findings_test", "test_odd_sizes_are_misaligned"),
    "plain_fp32": ("findings_test", "test_fp32_where_tf32_is_faster"),
}  # fmt: skip


class Asserted:
    """What the tests of a file assert: the strings in what must hold, in the function itself, in the
    functions that this calls, and in the parameters that it takes."""

    def __init__(self, file):
        with open(os.path.join(ROOT, "tests", "integration", file + ".py"), encoding="utf-8") as source:
            tree = ast.parse(source.read())
        self._functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self._values = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def in_test(self, name) -> set:
        function = self._functions[name]
        assert name.startswith("test_"), name
        parameters = {}
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.parametrize":
                for argument in re.findall(r"\w+", mark.args[0].value):
                    parameters[argument] = mark.args[1]
        return self._of(function, parameters, {name})

    def _of(self, function, parameters, seen) -> set:
        found = set()
        assigned = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    # (it,) = ... says that there is one.
                    if isinstance(target, ast.Tuple):
                        found |= self._strings(node.value, parameters, {}, seen)
                    elif isinstance(target, ast.Name):
                        assigned[target.id] = node.value
        for node in ast.walk(function):
            if isinstance(node, ast.Assert) and not denies(node.test):
                found |= self._strings(node.test, parameters, assigned, seen)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                called = ast.unparse(node.value.func)
                if called in self._functions and called not in seen:
                    found |= self._of(self._functions[called], {}, seen | {called})
                    found |= self._strings(node.value, parameters, assigned, seen)
        return found

    def _strings(self, expression, parameters, assigned, seen) -> set:
        found = set()
        # coverage["records_lost"] is a number of the summary, not a finding.
        keys = {id(node.slice) for node in ast.walk(expression) if isinstance(node, ast.Subscript)}
        for node in ast.walk(expression):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys:
                found.add(node.value)
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen = seen | {node.id}
                for values in (parameters, assigned, self._values):
                    if node.id in values:
                        found |= self._strings(values[node.id], parameters, assigned, seen)
                if node.id in self._functions:
                    found |= self._strings(self._functions[node.id], {}, {}, seen)
        return found


def denies(test) -> bool:
    """Does the assertion say that something is not there?"""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return True
    if not isinstance(test, ast.Compare):
        return False
    empty = any(ast.unparse(part) in ("[]", "{}", "set()", "0", "()") for part in test.comparators)
    return isinstance(test.ops[0], (ast.NotIn, ast.NotEq)) or empty


def test_each_kind_is_asserted_of_a_job_that_has_it():
    files = {file: Asserted(file) for file, _ in SHOWN.values()}
    lacking = [kind for kind, (file, name) in SHOWN.items() if kind not in files[file].in_test(name)]
    assert lacking == []
    assert sorted(SHOWN) == sorted(kinds_in_code())
