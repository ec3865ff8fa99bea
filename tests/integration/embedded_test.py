# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A C++ program that embeds Python, ends it and begins it again; subinterpreters in it."""

import glob
import json
import os
import subprocess

import pytest
from by_name import library_folders
from flopsprof_run import PROGRAMS, product, run_plain, run_profiled

SCOPES = os.path.join(PROGRAMS, "scopes")
PRODUCT = 2 * 8 * 8 * 8
ASK = (
    "import json, sys, sysconfig as s; v = s.get_config_var; "
    "print(json.dumps([v('LIBDIR'), v('LDLIBRARY'), sys.base_prefix]))"
)


def shared_pythons() -> list:
    """(libpython, its home) of the Pythons of this machine that have a shared one, 3.8 to 3.15."""
    found = {}
    for minor in range(8, 16):
        versions = os.path.expanduser(f"~/.pyenv/versions/3.{minor}.*/bin/python3.{minor}")
        for path in [*glob.glob(versions), f"/usr/bin/python3.{minor}"]:
            if minor in found or not os.path.exists(path):
                continue
            done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
            folder, library, home = json.loads(done.stdout) if done.returncode == 0 else [""] * 3
            for name in (library, f"{library}.1.0"):
                if name and ".so" in name and os.path.exists(os.path.join(folder, name)):
                    found[minor] = (os.path.join(folder, name), home)
    return [pytest.param(*found[minor], id=f"3.{minor}") for minor in found] or [
        pytest.param("", "", marks=pytest.mark.skip(reason="no shared libpython here"))
    ]


@pytest.mark.parametrize("library, home", shared_pythons())
def test_modules_are_named_in_each_python_that_is_begun(tmp_path, library, home):
    environment = {
        "LD_LIBRARY_PATH": library_folders(), "PYTHONHOME": home,
        "MINI_TORCH": os.path.join(SCOPES, "mini_torch"),
    }  # fmt: skip
    command = [product("bin/embedded"), library, os.path.join(SCOPES, "embedded.py"), "2"]
    alone = run_plain(command, env={**environment, "EMBEDDED_NO_HOOKS": "1"})
    if alone.exit_code < 0:  # 3.12.1
        pytest.skip(f"this Python does not survive it alone: signal {-alone.exit_code}")
    assert (alone.exit_code, alone.stdout) == (0, "ended\n"), alone.explain()
    run = run_profiled(command, folder=str(tmp_path / "run"), env=environment)
    assert (run.exit_code, run.stdout) == (0, "ended\n"), run.explain()
    own = {
        module["path"]: sum(n or 0 for n in module["self"]["flops"].values()) / PRODUCT
        for module in run.summary["modules"]
    }
    # Each round: two modules, a subinterpreter, whose modules are not seen, and after the end.
    assert {path: count for path, count in own.items() if count} == {
        "first": 1, "second": 1, "(Round1).first": 1, "(Round1).second": 1, "(outside)": 4,
    }  # fmt: skip
    rank = run.summary["ranks"][0]
    assert rank["notes"]["modules"] == "vectorcall hook"
    assert rank["loss"] == {}
