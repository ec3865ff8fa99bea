# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What each call of flopsprof.deepspeed does. Prints {name of a check: what was wrong or null}.

    python tests/deepspeed/api_checks.py [NAME ...]     # with those of the other checks that need no GPU

In one process without pytest, because the environment with torch has none.
"""

import contextlib
import gc
import inspect
import json
import os
import sys
import tempfile
import traceback
import warnings

import count_checks
import hostile_checks
import operator_checks
import straight_checks
import torch
import torch.nn.functional as F
from count_checks import (
    FLOPS,
    MACS,
    PARAMS,
    FlopsProfiler,
    Net,
    X,
    counts,
    get_model_profile,
    ours,
    profiled,
    said,
)
from torch import nn


# ---------------------------------------------------------------------------- harmless


def test_the_forward_gives_the_same_bits():
    for model, x in ((nn.TransformerEncoderLayer(16, 4, batch_first=True), torch.randn(2, 5, 16)),
                     (nn.LSTM(10, 20), torch.randn(5, 3, 10)), (Net(), torch.randn(4, 8))):  # fmt: skip
        model.eval()
        with torch.no_grad():
            before = model(x)
            profiler = FlopsProfiler(model)
            profiler.start_profile()
            during = model(x)
            profiler.end_profile()
        first = [t[0] if isinstance(t, tuple) else t for t in (before, during)]
        assert torch.equal(*first)


def test_an_exception_of_the_forward_is_the_users_and_undoes_all():
    call = nn.Module.__call__
    linear, add = F.linear, torch.Tensor.__dict__.get("add")
    for compat in ("right", "quirks"):
        model = Net().train()
        try:
            counts(model, X, True, compat=compat, warm_up=0)
        except KeyError as error:
            assert error.args == ("the user's message",)
        else:
            raise AssertionError("no exception")
        assert nn.Module.__call__ is call and F.linear is linear and model.training
        assert torch.Tensor.__dict__.get("add") is add
        assert not model._forward_hooks and not model.layer._forward_hooks
        profiler = FlopsProfiler(model, compat=compat)
        profiler.start_profile()
        with contextlib.suppress(KeyError):
            model(X, True)
        assert profiler.func_patched
        del profiler  # nobody ended it: it goes with its profiler
        gc.collect()
        assert nn.Module.__call__ is call and F.linear is linear
    assert not torch.utils._python_dispatch._get_current_dispatch_mode_stack()


def test_forwards_that_end_early_with_an_exception_are_counted_each():
    class Enough(Exception):
        pass

    def stop(module, args, out):
        raise Enough

    model = nn.Sequential(Net(), nn.ReLU(), nn.Linear(3, 3))
    model[1].register_forward_hook(stop)
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    for _ in range(3):
        with contextlib.suppress(Enough):
            model(X)
    assert profiler.get_total_macs() == 3 * MACS, profiler.get_total_macs()
    _, log, _ = said(profiler.end_profile)
    assert "exceptions ended 3 calls" in log, log


def test_another_tool_may_put_its_call_back_or_leave_it():
    call = nn.Module.__call__
    try:
        profiler = FlopsProfiler(Net())
        profiler.start_profile()
        nn.Module.__call__ = call
        profiler.end_profile()
        assert counts(Net(), X)[1] == MACS
        profiler.start_profile()
        ours_in_front = nn.Module.__call__
        nn.Module.__call__ = lambda self, *args, **kwargs: ours_in_front(self, *args, **kwargs)
        profiler.model(X)
        assert profiler.get_total_macs() == MACS
        profiler.end_profile()
        for _ in range(2):
            assert counts(Net(), X)[1] == MACS
    finally:
        nn.Module.__call__ = call


def test_an_exception_inside_that_the_model_catches_is_its_own():
    class Tries(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = Net()

        def forward(self, x):
            try:
                self.net(x, fail=True)
            except KeyError:
                return self.net(x)

    assert counts(Tries(), X) == (FLOPS, MACS, PARAMS)


def test_the_functions_of_torch_are_torchs_again():
    before = {name: getattr(torch, name) for name in ("bmm", "matmul", "add", "einsum")}
    for _ in range(2):
        counts(Net(), X, compat="quirks")
    assert all(getattr(torch, name) is function for name, function in before.items())
    with contextlib.suppress(RuntimeError):
        torch.bmm(torch.zeros(4, 8), torch.zeros(8, 5))
        raise AssertionError("torch.bmm takes matrices")


def test_training_mode_is_given_back():
    model = Net().train()
    model.layer.eval()
    counts(model, X)
    assert model.training and not model.layer.training


def test_two_profiles_at_once():
    model = Net()
    outer, inner = FlopsProfiler(model), FlopsProfiler(model.layer)
    outer.start_profile()
    inner.start_profile()
    model(X)
    inner.stop_profile()
    outer.stop_profile()
    assert (outer.get_total_macs(), inner.get_total_macs()) == (96, 96)
    outer.end_profile()
    inner.end_profile()


def test_sessions_do_not_add_up():
    model = Net()
    assert [counts(model, X, compat="quirks") for _ in range(3)] == [(2 * 96 + 12, 96, 27)] * 3


# ---------------------------------------------------------------------------- life


def test_forwards_add_up_until_reset():
    profiler = FlopsProfiler(Net())
    profiler.start_profile()
    profiler.model(X)
    profiler.model(X)
    assert profiler.get_total_macs() == 2 * MACS
    profiler.reset_profile()
    assert profiler.get_total_macs() == 0 and profiler.get_total_params() == PARAMS
    profiler.end_profile()


def test_figures_end_with_the_profile():
    profiler = profiled(Net(), X)
    assert profiler.get_total_flops(as_string=True) == f"{FLOPS} "
    assert profiler.get_total_macs(True) == "96 MACs" and profiler.get_total_params(True) == "27"
    assert profiler.get_total_duration() > 0 and profiler.get_total_duration(True).endswith("s")
    profiler.end_profile()
    for getter in ("flops", "macs", "params", "duration"):
        try:
            getattr(profiler, f"get_total_{getter}")()
        except AttributeError as error:
            assert "start_profile" in str(error)
        else:
            raise AssertionError(getter)


def test_misuse_has_one_message_each():
    profiler = FlopsProfiler(Net())
    for call, words in (
        (profiler.stop_profile, "stop_profile() without start_profile()"),
        (profiler.print_model_profile, "without start_profile() prints nothing"),
    ):
        _, log, out = said(call)
        assert words in log and log.count("\n") == 1 and out == "", (log, out)
    profiler.start_profile()
    _, log, _ = said(profiler.start_profile)
    assert "twice" in log and log.count("\n") == 1
    profiler.stop_profile()
    _, log, _ = said(profiler.start_profile)
    assert "after stop_profile()" in log and "twice" not in log and log.count("\n") == 1, log
    profiler.model(X)
    assert profiler.get_total_macs() == MACS
    for depth, words in ((9, "2 depths"), (-3, "no depth")):
        _, log, out = said(lambda depth=depth: profiler.print_model_profile(module_depth=depth))
        assert words in log and log.count("\n") == 1 and "----\n" in out, log
    profiler.end_profile()


def test_a_profile_that_never_began_is_told():
    profiler = FlopsProfiler(Net())

    def forget():
        nonlocal profiler
        profiler = None

    _, log, _ = said(forget)
    assert "profile_step" in log


def test_a_class_is_no_model():
    try:
        get_model_profile(nn.ReLU, (2, 3))
    except AssertionError as error:
        assert "the class ReLU" in str(error), error
    else:
        raise AssertionError("a class was profiled")


def test_wrong_arguments_are_refused_with_words():
    for arguments, words in (
        ({"mode": "backward", "args": [X]}, "func_name"),
        ({"compat": "exact", "args": [X]}, "right, quirks"),
        ({"style": "deepspeed-1999", "args": [X]}, "deepspeed-2022"),
        ({}, "args and/or kwargs"),
        ({"input_shape": [2]}, "tuple"),
        ({"colour": 1}, "colour"),
    ):
        try:
            get_model_profile(Net(), **arguments)
        except (ValueError, AssertionError, TypeError) as error:
            assert words in str(error), error
        else:
            raise AssertionError(arguments)


# ---------------------------------------------------------------------------- report


def test_the_report_of_a_file_is_whole_or_not_there():
    profiler = profiled(Net(), X)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "broken.txt")
        repr_of = nn.Linear.extra_repr
        nn.Linear.extra_repr = lambda self: 1 / 0
        try:
            with contextlib.suppress(ZeroDivisionError):
                profiler.print_model_profile(output_file=path)
                raise AssertionError("the report was made")
        finally:
            nn.Linear.extra_repr = repr_of
        assert not os.path.exists(path)
        path = os.path.join(folder, "a", "b", "profile.txt")
        before = sys.stdout
        profiler.print_model_profile(output_file=path)
        assert sys.stdout is before
        with open(path, encoding="utf-8") as file:
            first = file.read()
        profiler.print_model_profile(output_file=path)
        with open(path, encoding="utf-8") as file:
            assert file.read() == first
    profiler.end_profile()


def test_names_that_would_steer_a_terminal_are_shown():
    def page(**options):
        profiler = profiled(nn.Sequential(named), X, **options)
        _, _, text = said(profiler.print_model_profile)
        profiler.end_profile()
        return text

    named = type("\x1b[31mNet<b>", (Net,), {})()
    named.add_module("\x1b]0;title\x07<script>", nn.Identity())
    right, quirks = page(), page(compat="quirks")
    assert "\x1b" not in right and "\x07" not in right
    assert "(\\x1b]0;title\\x07<script>): Identity(" in right and "(0): \\x1b[31mNet<b>(" in right
    assert "(\x1b]0;title\x07<script>): Identity(" in quirks  # DeepSpeed's bytes


def test_gpu_time_is_unknown_on_a_cpu():
    profiler = profiled(Net(), X, gpu_time=True)
    assert profiler.get_total_gpu_time() is None and profiler.get_total_gpu_time(as_string=True) == "unknown"
    assert ours.get_module_gpu_time(profiler.model.layer) is None
    _, _, page = said(profiler.print_model_profile)
    assert [line.split()[-1] for line in page.splitlines()[-2:]] == ["unknown", "unknown"]
    profiler.end_profile()


def test_the_model_prints_as_before():
    model = Net()
    before = repr(model)
    profiler = profiled(model, X)
    said(profiler.print_model_profile)
    assert repr(model) == before and "extra_repr" not in model.__dict__
    profiler.end_profile()


def test_units():
    rows = ((0, "0 "), (999, "999 "), (999999, "1000 K"), (62006, "62.01 K"), (1.29e9, "1.29 G"),
            (0.0005, "500 u"), (1.23457e16, "12345.7 T"), (1.234567e18, "1.23457e+06 T"),
            (-5, "-5e+06 u"))  # fmt: skip
    for number, text in rows:
        assert ours.number_to_string(number) == text, (number, ours.number_to_string(number))
    assert ours.params_to_string(1.29e9) == "1.29 B" and ours.params_to_string(0) == "0"
    assert ours.macs_to_string(62006) == "62.01 KMACs"
    assert ours.flops_to_string(1.29e9) == "1.29 GFLOPS"
    assert ours.duration_to_string(0) == "0 s" and ours.duration_to_string(1e-7) == "0.1 us"
    assert ours.bytes_to_string(5e9, units="G") == "5 GB"
    assert ours.number_to_string(5, units="Q") == "5 Q"


def test_signatures_are_deepspeeds():
    import deepspeed.profiling.flops_profiler as theirs

    def named(function, count):
        parameters = list(inspect.signature(function).parameters.values())
        return [(p.name, p.kind, p.default) for p in parameters][:count]

    def compare(mine, its):
        wanted = named(its, None)
        assert named(mine, len(wanted)) == wanted, (mine, named(mine, len(wanted)), wanted)

    compare(ours.get_model_profile, theirs.get_model_profile)
    for name, method in vars(theirs.FlopsProfiler).items():
        if callable(method):
            compare(getattr(ours.FlopsProfiler, name), method)
    for name in ours.__all__:
        if name.endswith("_to_string") or name.startswith("get_module") and name != "get_module_gpu_time":
            compare(getattr(ours, name), getattr(theirs, name))


def test_two_paths_to_one_package():
    import flopsprof.profiler.flops_profiler as other

    assert other.FlopsProfiler is ours.FlopsProfiler
    assert other.get_model_profile is ours.get_model_profile


# ---------------------------------------------------------------------------- old spellings


def test_calls_of_2021():
    names = {"print_profile": False, "print_aggregated_profile": False}
    assert get_model_profile(Net(), input_res=(4, 8), num_steps=2, **names) == ("96.0 MACs", "27", 2)
    result = get_model_profile(Net(), input_res=(4, 8), as_strings=False, **names)
    assert result == (96, 27, 10)
    assert get_model_profile(Net(), input_res=(4, 8), print_profile=False) == ("96 MACs", "27")
    constructed = get_model_profile(Net(), input_res=(4, 8), print_profile=False, as_string=False,
                                    input_constructor=lambda shape: {"x": torch.zeros(shape)})  # fmt: skip
    assert constructed == (96, 27)
    profiler = profiled(Net(), X, style="deepspeed-2021")
    assert profiler.get_total_flops(in_str=True) == "96.0 MACs"
    assert profiler.get_total_params(in_str=True) == "27" and profiler.get_total_steps() == 1
    profiler.end_profile()


def test_kwargs_and_none_as_in_the_examples():
    result = get_model_profile(model=Net(), input_shape=(4, 8), args=None, kwargs=None, as_string=True,
                               print_profile=False, func_name="forward")  # fmt: skip
    assert result == (f"{FLOPS} ", "96 MACs", "27")
    assert get_model_profile(Net(), kwargs={"x": X}, print_profile=False, as_string=False)[1] == 96


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    results = {}
    checks = {**vars(count_checks), **vars(operator_checks), **vars(straight_checks),
              **vars(hostile_checks), **globals()}  # fmt: skip
    for name, check in checks.items():
        if name.startswith("test_") and (len(sys.argv) == 1 or name in sys.argv):
            try:
                check()
                results[name] = None
            except Exception:
                results[name] = traceback.format_exc(limit=-3)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
