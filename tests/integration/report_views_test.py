# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Views, parts and styles of `flopsprof report`, of a run of 12 ranks on two nodes that was made."""

import csv
import io
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import pytest
from flopsprof_run import ROOT, product

RANKS = 12
STEPS = 12  # of make_run.cc
VIEWS = "time,summary,steps,timeline,modules,depths,ranks,kernels,communication,calls,overhead,losses"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    run = str(tmp_path_factory.mktemp("views") / "run")
    subprocess.run([product("bin/flopsprof_make_run"), run, str(RANKS), "2"], check=True)
    return run


def report(folder, *options, cwd=None):
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    return subprocess.run(
        [product("bin/flopsprof"), "report", folder, *options],
        capture_output=True, env=environment, timeout=60, cwd=cwd,
    )  # fmt: skip


def text_of(folder, *options):
    done = report(folder, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def rows_of(folder, view, *options):
    rows = list(csv.reader(io.StringIO(text_of(folder, "--view", view, "--csv", *options), newline="")))
    assert {len(row) for row in rows} == {len(rows[0])}, view
    assert len(set(rows[0])) == len(rows[0]), rows[0]
    return [dict(zip(rows[0], row)) for row in rows[1:]]


@pytest.mark.parametrize("style", [(), ("--style", "markdown"), ("--ascii", "--width", "60")])
def test_one_recording_and_its_copy_give_the_same_bytes(folder, style, tmp_path):
    """Each in a process and a place of its own."""
    parent, name = os.path.split(folder)
    first = report(name, "--view", "all", *style, cwd=parent)
    shutil.copytree(folder, tmp_path / name)
    second = report(name, "--view", "all", *style, cwd=tmp_path)
    assert first.returncode == 0 and b"Losses" in first.stdout
    assert first.stdout == second.stdout
    if "--ascii" in style:
        first.stdout.decode("ascii")


@pytest.mark.parametrize("view", VIEWS.split(","))
def test_a_view_is_one_table_of_csv(folder, view):
    assert rows_of(folder, view)


def test_some_ranks_are_summed_anew(folder):
    every = {row["rank"]: row for row in rows_of(folder, "ranks")}
    some = rows_of(folder, "ranks", "--rank", "1,8-9")
    assert [row["rank"] for row in some] == ["1", "8", "9"]
    assert some == [every[rank] for rank in ("1", "8", "9")]
    # Flops of the model are those of three ranks.
    whole = rows_of(folder, "modules")[0]["all_flops"]
    assert int(rows_of(folder, "modules", "--rank", "1,8-9")[0]["all_flops"]) * RANKS == int(whole) * 3
    head = text_of(folder, "--rank", "1,8-9").split("\n")[0]
    assert "3 ranks" in head and "only ranks 1,8-9 of 12" in head
    assert "did not report" not in text_of(folder, "--rank", "1")
    done = report(folder, "--rank", "12")
    assert done.returncode == 3 and b"the run has no rank 12: its ranks are 0 to 11" in done.stderr


def test_some_steps_are_those_alone(folder):
    steps = rows_of(folder, "steps")
    assert len(steps) == STEPS
    assert rows_of(folder, "steps", "--steps", "3:6") == steps[3:6]
    text = text_of(folder, "--steps", "3:6")
    assert "only steps 3 to 5" in text and "are not kept by step" in text
    assert "\nSteps" in text and "\nTimeline" in text and "\nModules" not in text
    assert "Timeline  step 7" in text_of(folder, "--view", "timeline", "--steps", "7:8")
    done = report(folder, "--view", "kernels", "--steps", "3:6")
    assert done.returncode == 2 and b"a run keeps no kernels by step" in done.stderr
    done = report(folder, "--steps", "40:50")
    assert done.returncode == 3 and b"the run has steps 0 to 11" in done.stderr


def test_rows_are_sorted_ignored_and_grouped(folder):
    times = [float(row["gpu_time_s"]) for row in rows_of(folder, "ranks", "--sort", "time")]
    assert times == sorted(times, reverse=True)
    kernels = rows_of(folder, "kernels", "--ignore", "elementwise")
    assert kernels and not [row for row in kernels if "elementwise" in row["kernel"]]
    nodes = rows_of(folder, "ranks", "--group-by", "node")
    assert [(row["node"], row["ranks"]) for row in nodes] == [("node-00000", "8"), ("node-00001", "4")]
    classes = {row["class"]: row for row in rows_of(folder, "modules", "--group-by", "class")}
    # 7 linear layers in each of 2 blocks, and the head.
    assert classes["Linear"]["modules"] == "15"


def test_the_first_report_fits_two_screens(folder):
    """Of 55 lines, also with three findings and losses."""
    assert text_of(folder, "--width", "120").count("\n") <= 110


def titles(text):
    known = ("Where the step goes", "Steps", "Timeline", "Modules", "Ranks", "Kernels", "Losses")
    found = [next((t for t in known if re.match(rf"{t}(  |$)", line)), "") for line in text.split("\n")]
    return [title for title in found if title]


# Not of modules: which columns have something in them is another matter in each run.
HEADS = ("of a step", "over the ranks", "phase", "rank", "kernel")


def columns(text, first):
    """The columns' names of the tables whose first one has that name."""
    heads = (re.split(r"  +", line.strip()) for line in text.split("\n") if line.startswith("  "))
    return [head for head in heads if head[0] == first and len(head) > 2]


@pytest.mark.parametrize("name, style", [
    ("report-80", ("--width", "80")), ("report-120", ("--width", "120")),
    ("report-160", ("--width", "160")), ("report-ascii-80", ("--width", "80", "--ascii")),
])  # fmt: skip
def test_pictures_have_the_titles_of_a_report_and_no_other_columns(folder, name, style):
    """Else scripts/screens.sh is to be run. Numbers and names are of another run: not compared."""
    tree = xml.etree.ElementTree.parse(os.path.join(ROOT, "docs", "screens", f"{name}.svg"))
    lines = {}
    for text in tree.iter("{http://www.w3.org/2000/svg}text"):
        line = lines.setdefault(float(text.get("y")), "")
        lines[float(text.get("y"))] = line.ljust(round(float(text.get("x")) / 12)) + text.text
    picture = "\n".join(lines[y] for y in sorted(lines))
    now = text_of(folder, *style)
    assert titles(picture) == titles(now)
    assert "simulated" in picture
    for first in HEADS:
        (shown,), (known,) = columns(picture, first)[:1], columns(now, first)[:1]
        shown = [name for name in shown if name != "copies"]  # the run that was made has none
        assert shown == [name for name in known if name in shown], first
