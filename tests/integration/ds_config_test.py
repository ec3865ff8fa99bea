# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The flops_profiler block of a DeepSpeed configuration: where it is found, the page that it asks
for, what the job notices of it (nothing), and mistakes in it. Jobs run under PyTorch alone, under
DeepSpeed's own engine, Hugging Face's Trainer and Accelerate; the code of docs/deepspeed.md runs as
it stands there.
"""

import json
import os
import re
import shlex
import subprocess

import pytest
from collector_process import Collector
from flopsprof_run import PROGRAMS, ROOT, acceptance, environment, product, sim_python

RUN = product("bin/flopsprof-run")
TOOL = product("bin/flopsprof")
JOBS = os.path.join(PROGRAMS, "ds_config")
PAGE = os.path.join(ROOT, "docs", "deepspeed.md")
FORWARD = "fwd flops per GPU:                                                      "


def launched(tmp_path, *argv, **variables):
    """What a command in tmp_path has left."""
    env = environment({"SIM_DEVICES": 1, "HF_HUB_OFFLINE": 1, **variables})
    env["PATH"] = os.path.dirname(RUN) + os.pathsep + env["PATH"]
    return subprocess.run(
        argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def written(tmp_path, block, name="ds.json", **more) -> str:
    (tmp_path / name).write_text(json.dumps({**more, "flops_profiler": block}))
    return name


def text_of(path) -> str:
    return path.read_text(encoding="utf-8")


def steps_of(folder) -> int:
    return json.loads(text_of(folder / "summary.json"))["steps"]["profiled"]


def test_a_plain_script_gets_its_page(tmp_path):
    (tmp_path / "ds.json").write_text(
        '{  # DeepSpeed reads Hjson\n  "flops_profiler": {"enabled": true, "profile_step": 2,'
        ' "module_depth": 1, "top_modules": 2,\n  "detailed": false, "output_file": "pages/f.txt"},}\n'
    )
    job = [sim_python(), os.path.join(JOBS, "plain.py"), "--deepspeed", "--deepspeed_config", "ds.json"]
    run = launched(tmp_path, RUN, "-o", "run", "--", *job)
    assert (run.returncode, run.stdout) == (0, "trained\n"), run.stderr
    page = text_of(tmp_path / "pages" / "f.txt")
    assert "\nProfile Summary at step 3:\n" in page
    # 2 * 4 * (64 * 128 + 128 * 8), of one step of four rows
    assert f"\n{FORWARD}73.73 K \n" in page
    assert "\nTop 2 modules in terms of params" in page
    assert "\ndepth 0:\n" in page and "\ndepth 1:\n" not in page
    assert "Detailed Profile" not in page
    assert "\n- mean over 1 step (2) on each of 1 rank\n" in page
    place = (
        "flopsprof: page in DeepSpeed's layout, step 2 (flops_profiler of ds.json, named by "
        "--deepspeed_config on the job's command line): pages/f.txt\n"
    )
    assert run.stderr.count("page in DeepSpeed's layout") == 1 and run.stderr.endswith(place)
    assert steps_of(tmp_path / "run") == 4, "the whole run is recorded"
    report = [TOOL, "report", "--style", "deepspeed", "run", "--step"]
    same = launched(tmp_path, *report, "2", "--depth", "1", "--top", "2", "--no-detailed")
    assert same.stdout == page
    beyond = launched(tmp_path, *report, "4")
    assert beyond.returncode == 3 and beyond.stdout == ""
    assert "report: --step: the run has steps 0 to 3\n" in beyond.stderr


def test_steps_that_differ_have_totals_of_their_own(tmp_path):
    ds = written(tmp_path, {"enabled": True, "start_step": 1, "end_step": 3})
    job = [sim_python(), os.path.join(JOBS, "plain.py"), "--growing"]
    run = launched(tmp_path, RUN, "--ds-config", ds, "-o", "run", "--", *job)
    assert (run.returncode, run.stdout) == (0, "trained\n"), run.stderr
    page = text_of(tmp_path / "run" / "deepspeed.txt")
    assert page in run.stderr
    assert "\nProfile Summary at step 3:\n" in page
    # Steps 1 and 2 have 5 and 6 rows: 2 * 5.5 * (64 * 128 + 128 * 8).
    assert f"\n{FORWARD}101.38 K\n" in page
    assert "9.35 K = 100% Params, unknown = unknown MACs, " in page
    assert "flops of this step are unknown; flopsprof-run --steps 1:3 records it alone\n" in page
    assert run.stderr.endswith("named by --ds-config): run/deepspeed.txt\n")


def test_gpt2_of_megatron_with_the_block_of_2021(tmp_path):
    """Seed 002, its sizes: the layers run again in the backward pass, which is none of the forward's."""
    ds = written(tmp_path, {"enabled": True, "start_step": 5, "end_step": 6, "module_depth": -1,
                            "top_modules": 3})  # fmt: skip
    job = [sim_python(), *acceptance("gpt2_megatron", "--checkpoint", "--steps", "7")]
    run = launched(tmp_path, RUN, "--ds-config", ds, "-o", "run", "--", *job)
    assert run.returncode == 0, run.stderr
    page = text_of(tmp_path / "run" / "deepspeed.txt")
    assert "\nProfile Summary at step 6:\n" in page
    # 2 * 8 * (4 * 12 * 1024 * 512^2 + 4 * 2 * 1024^2 * 512 + 1024 * 512 * 50304); docs/seeds.md has
    # why the seed says 207.23 GMACs.
    assert f"\n{FORWARD}696.86 G\n" in page
    assert "38.89 M = 100% Params, 348.43 GMACs = 100% MACs, " in page


