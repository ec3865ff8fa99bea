# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the shim does once a module is imported, and only then."""

import os
import subprocess
import sys

from flopsprof_run import ROOT

EMBEDDED = os.path.join(ROOT, "injector", "shims", "python", "embedded")
# The file alone, with stand-ins for the others; `module_under_test` lies in the folder given.
BEGIN = """
import importlib, importlib.util, sys, types
base = types.ModuleType("_flopsprof_base")
base.native, base.undo = types.SimpleNamespace(failed=lambda text: print("failed", text)), []
sys.modules["_flopsprof_base"] = base
sys.path[:0] = sys.argv[1:]
import _flopsprof_imports as imports
imports.install()
imports.when_imported("module_under_test", lambda module: print("action", module.VALUE))
"""


def printed(folder, text) -> list:
    (folder / "module_under_test.py").write_text('VALUE = "there"\nprint("executed")\n')
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + text, EMBEDDED, str(folder)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.split("\n")[:-1]


def test_the_action_follows_the_import_once(tmp_path):
    twice = "import module_under_test\nimportlib.reload(module_under_test)\n"
    assert printed(tmp_path, twice) == ["executed", "action there", "executed"]


def test_a_look_for_the_module_is_no_import(tmp_path):
    look = 'print(importlib.util.find_spec("module_under_test") is not None)\n'
    assert printed(tmp_path, look + "import module_under_test\n") == [
        "True", "executed", "action there",
    ]  # fmt: skip


def test_an_import_that_failed_may_succeed_later(tmp_path):
    first = "import module_under_test\n"
    text = f"""
class Once:
    def find_spec(self, name, path=None, target=None):
        if name == "module_under_test" and self in sys.meta_path:
            sys.meta_path.remove(self)
            raise ImportError("not now")
sys.meta_path.insert(1, Once())
try:
    {first}
except ImportError as error:
    print(error)
{first}
"""
    assert printed(tmp_path, text) == ["not now", "executed", "action there"]


def test_the_loader_of_the_module_is_its_own(tmp_path):
    text = "import module_under_test as m\nprint(type(m.__loader__).__name__, type(m.__spec__.loader).__name__)\n"
    assert printed(tmp_path, text)[-1] == "SourceFileLoader SourceFileLoader"


def test_nothing_is_left_after_uninstall(tmp_path):
    text = """
for function, arguments in reversed(base.undo):
    function(*arguments)
print([type(f).__module__ for f in sys.meta_path if type(f).__module__.startswith("_flopsprof")])
import module_under_test
"""
    assert printed(tmp_path, text) == ["[]", "executed"]
