# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""flopsprof.deepspeed against DeepSpeed's own profiler, golden counts and numbers by hand."""

import json
import os
import subprocess

from flopsprof_run import ROOT, sim_python

FOLDER = os.path.join(ROOT, "tests", "deepspeed")


def objects(program, *options, timeout=600, **environment) -> list:
    """The JSON objects that the program prints, one a line; it runs on the CPU."""
    path = os.path.join(FOLDER, program)
    run = subprocess.run(
        [sim_python(), path, *options],
        env={**os.environ, "SIM_DEVICES": "0", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=timeout,
    )
    found = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    assert run.returncode == 0 and found, run.stdout[-2000:] + run.stderr[-2000:]
    return found


PARAMS_OF_MODEL = "params of model = params per GPU * mp_size"  # DeepSpeed prints 0 here (bug 38)


def wrong(row) -> str:
    """What is wrong with our reports of a model, or nothing."""
    if "error" in row:
        return row["error"]
    if row["quirk_lines"] or not row["quirk_numbers"]:
        return f"with quirks: {row['quirk_lines'][:3]}"
    if row["unexplained"]:
        return f"without a reason: {row['unexplained'][:3]}"
    if row["layers"]:
        return f"layers count otherwise than their operators: {row['layers'][:3]}"
    others = [pair for pair in row["lines"] if not pair[0].startswith(PARAMS_OF_MODEL)]
    if bool(others) and not row["reasons"]:
        return f"lines differ for no reason: {others[:3]}"
    return ""


def packages() -> str:
    """The folder of the stand-alone package and of old versions of DeepSpeed."""
    script = os.path.join(ROOT, "scripts", "deepspeed_packages.sh")
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def test_reports_are_those_of_deepspeed_and_of_the_stand_alone_package_line_by_line():
    engines, *rows = objects("compare.py", "--mirror", packages())
    assert engines == {"name": "engines", "engine_lines": [], "mirror_signatures": []}
    assert len(rows) >= 40, [row["name"] for row in rows]
    failures = {row["name"]: wrong(row) for row in rows if wrong(row)}
    assert not failures, json.dumps(failures, indent=1)
    lines = sum(row["lines_in_all"] for row in rows)
    assert lines > 5000, lines
    mirrored = [row for row in rows if "mirror_lines" in row]
    assert len(mirrored) >= 24 and sum(row["mirror_lines_in_all"] for row in mirrored) > 5000
    assert {row["name"]: row["mirror_lines"][:3] for row in mirrored if row["mirror_lines"]} == {}
    # The others are equal as they are.
    explained = {row["name"] for row in mirrored if row["mirror_reasons"]}
    assert explained == {"vit", "bert", "distilbert", "gpt2", "llama", "t5", "t5_generate"}


def test_counts_of_every_module_are_the_golden_ones(request):
    full = ["--full"] if request.config.getoption("--full") else []
    (rows,) = objects("golden_counts.py", *full)
    assert len(rows) >= (70 if full else 37)
    failures = {name: row[:5] for name, row in rows.items() if row}
    assert not failures, json.dumps(failures, indent=1)


def test_calls_defaults_and_messages():
    (results,) = objects("api_checks.py")
    assert len(results) >= 67
    failures = {name: text for name, text in results.items() if text}
    assert not failures, "\n".join(f"{name}: {text}" for name, text in failures.items())


def test_what_only_a_gpu_shows():
    (results,) = objects("gpu_checks.py", SIM_DEVICES="2")
    assert len(results) >= 10
    failures = {name: text for name, text in results.items() if text}
    assert not failures, "\n".join(f"{name}: {text}" for name, text in failures.items())


def test_layouts_of_old_versions_are_theirs():
    (styles,) = objects("old_pages.py", packages())
    assert len(styles) == 4
    failures = [
        f"{style}, {model}: {pairs[:3]}"
        for style, models in styles.items()
        for model, pairs in models.items()
        if pairs
    ]
    assert not failures, "\n".join(failures)
    assert sum(map(len, styles.values())) == 24


def test_stored_pages_are_what_the_packages_print():
    """The unit tests of viewer/deepspeed compare our pages with the stored ones."""
    (made,) = objects("run_pages.py", packages())
    folder = os.path.join(ROOT, "tests", "unit", "viewer", "deepspeed", "pages")
    stored = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            stored[name.removesuffix(".json")] = json.load(file)
    assert sorted(made) == sorted(stored)
    for name, page in made.items():
        assert page == stored[name], f"{name}: tests/deepspeed/run_pages.py --write"


def test_import_flopsprof_needs_no_torch():
    code = "import sys, flopsprof; assert 'torch' not in sys.modules; print('{}')"
    package = os.path.join(ROOT, "injector", "shims", "python")
    subprocess.run([sim_python(), "-c", code], env={**os.environ, "PYTHONPATH": package}, check=True)


SCRIPTS = os.path.join(FOLDER, "scripts")
PACKAGE = os.path.join(ROOT, "injector", "shims", "python")


def output_of(argv, *, code=0) -> str:
    run = subprocess.run(
        [sim_python(), "-W", "ignore", *argv],
        env={**os.environ, "PYTHONPATH": PACKAGE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
    )
    assert run.returncode == code, run.stdout[-1000:] + run.stderr[-3000:]
    return run.stdout if code == 0 else run.stderr


# Examples of the seeds -> what they print at last, by hand. AlexNet: 714 188 480 MACs an image.
EXAMPLES = {
    "alexnet_2021.py": "Number of MACs:                 1.43 GMACs\n"
    "Number of parameters:           61.1 M  \n"
    "Number of steps profiled:       10      \n",
    "alexnet_2022.py": "2.86 G|1.43 GMACs|61.1 M\n",
    # Two layers of 12 H H and 2 S H products a token (H = 48, S = 16, feed-forward 96), the pooler and
    # the classifier for each text.
    "bert.py": f"|{round((64 * 2 * (4 * 48 * 48 + 2 * 48 * 96 + 2 * 16 * 48) + 4 * (48 * 48 + 2 * 48)) / 1e6, 2)}"
    " MMACs|69.94 K\n",
    # Two linear layers, their biases, the ReLU, for four rows.
    "workflow_2021.py": f"{(4 * (2 * (8 * 16 + 16) + 16 + 1 + 16)) / 1000:.2f} K|161\n",
    "workflow_2022.py": f"{426516480 * 16 // 1024}|61706\n",
    "generate.py": "Number of parameters:           39.55 k \n",
}


def test_examples_of_the_seeds_run_unchanged():
    (outputs,) = objects("run_examples.py", *EXAMPLES, SIM_DEVICES="1")
    for script, end in EXAMPLES.items():
        out = outputs[script]
        assert out.endswith(end), f"{script}: {out[-500:]}"
        title = "Flops Profiler" if script == "generate.py" else "DeepSpeed Flops Profiler"
        assert script == "alexnet_2021.py" or f"-- {title} --" in out
    # With only the import changed. It is that of DeepSpeed's profiler then, which writes K for k.
    changed = {**EXAMPLES, "generate.py": "Number of parameters:           39.55 K \n"}
    for script, end in changed.items():
        out = outputs[f"flopsprof.deepspeed {script}"]
        assert out.endswith(end), f"{script}: {out[-500:]}"
    for script in ("workflow_2021.py", "workflow_2022.py"):
        assert outputs[f"flopsprof.profiler.flops_profiler {script}"].endswith(EXAMPLES[script])


def test_the_runner_says_what_is_wrong(tmp_path):
    runner = ["-m", "flopsprof.deepspeed"]
    assert "which script?" in output_of(runner, code=2)
    assert "no file there.py" in output_of([*runner, "there.py"], code=1)
    assert "invalid choice" in output_of([*runner, "--style", "old", "x.py"], code=2)
    script = tmp_path / "other.py"
    script.write_text("import deepspeed\ndeepspeed.initialize()\n")
    assert "DeepSpeed is not installed" in output_of([*runner, "--without-deepspeed", str(script)], code=1)
    script.write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(0)\n")
    out = output_of([*runner, "--compat", "quirks", str(script), "-m", "--style"])
    assert out == "['-m', '--style'] __main__\n"


def test_known_bugs_have_the_right_number_and_the_page_says_so():
    (found,) = objects("known_bugs.py")
    assert len(found["rows"]) >= 27
    for row in found["rows"]:
        assert row["ours"] == row["right"], row
        if isinstance(row["theirs"], list):
            assert row["quirks"] == row["theirs"], row
    assert found["page_is_up_to_date"], "run tests/deepspeed/known_bugs.py --write"


def test_numbers_of_the_seeds_are_ours_or_have_a_reason():
    (found,) = objects("seeds.py")
    assert not found["wrong"], found["wrong"]
    assert found["page_is_up_to_date"], "run tests/deepspeed/seeds.py --write"