def test_a_step_that_never_came_is_said(tmp_path):
    ds = written(tmp_path, {"enabled": True, "profile_step": 20, "stepp": 1, "output_file": "f.txt"})
    job = [sim_python(), os.path.join(JOBS, "plain.py"), f"--deepspeed_config={ds}"]
    run = launched(tmp_path, RUN, "-q", "-o", "run", "--", *job)
    assert (run.returncode, run.stdout) == (0, "trained\n"), run.stderr
    said = run.stderr.splitlines()
    assert said == [
        'flopsprof: ds.json: flops_profiler has no key "stepp"',
        "flopsprof: no page in DeepSpeed's layout: step 20 was asked for, and the run has steps 0 to "
        "3 (flops_profiler of ds.json, named by --deepspeed_config on the job's command line)",
        "  what there is: flopsprof report --style deepspeed --step 3 run",
    ]
    assert not (tmp_path / "f.txt").exists()
    command = shlex.split(said[-1].partition(": ")[2])
    assert "Profile Summary at step 4:" in launched(tmp_path, *command).stdout


def test_a_launcher_without_a_folder_says_how_to_print_the_page(tmp_path):
    ds = written(tmp_path, {"enabled": True, "top_modules": 2, "detailed": False})
    job = [sim_python(), os.path.join(JOBS, "plain.py"), "--deepspeed_config", ds]
    with Collector(tmp_path / "store") as collector:
        target = f"127.0.0.1:{collector.port}"
        run = launched(tmp_path, RUN, "--collector", target, "--", *job)
    assert (run.returncode, run.stdout) == (0, "trained\n"), run.stderr
    (line,) = [line for line in run.stderr.splitlines() if "DeepSpeed's layout" in line]
    found = re.search(r"print it there: (flopsprof report .* RUN) \(flops_profiler of ds.json", line)
    assert found, line
    (folder,) = (tmp_path / "store").iterdir()
    page = launched(tmp_path, *found[1].replace("RUN", str(folder)).split()).stdout
    assert "\nProfile Summary at step 2:\n" in page and f"\n{FORWARD}73.73 K \n" in page


def blocks_of_the_page() -> list:
    """(language, text) of all code of docs/deepspeed.md that is fenced."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text_of_page(), flags=re.M | re.S)


def text_of_page() -> str:
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def without_times(report: str) -> str:
    """DeepSpeed's report without what differs from run to run: times, their shares, rates."""
    lines = []
    for line in report.splitlines():
        if re.match(r"(fwd|bwd|step|iter)?( |\+bwd )?(latency|FLOPS)|samples/second|FLOPS per GPU", line):
            line = line.partition("  ")[0]
        line = re.sub(r"[\d.e+-]+ [GMKmun]?s( = [\d.]+% latency)?", "TIME", line)
        lines.append(re.sub(r"[\d.e+-]+ [TGMK]?FLOPS\b", "RATE", line))
    return "\n".join(lines)


def printed_by_the_script(text: str) -> str:
    """Without the log of DeepSpeed's launcher, and without the numbers of its timers."""
    lines = [line for line in text.splitlines() if not re.match(r"\[20\d\d-", line)]
    return re.sub(r"(\w+: )\d+\.\d+", r"\1TIME", "\n".join(lines))


