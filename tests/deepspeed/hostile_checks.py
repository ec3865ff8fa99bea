# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Odd models, odd names and profiles in each other's way; api_checks.py runs them."""

import contextlib
import io
import os
import tempfile
import threading

import torch
import torch.nn.functional as F
from count_checks import FLOPS, MACS, PARAMS, FlopsProfiler, Net, X, counts, get_model_profile, ours, said
from torch import nn

_PLACES = [(F, "linear"), (torch, "add"), (torch.Tensor, "add"), (nn.Module, "__call__")]


@contextlib.contextmanager
def nothing_is_left():
    """Functions are afterwards what they were; put back for the checks that follow."""
    before = [(owner, name, vars(owner).get(name)) for owner, name in _PLACES]
    try:
        yield
        left = [name for owner, name, own in before if vars(owner).get(name) is not own]
    finally:
        for owner, name, own in before:
            if own is not None:
                setattr(owner, name, own)
            elif name in vars(owner):
                delattr(owner, name)
    assert not left, f"left behind: {left}"


def two(compat):
    model = Net()
    profilers = FlopsProfiler(model, compat=compat), FlopsProfiler(model, compat=compat)
    for profiler in profilers:
        profiler.start_profile()
    return (model, *profilers)


# ---------------------------------------------------------------------------- profiles beside each other


def test_the_profile_that_began_first_may_end_first():
    for compat in ("right", "quirks"):
        with nothing_is_left():
            model, first, second = two(compat)
            model(X)
            assert (first.get_total_macs(), second.get_total_macs()) == (MACS, MACS), compat
            first.end_profile()
            model(X)
            assert second.get_total_macs() == 2 * MACS, (compat, second.get_total_macs())
            second.end_profile()


def test_a_profile_of_quirks_inside_a_forward_leaves_the_outer_one_whole():
    class Looks(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = Net()

        def forward(self, x):
            self.seen = counts(self.net, x, compat="quirks", warm_up=0)
            return self.net(x)

    model = Looks()
    # The inner profile's own forward is one of the outer one's calls.
    with nothing_is_left():
        assert counts(model, X, compat="quirks", warm_up=0)[1] == 2 * MACS
    assert model.seen[1] == MACS


def test_threads_of_quirks_count_their_own_calls():
    model, profiler = nn.Sequential(Net(), nn.Linear(3, 8)), None
    entered = threading.Barrier(2, timeout=60)
    # Both threads are inside the first module before either comes to its work.
    model[0].layer.register_forward_pre_hook(lambda module, args: (entered.wait(), None)[1])
    profiler = FlopsProfiler(model, compat="quirks")
    profiler.start_profile()
    threads = [threading.Thread(target=model, args=(X,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = [ours.get_module_macs(part) for part in (model, model[0], model[0].layer, model[1])]
    profiler.end_profile()
    assert seen == [4 * 96, 2 * 96, 2 * 96, 2 * 96], seen


def test_a_module_in_two_profiles_has_the_figures_of_the_one_that_began_last():
    model = Net()
    for _ in range(8):  # the order of a set would be another each time
        first, second = FlopsProfiler(model), FlopsProfiler(model)
        first.start_profile()
        model(X)
        second.start_profile()
        model(X)
        assert ours.get_module_macs(model.layer) == MACS
        second.end_profile()
        assert ours.get_module_macs(model.layer) == 2 * MACS
        first.end_profile()


# ---------------------------------------------------------------------------- models


def test_a_start_that_fails_leaves_nothing_behind():
    class NoHooks(nn.Linear):
        def register_forward_hook(self, *args, **kwargs):
            raise RuntimeError("no hooks here")

    with nothing_is_left():
        try:
            counts(nn.Sequential(NoHooks(8, 3)), X, compat="quirks")
        except RuntimeError as error:
            assert str(error) == "no hooks here"
        else:
            raise AssertionError("no exception")


def test_scripted_and_frozen_models_have_a_report_in_both_compats():
    layers = nn.Sequential(nn.Linear(8, 3), nn.ReLU()).eval()
    scripted = torch.jit.script(layers)
    for compat in ("right", "quirks"):
        for model in (scripted, torch.jit.freeze(scripted), nn.Sequential(torch.jit.freeze(scripted))):
            with nothing_is_left():
                (_, macs, _), log, page = said(
                    lambda model=model, compat=compat: get_model_profile(model, args=[X], compat=compat, as_string=False)
                )
            assert page.endswith("-" * 78 + "\n") and "never called" not in log, log
            # DeepSpeed sees nothing of what TorchScript calls.
            assert macs == (MACS if compat == "right" else 0), (compat, macs)


def test_a_model_that_answers_every_name_or_refuses_is_not_asked():
    class Refuses(Net):
        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                raise LookupError(name) from None

    class Answers(Net):
        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return self.layer

    for kind in (Refuses, Answers):
        result, log, _ = said(lambda kind=kind: counts(kind(), X))
        assert result == (FLOPS, MACS, PARAMS) and log == "", (kind, result, log)


def test_what_ends_before_the_profile_is_no_forgotten_start():
    class NoEval(Net):
        def train(self, mode=True):
            raise NotImplementedError("no modes")

    def fails():
        with contextlib.suppress(NotImplementedError):
            counts(NoEval(), X)

    _, log, _ = said(fails)
    assert log == "", log


def test_a_profiler_of_no_module_says_so():
    def fails():
        profiler = FlopsProfiler(F.relu)
        try:
            profiler.start_profile()
        except AssertionError as error:
            return str(error)

    message, log, _ = said(fails)
    assert message == "model must be a PyTorch module, not a function: get_model_profile takes one", message
    assert log == "", log


def test_args_may_be_a_tensor_as_for_deepspeed():
    assert get_model_profile(Net(), args=X[None], print_profile=False, as_string=False) == (FLOPS, MACS, PARAMS)


# ---------------------------------------------------------------------------- reports


def _named(name):
    model = nn.Sequential()
    model.add_module(name, nn.Linear(8, 3))
    return model


def test_a_report_that_its_stream_or_file_has_no_letters_for_is_whole():
    # Half a pair of UTF-16, as of a name with a broken byte; a letter that ASCII has not.
    for compat in ("right", "quirks"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.txt")
            get_model_profile(_named("\udcffx"), args=[X], compat=compat, output_file=path)
            with open(path, encoding="utf-8") as file:
                page = file.read()
        assert "(\\udcffx): Linear(" in page and page.endswith("-" * 78 + "\n"), page
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        with contextlib.redirect_stdout(stream):
            get_model_profile(_named("größe"), args=[X], compat=compat)
            get_model_profile(_named("größe"), args=[X], compat=compat, style="deepspeed-2021", input_res=(4, 8))
        stream.flush()
        page = stream.buffer.getvalue().decode("ascii")
        assert "(gr\\xf6\\xdfe): Linear(" in page, page


def test_names_cannot_turn_or_hide_what_stands_beside_them():
    model = _named("a\u202eb\u200bc\u2066d\ufeffe")
    _, _, page = said(lambda: get_model_profile(model, args=[X]))
    assert "(a\\u202eb\\u200bc\\u2066d\\ufeffe): Linear(" in page, page
