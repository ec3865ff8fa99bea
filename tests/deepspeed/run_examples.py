# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs scripts as `python -m flopsprof.deepspeed` does, one after the other in one process, because
each import of torch takes seconds. Prints {script: its stdout}.

    python tests/deepspeed/run_examples.py SCRIPT ...

Each runs once more without the runner, with only the import changed; those of a training workflow, which
are the smallest, by both paths of ours.
"""

import contextlib
import io
import json
import os
import re
import runpy
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "injector", "shims", "python"))

from flopsprof.deepspeed.dropin import run  # noqa: E402

THEIRS = re.compile(
    r"^(from )(deepspeed\.profiling\.flops_profiler|flops_profiler\.profiler) import", re.M
)
PATHS = ("flopsprof.deepspeed", "flopsprof.profiler.flops_profiler")


def output_of(function, *arguments) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue()


def changed(path, script, folder) -> str:
    with open(os.path.join(HERE, "scripts", script), encoding="utf-8") as file:
        source = file.read()
    other = os.path.join(folder, script)
    with open(other, "w", encoding="utf-8") as file:
        file.write(THEIRS.sub(rf"\1{path} import", source))
    return output_of(lambda: runpy.run_path(other, run_name="__main__"))


def main(scripts) -> None:
    warnings.simplefilter("ignore")
    outputs = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in PATHS:
            for script in scripts:
                if path == PATHS[0] or script.startswith("workflow"):
                    outputs[f"{path} {script}"] = changed(path, script, folder)
    for script in scripts:
        argv = ["--without-deepspeed", os.path.join(HERE, "scripts", script)]
        outputs[script] = output_of(run.main, argv)
    print(json.dumps(outputs))


if __name__ == "__main__":
    main(sys.argv[1:])