def test_under_deepspeeds_engine_the_job_has_both_reports(tmp_path):
    """The first example of the page; without us the script alone, as the launcher takes seconds."""
    (config,) = [text for language, text in blocks_of_the_page() if language == "json"]
    (command,) = [text for language, text in blocks_of_the_page() if language == "sh"]
    words = shlex.split(command)
    assert words[:3] == ["flopsprof-run", "--", "deepspeed"]
    # The store of the only rank listens on a port of its own: nobody else has to know it.
    alone = {"RANK": 0, "LOCAL_RANK": 0, "WORLD_SIZE": 1, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": 0}
    profiled = ["flopsprof-run", "-o", "run", *words[1:3], "--master_port", "0", *words[3:]]
    runs = {}
    for name, argv, variables in (
        ("bare", [sim_python(), *words[3:]], alone),
        ("profiled", profiled, {}),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ds_config.json").write_text(config)
        with open(os.path.join(JOBS, "engine.py"), encoding="utf-8") as program:
            (folder / "train.py").write_text(program.read())
        runs[name] = launched(folder, *argv, **variables)
        assert runs[name].returncode == 0, runs[name].stdout[-2000:] + runs[name].stderr[-2000:]
        assert "trained 4\n" in runs[name].stdout
    theirs = {name: text_of(tmp_path / name / "flops.txt") for name in runs}
    assert "fwd flops per GPU:                                                      74.24 K" in theirs["bare"]
    assert without_times(theirs["profiled"]) == without_times(theirs["bare"])
    outputs = [printed_by_the_script(run.stdout) for run in runs.values()]
    assert outputs[0] == outputs[1] and "fwd_microstep: TIME" in outputs[0]
    assert "Measured by flopsprof" not in theirs["profiled"]
    ours = text_of(tmp_path / "profiled" / "flops.flopsprof.txt")
    assert "\nProfile Summary at step 2:\n" in ours and f"\n{FORWARD}73.73 K \n" in ours
    assert "(0): Linear(8.32 K = 88.96% Params, 32.77 KMACs = 88.89% MACs, " in ours
    assert runs["profiled"].stderr.endswith("flops.flopsprof.txt; flops.txt stays as it was\n")
    assert sorted(os.listdir(tmp_path / "profiled")) == sorted(
        [*os.listdir(tmp_path / "bare"), "flops.flopsprof.txt", "run"]
    )


@pytest.fixture(scope="session")
def trainers() -> str:
    script = os.path.join(ROOT, "scripts", "trainer_packages.sh")
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    return done.stdout.strip()


# Both want the ZeRO part to be there.
FOR_TRAINERS = {"zero_optimization": {"stage": 0}, "gradient_accumulation_steps": 1}


def test_a_job_of_the_trainer_names_it_in_its_arguments_file(tmp_path, trainers):
    block = {"enabled": True, "profile_step": 2, "output_file": "f.txt"}
    ds = written(tmp_path, block, **FOR_TRAINERS, train_micro_batch_size_per_gpu="auto")
    arguments = {
        "output_dir": "out", "max_steps": 4, "per_device_train_batch_size": 4, "deepspeed": ds,
        "report_to": "none", "save_strategy": "no", "disable_tqdm": True,
    }  # fmt: skip
    (tmp_path / "args.json").write_text(json.dumps(arguments))
    run = launched(
        tmp_path, RUN, "-o", "run", "--", "torchrun", "--standalone", "--nproc-per-node", "1",
        os.path.join(JOBS, "trainer.py"), "args.json", PYTHONPATH=trainers,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    assert "Measured by flopsprof" not in text_of(tmp_path / "f.txt")
    page = text_of(tmp_path / "f.flopsprof.txt")
    # 2 * 4 * 32 * 8
    assert "\nProfile Summary at step 3:\n" in page and f"\n{FORWARD}2.05 K  \n" in page
    assert "named by deepspeed in the arguments file args.json): f.flopsprof.txt; f.txt" in run.stderr


def test_a_job_of_accelerate_names_it_in_its_configuration(tmp_path, trainers):
    block = {"enabled": True, "profile_step": 2, "output_file": "f.txt"}
    ds = written(tmp_path, block, **FOR_TRAINERS, train_micro_batch_size_per_gpu=4,
                 zero_allow_untested_optimizer=True)  # fmt: skip
    (tmp_path / "accelerate.yaml").write_text(
        "compute_environment: LOCAL_MACHINE\ndeepspeed_config:\n"
        f"  deepspeed_config_file: {ds}\n  zero3_init_flag: false\n"
        "distributed_type: DEEPSPEED\nmachine_rank: 0\nmain_process_port: 0\nnum_machines: 1\n"
        "num_processes: 1\nuse_cpu: false\n"
    )
    # pip has written another python into it.
    accelerate = [sim_python(), os.path.join(trainers, "bin", "accelerate")]
    run = launched(
        tmp_path, RUN, "-o", "run", "--", *accelerate, "launch", "--config_file", "accelerate.yaml",
        os.path.join(JOBS, "accelerated.py"), PYTHONPATH=trainers,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    assert "Measured by flopsprof" not in text_of(tmp_path / "f.txt")
    page = text_of(tmp_path / "f.flopsprof.txt")
    assert "\nProfile Summary at step 3:\n" in page and f"\n{FORWARD}73.73 K \n" in page
    where = "deepspeed_config_file in Accelerate's configuration accelerate.yaml"
    assert f"named by {where}): f.flopsprof.txt; f.txt" in run.stderr


def a_pipe(folder):
    os.mkfifo(folder / "bad.json")


def a_directory(folder):
    (folder / "bad.json").mkdir()


def a_big_file(folder):
    with open(folder / "bad.json", "wb") as file:
        file.truncate(10**9)


def text(content):
    return lambda folder: (folder / "bad.json").write_text(content)


BAD = {
    "pipe": (a_pipe, "bad.json: is no plain file; the job would lack what is read from it here"),
    "directory": (a_directory, "bad.json: is a directory"),
    "big": (a_big_file, "bad.json: is larger than 1 MiB"),
    "none": (lambda folder: None, "bad.json: No such file or directory"),
    "syntax": (text('{\n  "a": 1\n  "b": 2\n}'), "bad.json: no JSON: line 3, column 5: "),
    "type": (
        text('{"flops_profiler": {"enabled": true, "profile_step": "auto"}}'),
        'bad.json: "profile_step" of flops_profiler is "auto", not a whole number from 0 on; Hugging',
    ),
    "negative": (
        text('{"flops_profiler": {"enabled": true, "profile_step": -1}}'),
        'bad.json: "profile_step" of flops_profiler is -1, not a whole number from 0 on',
    ),
    "twice": (text('{"a": 1, "a": 2}'), 'bad.json: the key "a" stands twice in one object'),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_mistake_is_one_message(kind, tmp_path):
    make, message = BAD[kind]
    make(tmp_path)
    # Found: the job runs.
    job = ["sh", "-c", "echo ran", "--deepspeed_config", "bad.json"]
    run = launched(tmp_path, RUN, "-o", "run", "--", *job)
    assert (run.returncode, run.stdout) == (0, "ran\n")
    assert run.stderr.count("bad.json") == 1 and message in run.stderr
    assert "named by --deepspeed_config on the job's command line; the job runs on)\n" in run.stderr
    # Given: it does not.
    run = launched(tmp_path, RUN, "--ds-config", "bad.json", "-o", "run2", "--", "sh", "-c", "echo ran")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"flopsprof: run: --ds-config: {message}")
    assert not (tmp_path / "run2").exists()
    # Not looked for: nothing is said of it.
    run = launched(tmp_path, RUN, "--no-ds-config", "-o", "run3", "--", *job)
    assert (run.returncode, run.stdout) == (0, "ran\n") and "bad.json" not in run.stderr


def test_what_is_not_enabled_is_said_on_request_alone(tmp_path):
    ds = written(tmp_path, {"enabled": False, "profile_step": -1, "stepp": 2})
    job = ["sh", "-c", "echo ran", "--deepspeed_config", ds]
    run = launched(tmp_path, RUN, "-o", "run", "--", *job)
    assert (run.returncode, run.stdout) == (0, "ran\n") and "ds.json" not in run.stderr
    written(tmp_path, {"enabled": False})
    run = launched(tmp_path, RUN, "-v", "-o", "run2", "--", *job)
    assert 'no page in DeepSpeed\'s layout: "enabled" is not true in flops_profiler of ds.json' in run.stderr


RUN_BLOCKS = """
import contextlib, io, json, sys
outputs = []
for block in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "docs/deepspeed.md", "exec"), {"__name__": "__main__"})
    outputs.append(out.getvalue())
print(json.dumps(outputs))
"""


def test_examples_of_the_page_run_as_they_stand_there():
    blocks = [text for language, text in blocks_of_the_page() if language == "python"]
    assert {language for language, _ in blocks_of_the_page()} == {"json", "sh", "python"}
    package = os.path.join(ROOT, "injector", "shims", "python")
    run = subprocess.run(
        [sim_python(), "-W", "ignore", "-c", RUN_BLOCKS], input=json.dumps(blocks), text=True,
        env=environment({"PYTHONPATH": package, "SIM_DEVICES": 0}), capture_output=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    loop, alexnet, bert = json.loads(run.stdout)
    for output in (loop, alexnet, bert):
        assert "-- DeepSpeed Flops Profiler --" in output
    assert "\nProfile Summary at step 5:\n" in loop
    # Four rows of two layers; their weights and biases.
    assert loop.endswith(f"\n{4 * (8 * 16 + 16)} {8 * 16 + 16 + 16 + 1}\n")
    # 714,188,480 MACs an image (torchvision's AlexNet by hand).
    assert alexnet.endswith("\n2.86 G|1.43 GMACs|61.1 M\n")
    # As tests/integration/deepspeed_test.py has it by hand for the same sizes.
    macs = 64 * 2 * (4 * 48 * 48 + 2 * 48 * 96 + 2 * 16 * 48) + 4 * (48 * 48 + 2 * 48)
    assert bert.endswith(f"|{round(macs / 1e6, 2)} MMACs|69.94 K\n")
