# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Counts by hand, and what checks of flopsprof.deepspeed share; api_checks.py runs them."""

import contextlib
import io
import logging
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "injector", "shims", "python"))

import flopsprof.deepspeed as ours  # noqa: E402
from flopsprof.deepspeed import FlopsProfiler, get_model_profile  # noqa: E402


def said(function) -> tuple:
    """(result, what was logged, stdout)."""
    log, out = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    logger = logging.getLogger("flopsprof.deepspeed")
    logger.addHandler(handler)
    try:
        with contextlib.redirect_stdout(out):
            result = function()
    finally:
        logger.removeHandler(handler)
    return result, log.getvalue(), out.getvalue()


def profiled(model, *args, **options) -> FlopsProfiler:
    profiler = FlopsProfiler(model, **options)
    profiler.start_profile()
    model(*args)
    profiler.stop_profile()
    return profiler


def counts(model, *args, **options) -> tuple:
    return get_model_profile(model, args=args, print_profile=False, as_string=False, **options)


class Net(nn.Module):
    """A linear layer of 8 to 3 and a ReLU: 2 * 4 * 8 * 3 + 4 * 3 + 4 * 3 flops for four rows."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 3)

    def forward(self, x, fail=False):
        if fail:
            raise KeyError("the user's message")
        return F.relu(self.layer(x))


X = torch.zeros(4, 8)
FLOPS, MACS, PARAMS = 2 * 96 + 12 + 12, 96, 27


# ---------------------------------------------------------------------------- numbers


def test_a_net_by_hand():
    assert counts(Net(), X) == (FLOPS, MACS, PARAMS)


def test_one_switch_gives_deepspeeds_number():
    assert counts(Net(), X, compat="quirks") == (2 * 96 + 12, MACS, PARAMS)


def test_a_function_taken_before_is_seen():
    taken = F.linear
    model = nn.Sequential()
    model.forward = lambda x: taken(x, torch.zeros(3, 8))
    assert counts(model, X)[1] == 96


def test_operators_are_counted_like_functions():
    for function in (lambda x: x + x, lambda x: torch.add(x, x), lambda x: x.clone().add_(x)):
        model = nn.Identity()
        model.forward = function
        assert counts(model, X) == (32, 0, 0), counts(model, X)


def test_integers_are_no_floating_point_work():
    model = nn.Identity()
    model.forward = lambda x: x + x
    assert counts(model, torch.arange(8)) == (0, 0, 0)


def test_vmap_counts_every_example():
    model = nn.Linear(8, 3)
    root = nn.ModuleList([model])
    root.forward = lambda x: torch.vmap(model)(x)
    assert counts(root, X)[1] == 96


def test_a_fused_encoder_layer_counts_as_its_parts():
    layer, x = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), torch.zeros(2, 5, 16)
    with torch.no_grad():
        fused = counts(layer, x)
    assert fused == counts(layer, x), fused
    tokens = 10
    macs = tokens * (4 * 16 * 16 + 2 * 16 * 32) + 2 * 2 * 25 * 16
    assert fused[1] == macs


def test_recurrent_layers_by_hand():
    tokens, gates = 5 * 3, 4 * 20
    macs = tokens * gates * (10 + 20)
    flops = 2 * macs + tokens * (2 * gates + 10 * 20)
    root = nn.Sequential(nn.LSTM(10, 20))
    assert counts(root, torch.zeros(5, 3, 10))[:2] == (flops, macs)
    assert counts(nn.LSTM(10, 20), torch.zeros(5, 3, 10))[:2] == (flops, macs)  # as the root too
    packed = nn.utils.rnn.pack_padded_sequence(torch.zeros(4, 3, 10), [4, 3, 2])
    assert counts(nn.LSTM(10, 20), packed)[1] == 9 * gates * 30
    assert counts(nn.LSTM(10, 20), torch.zeros(5, 10))[1] == 5 * gates * 30


def test_bilinear_by_hand():
    model = nn.Bilinear(4, 5, 6, bias=False)
    assert counts(model, torch.zeros(3, 4), torch.zeros(3, 5))[1] == 3 * 6 * (4 * 5 + 5)


def test_a_quantised_layer_is_counted():
    model = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(8, 3)), {nn.Linear})
    assert counts(model, X)[1] == 96


def test_a_scripted_model_is_counted_as_a_whole():
    model = torch.jit.script(nn.Sequential(nn.Linear(8, 3), nn.ReLU()))
    result, log, _ = said(lambda: counts(model, X))
    assert result == (FLOPS, MACS, PARAMS), result
    assert "TorchScript" in log, log


def test_a_compiled_model_is_counted():
    model = torch.compile(Net(), backend="eager")
    model(X)
    assert counts(model, X) == (FLOPS, MACS, PARAMS)
    model(X)


def test_a_lazy_model_has_parameters_after_its_first_call():
    model = nn.Sequential(nn.LazyLinear(3), nn.ReLU())
    assert counts(model, X, warm_up=0) == (FLOPS, MACS, PARAMS)


def test_meta_tensors_are_enough():
    assert counts(Net().to("meta"), X.to("meta")) == (FLOPS, MACS, PARAMS)


class Attends(nn.Module):
    BATCH, HEADS, ROWS, WIDTH = 2, 4, 16, 8

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, q):
        return F.scaled_dot_product_attention(q, q, q)


def test_attention_on_meta_tensors_is_that_of_no_fused_kernel():
    """PyTorch has none for them: it multiplies query and key by the root of the scale, and calls softmax."""
    b, h, s, d = Attends.BATCH, Attends.HEADS, Attends.ROWS, Attends.WIDTH
    q = torch.zeros(b, h, s, d)
    macs = 2 * b * h * s * s * d
    assert counts(Attends(), q)[:2] == (2 * macs, macs)
    meta = counts(Attends().to("meta"), q.to("meta"))
    assert meta[:2] == (2 * macs + 2 * b * h * s * d + b * h * s * s, macs)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert counts(Attends(), q) == meta


def test_deepspeed_counts_twice_on_meta_tensors():
    """There PyTorch's own kernels are Python that calls functions which DeepSpeed has replaced."""
    import deepspeed.profiling.flops_profiler as theirs

    model = nn.Sequential(nn.Linear(8, 3)).to("meta")
    both = counts(model, X.to("meta"), compat="quirks")
    assert both == theirs.get_model_profile(model, args=[X.to("meta")], print_profile=False,
                                            as_string=False)  # fmt: skip
    assert both[1] == 2 * MACS and counts(model, X.to("meta"))[1] == MACS, both


