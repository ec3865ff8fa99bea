# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""No library function without a judgement: the scan, its page and the numbers of the calls."""
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / "injector" / "hooks" / "table"
sys.path.insert(0, str(HOOKS))
import api_rules  # noqa: E402
import scan_exports  # noqa: E402


def generated(what, tmp_path):
    out = tmp_path / "made"
    subprocess.run([sys.executable, HOOKS / "generate_hooks.py", HOOKS / "api_table.toml", what, out],
                   check=True)
    return out.read_text(encoding="utf-8")


def test_every_function_of_the_installed_libraries_is_judged():
    """The real libraries behind the stand-ins, or those of the machine's own environment."""
    python = Path(os.environ["FLOPSPROF_TEST_PYTHON"])
    (nvidia,) = python.parent.parent.glob("lib/python3*/site-packages/nvidia")
    done = subprocess.run([sys.executable, HOOKS / "scan_exports.py", nvidia],
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "\n")
    assert int(done.stderr.split("scan_exports: ")[-1].split()[0]) > 2500


def test_every_function_of_the_recorded_releases_is_judged():
    exported = {}
    for library, name in api_rules.read_signatures():
        exported.setdefault(library, set()).add(name)
    assert scan_exports.complaints(exported) == []


@pytest.mark.parametrize("library, name, complaint", [
    ("cublas", "cublasSgemmSketched", "new"),
    ("cusparse", "cusparseSpTTM", "new"),
])
def test_a_function_that_nobody_has_judged_is_found(library, name, complaint):
    (found,) = scan_exports.complaints({library: {name, "_ZN5thing3runEv"}})
    assert found.startswith(f"{library}: {name}: {complaint}")


def test_a_rule_that_takes_a_product_for_plumbing_is_found():
    rules = api_rules.load_rules()
    rules["cublas"] = [{"pattern": api_rules.re.compile(".*"), "kind": "plumbing"}]
    (found,) = scan_exports.complaints({"cublas": {"cublasSsymm_v2", "cublasGetStream_v2"}}, rules)
    assert found.startswith("cublas: cublasSsymm_v2: computes by its name")


def test_a_name_that_no_rule_takes_is_found():
    (found,) = scan_exports.complaints({"cublas": {"cublasSsymm_v2"}}, {"cublas": []})
    assert found == "cublas: cublasSsymm_v2: no rule in api_rules.toml"


def test_calls_of_cudnn_8_have_its_prototypes():
    """Its headers are not installed: the recorded ones are what there is."""
    with open(HOOKS / "api_table.toml", "rb") as file:
        table = tomllib.load(file)
    recorded = {}
    for line in (HOOKS / "signatures" / "cudnn.txt").read_text(encoding="utf-8").splitlines():
        _, name, *parameters = line.split() + [""] * 2
        recorded[name] = [p.split(":")[1] for p in parameters if ":" in p]
    same = {"p": "p", "e": "i", "z": "l"}
    checked = 0
    for name, call in table["handwritten"].items():
        if call.get("header") == "cudnn8":
            ours = [same[p.split(":")[1]] for p in call["parameters"].split()]
            assert ours == recorded[name], name
            checked += 1
    assert checked == 8


def test_the_coverage_page_is_up_to_date(tmp_path):
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert generated("coverage", tmp_path) == page, \
        "make it again: injector/hooks/table/generate_hooks.py injector/hooks/table/api_table.toml coverage " \
        "docs/coverage.md"


def test_every_call_has_its_number(tmp_path):
    ids = (ROOT / "proto" / "shm" / "library_api_ids.h").read_text(encoding="utf-8")
    assert generated("ids", tmp_path) == ids, \
        "new calls: injector/hooks/table/generate_hooks.py injector/hooks/table/api_table.toml ids " \
        "proto/shm/library_api_ids.h"
