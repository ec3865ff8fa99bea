# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""FlopsProfiler, with DeepSpeed's methods and defaults."""

import itertools
import os
import sys
import threading
import weakref

from torch import nn

from ..modules import gpu_time, parameters, tree
from ..modules.session import Session
from ..quirks.view import DeepSpeedView
from ..report import STYLES, y2021
from ..report.figures import Figures, Stats
from ..report.gpu_time import section
from ..report.printable import printable, write
from ..units import newest, old
from . import messages, settings
from .messages import logger

_profilers = weakref.WeakSet()  # for get_module_flops() and the like
_starts = itertools.count()


def _units(style):
    return newest if style == "deepspeed" else old


class FlopsProfiler:
    """Counts floating-point operations, measures latency and parameters of each module of a model.

        prof = FlopsProfiler(model)
        prof.start_profile()
        model(batch)
        prof.stop_profile()
        prof.print_model_profile()
        prof.end_profile()

    `compat="quirks"` gives DeepSpeed 0.19.8's numbers with its mistakes, `style` the layout of another
    version. `explain=True` counts both ways; `differences()` then says what is not the same, and why.
    `operators=True` adds the work up by operator too, for `work_by_operator()`. `only_this_thread=True`
    leaves calls of the model on other threads out. `gpu_time=True` measures each module by the GPU's clock
    too: get_total_gpu_time(), get_module_gpu_time(), and a table below the report.
    """

    def __init__(self, model, ds_engine=None, recompute_fwd_factor=0.0, *, compat=None, style=None,
                 explain=False, operators=False, only_this_thread=False, gpu_time=False):  # fmt: skip
        self.model = model
        self.ds_engine = ds_engine
        self.recompute_fwd_factor = recompute_fwd_factor
        self.compat = settings.compat_of(compat)
        self.style = settings.style_of(style)
        self.explain = explain
        self.operators = operators
        self.only_this_thread = only_this_thread
        self.gpu_time = gpu_time
        self.started = False
        self.func_patched = False  # DeepSpeed's name for: calls are followed
        self._session = None
        self._start = 0  # a later one has a higher number
        self._params = {}
        self._state = {}
        weakref.finalize(self, messages.never_started, self._state)

    # ------------------------------------------------------------------ life

    def start_profile(self, ignore_list=None):
        """Begins to follow the model's calls. Work of modules of the types in `ignore_list` belongs to
        their parents."""
        self._state["started"] = True  # an exception below is no forgotten start
        if not isinstance(self.model, nn.Module):
            raise AssertionError(f"model must be a PyTorch module, not {_a_kind_of(self.model)}")
        if self.started:
            what = ("was called twice" if self._session.following
                    else "came after stop_profile(), without end_profile()")  # fmt: skip
            logger.warning("FlopsProfiler: start_profile() %s; it counts from zero again", what)
            self._stop_session()
        logger.info("Flops profiler started")
        quirks = self.compat == "quirks"
        view = DeepSpeedView(explains=self.explain) if quirks or self.explain else None
        count = self.explain or not quirks
        self._session = Session(self.model, tuple(ignore_list or ()), view, count)
        self._session.operators = {} if self.operators and count else None
        self._session.only_thread = threading.get_ident() if self.only_this_thread else None
        self._session.times_gpu = self.gpu_time
        self._session.times_functions = self.style == "flops-profiler"
        self.reset_profile()
        messages.scripted(self.model)
        messages.replicated(self.model)
        messages.compiled(self.model)
        self._session.start()
        # A profiler that an exception leaves behind takes its session along.
        self._state["abandoned"] = weakref.finalize(self, self._session.stop)
        self.started = self.func_patched = True
        self._start = next(_starts)
        _profilers.add(self)

    def stop_profile(self):
        """Ends following; the counters stay."""
        if not self.started:
            logger.warning("FlopsProfiler: stop_profile() without start_profile() does nothing")
            return
        self._stop_session()

    def _stop_session(self):
        self._session.stop()
        abandoned = self._state.pop("abandoned", None)
        if abandoned is not None:
            abandoned.detach()
        self.func_patched = False

    def reset_profile(self):
        """Counters to zero; parameters are counted again."""
        if self._session is not None:
            self._session.reset()
        self._params = parameters.count_parameters(
            self.model,
            stored_only=self.compat == "quirks",
            trainable_only=self.compat == "quirks" and self.style.startswith("deepspeed-202"),
        )

    def end_profile(self):
        """Stops, and forgets all counters."""
        if not self.started:
            return
        self._stop_session()
        messages.uncounted(self._session)
        messages.failed(self._session)
        self.started = False
        self._session = None
        self._params = {}
        _profilers.discard(self)
        logger.info("Flops profiler finished")

    # ------------------------------------------------------------------ figures

    def _records(self):
        if self._session is None:
            raise AttributeError(
                "FlopsProfiler has no figures: call this between start_profile() and end_profile()"
            )
        return self._session.records

    def _own(self, module) -> tuple:
        record = self._session.records.get(id(module))
        if record is None:  # it came into the model after the start
            return 0, 0
        if self.compat == "quirks":
            return record.seen_flops, record.seen_macs
        return record.flops, record.macs

    def _durations(self) -> dict:
        quirks = self.compat == "quirks"
        return {
            key: 0 if quirks and record.is_recurrent else record.duration
            for key, record in self._records().items()
        }

    def _whole_durations(self) -> bool:
        """Whether a list in a list gets its latency (bug 33)."""
        return self.style == "deepspeed" or self.compat == "right"

    def figures(self) -> Figures:
        """What the report prints, of every module."""
        durations = self._durations()
        work = tree.inclusive(self.model, self._own)
        counted = self._params_of_modules()
        stats = {}
        for module in self.model.modules():
            one = stats[id(module)] = Stats()
            one.flops, one.macs = work[id(module)]
            one.shared_params, experts, one.model_expert_params = counted[id(module)]
            one.params = one.shared_params + experts
            one.duration = tree.duration_of(module, durations, self._whole_durations())
        figures = Figures(self.model, stats, self.ds_engine, self.recompute_fwd_factor,
                          self.compat == "quirks")  # fmt: skip
        figures.calls = {key: record.calls for key, record in self._session.records.items()}
        figures.steps = self.get_total_steps() if self.style == "deepspeed-2021" else 1
        if self.style == "flops-profiler":
            figures.functionals = self._functionals()
        return figures

    def _params_of_modules(self) -> dict:
        """Counted at the start, as DeepSpeed does; again where the model has changed since (lazy ones)."""
        if all(id(module) in self._params for module in self.model.modules()):
            if any(sum(numbers[:2]) for numbers in self._params.values()):
                return self._params
        return parameters.count_parameters(self.model, stored_only=self.compat == "quirks")

    def _functionals(self) -> dict:
        sums = {}
        for module in self.model.modules():
            rows = sums[id(module)] = {}
            for below in module.modules():
                record = self._session.records.get(id(below))
                for name, row in (record.functionals if record else {}).items():
                    have = rows.setdefault(name, [0, 0, 0.0])
                    rows[name] = [a + b for a, b in zip(have, row)]
        return sums

    def _total(self, index):
        self._records()
        return tree.inclusive(self.model, self._own)[id(self.model)][index]

    def get_total_flops(self, as_string=False, *, in_str=False):
        """Flops of all forwards since the start; in style deepspeed-2021 the MACs of one."""
        if self.style.startswith("deepspeed-2021"):
            total = self._total(1)
            if self.style == "deepspeed-2021":
                steps = self.get_total_steps()
                total = total / steps if steps else 0
            return old.macs_to_string(total) if as_string or in_str else total
        total = self._total(0)
        return _units(self.style).number_to_string(total) if as_string or in_str else total

    def get_total_macs(self, as_string=False, *, in_str=False):
        """Multiply-adds of all forwards since the start."""
        total = self._total(1)
        return _units(self.style).macs_to_string(total) if as_string or in_str else total

    def get_total_duration(self, as_string=False, *, in_str=False):
        """Seconds in the model's forward."""
        total = tree.duration_of(self.model, self._durations(), self._whole_durations())
        if self.style == "deepspeed-2021":
            total = total / max(1, self.get_total_steps())
        return _units(self.style).duration_to_string(total) if as_string or in_str else total

    def get_total_gpu_time(self, as_string=False):
        """With gpu_time=True: seconds of the model's forwards by the GPU's clock. None, or "unknown", where
        there is no GPU or one of the calls was not measured."""
        total = self._gpu_time_of(self.model)
        if not as_string:
            return total
        return "unknown" if total is None else _units(self.style).duration_to_string(total)

    def _gpu_time_of(self, module):
        return gpu_time.inclusive_of(module, self._records(), self._session.gpu_time)

    def get_total_params(self, as_string=False, *, in_str=False):
        """Parameters, those of experts on this rank among them."""
        self._records()
        total = sum(self._params_of_modules()[id(self.model)][:2])
        return _units(self.style).params_to_string(total) if as_string or in_str else total

    def get_total_functional_duration(self, as_string=False):
        """Seconds in replaced functions (the stand-alone package's; style flops-profiler)."""
        self._records()
        rows = self._functionals()[id(self.model)]
        total = sum((row[2] for row in rows.values()), 0.0)
        return old.duration_to_string(total) if as_string else total

    def get_total_steps(self):
        """Forwards of the model since the start."""
        records = self._records()

        def calls(module):
            record = records.get(id(module))
            own = record.calls if record else 0
            return own or sum(calls(child) for child in tree.children(module))

        return calls(self.model)

    def is_expert_tensor_parallelism_enabled(self):
        from ..report.engine import experts_are_parallel

        return experts_are_parallel(self.model)

    def uncounted_operators(self) -> dict:
        """Operators that ran and that no formula is known for: name -> (calls, why)."""
        self._records()
        return {name: tuple(entry) for name, entry in self._session.uncounted.items()}

    def work_by_operator(self) -> dict:
        """With operators=True: operator, or layer that is counted as a whole -> (flops, MACs)."""
        self._records()
        if self._session.operators is None:
            raise ValueError("FlopsProfiler: work by operator needs operators=True and no compat='quirks'")
        return {name: tuple(sums) for name, sums in self._session.operators.items()}

    def differences(self) -> list:
        """With explain=True: where our numbers are not DeepSpeed's, by module and reason."""
        from ..quirks.reasons import explained

        self._records()
        return explained(self.model, self._session) if self.explain else []

    # ------------------------------------------------------------------ report

    def print_model_profile(self, profile_step=1, module_depth=-1, top_modules=1, detailed=True,
                            output_file=None):  # fmt: skip
        """The report, to stdout or `output_file`; written only when all of it is made."""
        if not self.started:
            logger.warning("FlopsProfiler: print_model_profile() without start_profile() prints nothing")
            return
        figures = self.figures()
        self.flops, self.macs, self.params = (
            figures.total.flops, figures.total.macs, figures.total.params)  # fmt: skip
        module_depth = messages.depth_within(module_depth, self._depths())
        lines = STYLES[self.style].page(figures, profile_step, module_depth, top_modules, detailed)
        if self.gpu_time:
            rows = [(path, type(module).__name__, figures.of(module).duration, self._gpu_time_of(module))
                    for path, module in self.model.named_modules()]  # fmt: skip
            lines = [*lines, *section(rows, _units(self.style).duration_to_string)]
        self._write(self._text(lines) + "\n", output_file)

    def print_model_aggregated_profile(self, module_depth=-1, top_modules=1):
        """The part of the report on depths alone."""
        if self._session is None:
            print("no __flops__ attribute in the model, call this function after start_profile and"
                  " before end_profile")  # fmt: skip
            return
        module_depth = messages.depth_within(module_depth, self._depths())
        page = y2021 if self.style == "deepspeed-2021" else STYLES[self.style]
        aggregated = getattr(page, "aggregated", None) or STYLES["deepspeed-2022"].aggregated
        self._write(self._text(aggregated(self.figures(), module_depth, top_modules)) + "\n", None)

    def _text(self, lines) -> str:
        text = "\n".join(lines)
        return text if self.compat == "quirks" else printable(text)

    def _depths(self) -> int:
        depth, level = 0, [self.model]
        while level:
            depth += 1
            level = [child for module in level for child in tree.children(module)]
        return depth

    @staticmethod
    def _write(text, output_file) -> None:
        if not output_file:
            write(text, sys.stdout)
            return
        os.makedirs(os.path.dirname(os.path.abspath(output_file)), exist_ok=True)
        with open(output_file, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


def _a_kind_of(model) -> str:
    if callable(model) and not isinstance(model, type):
        return f"a {type(model).__name__}: get_model_profile takes one"
    return repr(model) if model is None else f"a {type(model).__name__}"


def _profiler_of(module):
    for profiler in sorted(_profilers, key=lambda profiler: -profiler._start):
        session = profiler._session
        if session is not None and id(module) in session.records:
            return profiler
    raise AttributeError("this module is in no profile: call start_profile() first")


def get_module_flops(module):
    """Flops of the module and all below it, in the profile that is going on."""
    return tree.inclusive(module, _profiler_of(module)._own)[id(module)][0]


def get_module_macs(module):
    return tree.inclusive(module, _profiler_of(module)._own)[id(module)][1]


def get_module_duration(module):
    return tree.duration_of(module, _profiler_of(module)._durations())


def get_module_gpu_time(module):
    """Seconds by the GPU's clock, in a profile with gpu_time=True; None where they are unknown."""
    return _profiler_of(module)._gpu_time_of(module)