def test_a_model_without_parameters():
    result, _, out = said(lambda: get_model_profile(nn.ReLU(), (2, 3)))
    assert result == ("6 ", "0 MACs", "0") and "ReLU(0 = 0% Params" in out


def test_a_function_is_a_root():
    def twice(x):
        return x * 2

    result, _, out = said(lambda: get_model_profile(twice, args=[X], as_string=False))
    assert result == (32, 0, 0) and "twice(0 = 0% Params" in out, (result, out)


def test_a_method_is_a_root():
    model = Net()
    model.other = lambda x: model(x)
    assert get_model_profile(model, args=[X], print_profile=False, as_string=False,
                             func_name="other") == (FLOPS, MACS, PARAMS)  # fmt: skip


def test_unknown_operators_are_named():
    model = nn.Identity()
    model.forward = lambda x: torch.fft.fft(x)
    _, log, _ = said(lambda: counts(model, X))
    assert "aten::_fft" in log, log


def test_a_checkpointed_layer_counts_again_in_the_backward():
    from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

    model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False))
    model.forward = lambda x: model[1](checkpoint(model[0], x, use_reentrant=False))
    # A recomputation that may end early does so before its last product.
    for early, runs in ((False, 3), (True, 2)):
        profiler = FlopsProfiler(model)
        profiler.start_profile()
        with set_checkpoint_early_stop(early):
            model(torch.zeros(4, 8, requires_grad=True)).sum().backward()
        assert profiler.func_patched and profiler._session.following
        profiler.stop_profile()
        assert profiler.get_total_macs() == runs * 4 * 64, profiler.get_total_macs()
        profiler.end_profile()


def test_ignored_types_leave_their_work_to_their_parents():
    profiler = FlopsProfiler(Net())
    profiler.start_profile(ignore_list=[nn.Linear])
    profiler.model(X)
    profiler.stop_profile()
    assert profiler.get_total_macs() == 96
    assert ours.get_module_macs(profiler.model.layer) == 0
    profiler.end_profile()


def test_shared_modules_count_once_for_each_call():
    layer = nn.Linear(8, 8, bias=False)
    model = nn.Sequential(layer, nn.Sequential(layer), layer)
    assert counts(model, X) == (3 * 2 * 256, 3 * 256, 64)


def test_parameters_of_zero_3_are_whole():
    model = nn.Linear(8, 3)
    for parameter in model.parameters():
        parameter.ds_numel = parameter.numel()
        parameter.data = torch.empty(0)
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    assert profiler.get_total_params() == 27
    profiler.end_profile()
    profiler = FlopsProfiler(model, compat="quirks")
    profiler.start_profile()
    assert profiler.get_total_params() == 0
    profiler.end_profile()


def test_parameters_of_experts():
    model = nn.Sequential(nn.Linear(8, 9, bias=False), nn.Linear(9, 88, bias=False))
    model[0].weight.group_name = "ep_size_4"
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    assert profiler.get_total_params() == 72 + 792
    stats = profiler.figures().total
    assert (stats.shared_params, stats.model_expert_params) == (792, 4 * 72)
    profiler.end_profile()
