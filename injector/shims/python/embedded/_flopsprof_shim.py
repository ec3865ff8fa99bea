# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What only Python knows about a profiled PyTorch program.

The last of the parts that are embedded in the injector library and run there, each in a module
object of its own, in the main thread, once torch is imported. The native side calls the functions
that are imported here, install() and uninstall(); the rest are hooks of torch, Triton and
sys.monitoring.
"""

import sys

import _flopsprof_compiled as compiled
import _flopsprof_ends as ends
import _flopsprof_formulas as formulas
import _flopsprof_imports as imports
import _flopsprof_modules as modules
import _flopsprof_optimizers as optimizers
import _flopsprof_packages as packages
import _flopsprof_phases as phases
import _flopsprof_step_at as step_at
import _flopsprof_templates as templates
import _flopsprof_wrappers as wrappers
from _flopsprof_backward import on_first_call  # noqa: F401
from _flopsprof_base import native, set_eval_frame, skip_part, take_out, torch, undo  # noqa: F401
from _flopsprof_calls import follow_modules, undo_calls  # noqa: F401
from _flopsprof_formulas import add_formula, evaluate  # noqa: F401
from _flopsprof_modules import chain_of  # noqa: F401
from _flopsprof_optimizers import optimizer_exists  # noqa: F401
from _flopsprof_parameters import describe  # noqa: F401


def install() -> None:
    for part in (
        imports, modules, step_at, optimizers, wrappers, formulas, templates, packages, phases,
        compiled, ends,
    ):  # fmt: skip
        try:
            part.install()
        except Exception as error:  # a PyTorch that is otherwise: the other parts still work
            native.failed(f"{part.__name__}: {error!r}"[:200])
    for name, part in list(sys.modules.items()):
        if name.startswith("_flopsprof_"):
            skip_part(part)
    native.note("torch", str(getattr(torch, "__version__", "?")))


def uninstall() -> None:
    take_out(undo_calls)
    take_out(undo)
