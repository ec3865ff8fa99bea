# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the pages (every .md file) say of files, commands, options, switches and numbers is there; and
what is there stands in the tables that list it.
"""

import glob
import json
import os
import re
import subprocess

import pytest
from flopsprof_run import ROOT, product

BUILDING = "docs/building.md"
# What git has, else what is there: hidden folders, builds and archives are no part of the sources.
BUILT = ("build", "dist")


def documents() -> list:
    """Every page of the repository, relative to its root."""
    if os.path.exists(os.path.join(ROOT, ".git")):
        listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, check=True,
                                stdout=subprocess.PIPE, text=True).stdout.split("\0")  # fmt: skip
        found = [path for path in listed if os.path.exists(os.path.join(ROOT, path)) and path]
    else:
        found = []
        for folder, below, names in os.walk(ROOT):
            below[:] = [n for n in below if not n.startswith((".", *BUILT))]
            found += [os.path.relpath(os.path.join(folder, n), ROOT)
                      for n in names if n.endswith(".md")]  # fmt: skip
    return sorted(found)


READMES = documents()
# Made by a run or a build, in the user's environment, on another machine, or others' headers.
NOT_IN_THE_REPOSITORY = (
    "build/", "build-", "dist/", "ledger.", "calls.", "/dev/", "docs/gpu-results/", "train.py",
    "site-packages", "cu13/", "~", "OUT", "DIR", "FILE", "gpu-results", "report.txt",
    "summary.json", "profile.db", "run.json", "log.txt", "log/", "./gpu_check.sh", "sim-env",
    "flopsprof-gpu-check", "flopsprof-", "expected.json", "nvidia", "lib/", "bin/",
    "my.toml", "real/", "cupti.h", "cublas.h", "ATen/", "expected-NAME.json",
    "deepspeed.txt", "flops.", "args.json",
)  # fmt: skip


def text(path: str) -> str:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def code(document: str) -> list:
    """What stands between backticks, and the indented blocks, of a document."""
    return re.findall(r"`([^`\n]+)`", document) + re.findall(r"^    (\S.*)$", document, re.M)


def looks_like_a_file(word: str) -> bool:
    if word.startswith(NOT_IN_THE_REPOSITORY) or re.search(r"[*<>$(){}=\"]|\.\.\.", word):
        return False
    suffixes = ".py .md .sh .json .toml .cc .h .cpp .proto .txt .xml"
    is_file = word.endswith(tuple(suffixes.split())) and not word.startswith(".")
    is_folder = word.endswith("/") and len(word) > 1
    return bool(re.fullmatch(r"[\w./-]+", word)) and (is_file or is_folder)


def is_there(word: str, readme: str) -> bool:
    folder = os.path.dirname(readme)
    places = ("", folder, "tests", "tests/programs", "collector/model", "docs", "tests/golden",
              "tests/gpu", os.path.join(folder, "tests"), "tests/support",
              "tests/integration", "collector", os.path.join(folder, "core"),
              "tests/programs/scopes", "tests/programs/cases/01-lora-merge", "scripts")  # fmt: skip
    return any(os.path.exists(os.path.join(ROOT, place, word)) for place in places)


def files_named_in(readme: str) -> list:
    document = text(readme)
    links = [target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", document)]
    words = [word.rstrip(",;:") for piece in code(document) for word in piece.split()]
    return [word for word in [*words, *links] if looks_like_a_file(word)]


@pytest.mark.parametrize("readme", READMES)
def test_every_file_that_is_named_exists(readme):
    assert [word for word in files_named_in(readme) if not is_there(word, readme)] == []


def test_every_page_is_looked_at():
    assert {"README.md", BUILDING, "viewer/cli/README.md", "proto/shm/FORMAT.md"} <= set(READMES)
    assert len(READMES) > 40
    assert sum(len(files_named_in(readme)) for readme in READMES) > 400


# Table -> files that it must list, all of them and no others.
TABLES = {
    "tests/integration/README.md": "tests/integration/*_test.py",
    "tests/support/README.md": "tests/support/*.py",
    "tests/programs/jobs/README.md": "tests/programs/jobs/*.py",
    "tests/gpu/README.md": "tests/gpu/*.py",
    "tests/oracle/README.md": "tests/oracle/*.py",
    "scripts/README.md": "scripts/*.sh",
}
IN_THE_TEXT = {
    "scripts/README.md": {"common.sh"},
    "tests/programs/jobs/README.md": {"small_net.py"},
}


@pytest.mark.parametrize("readme", TABLES)
def test_tables_of_files_list_every_file(readme):
    document = text(readme)
    rows = re.findall(r"^\| (.+?) \|", document, re.M)
    listed = {name for row in rows for name in re.findall(r"`([\w./]+\.(?:py|sh))`", row)}
    there = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, TABLES[readme]))}
    in_the_text = IN_THE_TEXT.get(readme, set())
    assert there - listed - in_the_text == set()
    assert {os.path.basename(name) for name in listed} - there == set()
    assert all(f"`{name}`" in document for name in in_the_text)


def test_every_station_of_the_walk_is_a_function_of_its_file():
    stations = re.findall(r"^\| .+? \| `([\w./]+)` \| `(\w+)` \|$", text("docs/architecture.md"), re.M)
    assert len(stations) > 15
    assert [s for s in stations if not re.search(rf"\b{s[1]}\b", text(s[0]))] == []


def commands():
    """(document, command, option) of our scripts and verbs that the documents show."""
    for readme in READMES:
        for line in code(text(readme)):
            line = line.split("#")[0]
            for script, rest in re.findall(r"\b((?:scripts|tests)/[\w./]+\.(?:sh|py))\b(.*)", line):
                path = os.path.join(ROOT, script)
                for option in re.findall(r"(?<![\w-])--[a-z-]+", rest):
                    yield readme, path, option


def test_scripts_have_the_options_that_documents_show():
    found = list(commands())
    assert len(found) > 10
    for readme, path, option in found:
        if "/programs/" in path:  # their common options are the harness's
            sources = [path, os.path.join(os.path.dirname(path), "harness.py")]
        elif "/pytest" in path or os.path.basename(path).endswith("_test.py"):
            continue
        else:
            sources = [path]
        said = "".join(text(os.path.relpath(source, ROOT)) for source in sources)
        assert option in said, (readme, path, option)


def help_of(*words) -> str:
    done = subprocess.run([product("bin/flopsprof"), *words, "--help"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_verbs_have_the_options_that_documents_show():
    verbs = set(re.findall(r"^  ([a-z]+) ", help_of(), re.M))
    checked = 0
    for readme in READMES:
        for line in code(text(readme)):
            found = re.search(r"\bflopsprof(?:-run| (\w+))(.*)", line.split("#")[0])
            if not found or (found[1] and not found[1].islower()):
                continue
            verb = found[1] or "run"
            own = found[2].split(" -- ")[0]
            assert verb in verbs, (readme, line)
            for option in re.findall(r"(?<![\w-])--[a-z-]+", own):
                checked += 1
                told = help_of(verb, *re.findall(r"^ (start)", own))
                assert option in told, (readme, line, option)
    assert checked > 2


def test_every_formula_that_is_ours_can_be_turned_off(tmp_path):
    table = text("docs/formulas.md").partition("## What has a formula")[2].partition("\n\n**")[0]
    names = re.findall(r"`((?:aten|inductor|flash_attn)::\w+|flex_attention)`", table)
    for source in ("_flopsprof_packages.py", "_flopsprof_templates.py"):
        said = text(os.path.join("injector/shims/python/embedded", source))
        names += re.findall(r'"((?:inductor|flash_attn)::\w+|flex_attention\w*)"', said)
    names += re.findall(r'"(aten::\w+)"', text("proto/shm/operations.h"))
    names = sorted(set(names) - {"flash_attn::fwd_kvcache"})  # has none: unknown in any case
    assert len(names) > 20
    command = [product("bin/flopsprof-run"), "-o", str(tmp_path / "run"), "--formula-off",
               ",".join(names), "--", "true"]  # fmt: skip
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_groups_of_the_test_script_are_the_table_of_building():
    (groups,) = re.findall(r"^all_groups=\((.*)\)$", text("scripts/test.sh"), re.M)
    table = text(BUILDING).partition("| group | runs | where |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| (\w+) \|", table, re.M) == groups.split()


def test_presets_are_those_of_cmake():
    presets = json.loads(text("CMakePresets.json"))["configurePresets"]
    names = ", ".join(preset["name"] for preset in presets if not preset.get("hidden"))
    assert f"Presets (`CMakePresets.json`): {names}." in text(BUILDING)


def test_variables_of_building_are_read_by_somebody():
    table = text(BUILDING).partition("| variable | meaning |")[2].partition("\n\n")[0]
    names = re.findall(r"^\| `([A-Z_]+)` \|", table, re.M)
    sources = "".join(
        text(os.path.relpath(path, ROOT))
        for pattern in ("scripts/*.sh", "tests/support/*.py")
        for path in glob.glob(os.path.join(ROOT, pattern))
    )
    assert len(names) >= 5
    assert [name for name in names if name not in sources] == []


WORDS = {18: "Eighteen", 19: "Nineteen", 20: "Twenty"}


def test_numbers_that_are_claimed_are_those_that_are_there():
    golden = json.loads(text("tests/golden/golden.json"))
    rows = [entry for entry in golden if "same_as" not in entry]
    assert f"work of {len(rows)} configurations" in text("tests/golden/README.md")
    assert len(golden) - len(rows) == 2 and "two aliases" in text("tests/golden/README.md")
    programs = glob.glob(os.path.join(ROOT, "tests/programs/acceptance/*.py"))
    number = len([path for path in programs if not path.endswith("harness.py")])
    assert text("tests/programs/acceptance/README.md").split("\n\n")[1].startswith(WORDS[number])
    oracle = text("docs/accuracy.md").partition("<!-- end oracle -->")[0]
    (cases,) = re.findall(r"^\| \*\*all\*\* \| (\d+) \|", oracle, re.M)
    assert f"| oracle | {cases} cases" in text(BUILDING)
    budget = re.findall(r"^LIMIT_S = (\d+)", text("tests/gpu/gpu_check.py"), re.M)
    assert f"the whole run has one of {budget[0]} s" in text("tests/gpu/README.md")


def simgpu_sources() -> str:
    paths = glob.glob(os.path.join(ROOT, "tests/simgpu/**/*.cpp"), recursive=True)
    paths += glob.glob(os.path.join(ROOT, "tests/simgpu/**/*.h"), recursive=True)
    own = [path for path in paths if "/tests/" not in path.partition("tests/simgpu")[2]]
    return "".join(text(os.path.relpath(path, ROOT)) for path in own)


def test_switches_of_the_stand_in_are_those_that_it_reads():
    document = text("tests/simgpu/README.md")
    table = document.partition("## Switches")[2].partition("##")[0]
    listed = set(re.findall(r"^\| `([A-Z_0-9]+)` \|", table, re.M))
    read = set(re.findall(r'"((?:SIM|CUDA_)[A-Z_0-9]+)"', simgpu_sources()))
    ours = {name for name in read if re.match(r"SIM(GPU_|_DEVICES|_REALTIME|LOG|STAT|CALLS)", name)}
    assert ours - listed == set()
    assert listed - read == set()


def test_fault_switches_are_those_that_the_stand_in_knows():
    document = text("tests/simgpu/README.md")
    table = document.partition("| switch | value | effect |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (.+?) \|", table, re.M)
    listed = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    source = text("tests/simgpu/core/faults.cpp")
    known = set(re.findall(r'^ *(?:\{|if \(key == |\} else if \(key == )"([a-z_]+)"', source, re.M))
    assert listed == known, (listed - known, known - listed)


def test_the_folders_of_the_stand_in_are_in_its_table():
    table = text("tests/simgpu/README.md").partition("| folder | content |")[2].partition("\n\n")[0]
    listed = {name for name in re.findall(r"`(\w+)/`", table)}
    folders = {name for name in os.listdir(os.path.join(ROOT, "tests/simgpu"))
               if os.path.isdir(os.path.join(ROOT, "tests/simgpu", name))}  # fmt: skip
    assert listed == folders - {"__pycache__"}
