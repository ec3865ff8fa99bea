# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What programs do with operators beside calling them: modes, compilers, own operators, inference mode.

api_checks.py runs these with its own.
"""

import torch
import torch.nn.functional as F
from count_checks import MACS, FlopsProfiler, Net, X, counts, said
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


def root(function) -> nn.Module:
    """A module without parts whose forward is the function."""
    model = nn.Identity()
    model.forward = function
    return model


# ---------------------------------------------------------------------------- modes of the program


def two_layers() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False))


def test_a_layer_counts_once_under_selective_checkpointing():
    from torch.utils import checkpoint as library

    policy = [torch.ops.aten.mm.default]
    model, x = two_layers(), torch.zeros(4, 8, requires_grad=True)

    def forward(x):
        contexts = library.create_selective_checkpoint_contexts
        return library.checkpoint(lambda x: model[1](model[0](x)), x, use_reentrant=False,
                                  context_fn=lambda: contexts(policy))  # fmt: skip

    model.forward = forward
    assert counts(model, x)[1] == 2 * 4 * 64


def test_a_layer_counts_once_under_another_mode():
    from torch.utils.flop_counter import FlopCounterMode

    class Passes(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    for mode in (lambda: FlopCounterMode(display=False), Passes):
        model = two_layers()

        def forward(x, mode=mode, model=model):
            with mode():
                return model[1](model[0](x))

        model.forward = forward
        assert counts(model, X)[1] == 2 * 4 * 64


def test_two_profiles_of_one_model_count_the_same():
    model = two_layers()
    first, second = FlopsProfiler(model), FlopsProfiler(model)
    first.start_profile()
    second.start_profile()
    model(X)
    assert (first.get_total_macs(), second.get_total_macs()) == (512, 512)
    first.end_profile()
    second.end_profile()


# ---------------------------------------------------------------------------- compilers


def test_flex_attention_runs_and_counts():
    from torch.nn.attention.flex_attention import flex_attention

    q = torch.zeros(1, 2, 16, 8)
    model = root(lambda x: flex_attention(x, x, x))
    assert counts(model, q)[1] == 2 * 2 * 16 * 16 * 8


def test_a_compiled_child_runs_compiled():
    compiled = []

    def backend(graph, inputs):
        compiled.append(graph)
        return graph.forward

    layer = Net()
    child = torch.compile(lambda x: F.relu(F.linear(x, layer.layer.weight)), fullgraph=True, backend=backend)
    model = root(lambda x: child(x))
    assert counts(model, X, warm_up=0)[1] == MACS
    assert len(compiled) == 1, compiled
    model(X)
    assert len(compiled) == 1, "compiled again after the profile"


def test_products_of_inductors_code_count_and_what_it_fuses_is_told():
    model = torch.compile(Net())
    result, log, _ = said(lambda: counts(model, X))
    assert result[1] == MACS and "fuses" in log, (result, log)


# ---------------------------------------------------------------------------- kinds of operators


def test_an_operator_that_writes_an_argument_is_unknown_and_not_without_work():
    @torch.library.custom_op("flopsprof_checks::write", mutates_args=["out"])
    def write(x: torch.Tensor, out: torch.Tensor) -> None:
        out.copy_(x)

    _, log, _ = said(lambda: counts(root(lambda x: write(x, torch.empty_like(x))), X))
    assert "flopsprof_checks::write (1 calls, no formula)" in log, log


def test_operators_of_lists_count_all_tensors():
    def in_place(x):
        torch._foreach_exp_([x.clone(), x.clone()])
        return x

    assert counts(root(lambda x: torch._foreach_mul([x, x], 2.0)[0]), X) == (64, 0, 0)
    assert counts(root(in_place), X) == (64, 0, 0)


def test_attention_in_inference_mode_counts_as_without_gradients():
    x = torch.zeros(2, 5, 16)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.query = nn.Linear(16, 16)
            self.out = nn.Linear(16, 16)

        def forward(self, x):
            heads = self.query(x).view(2, 5, 4, 4).transpose(1, 2)
            mixed = F.scaled_dot_product_attention(heads, heads, heads, attn_mask=torch.zeros(5, 5))
            return self.out(torch.matmul(mixed.transpose(1, 2).reshape(2, 5, 16), torch.zeros(16, 16)))

    found = []
    for context in (torch.no_grad, torch.inference_mode):
        with context():
            result, log, _ = said(lambda: counts(Model().eval(), x))
        assert "unknown" not in log, log
        found.append(result)
    assert found[0] == found[1], found
    assert found[0][1] == 3 * 10 * 16 * 16 + 2 * 2 * 25 * 16, found
    # What PyTorch made of one layer of its own: in-projection, out-projection, two products.
    attention = nn.MultiheadAttention(16, 4, batch_first=True)
    with torch.inference_mode():
        profiler = FlopsProfiler(attention)
        profiler.start_profile()
        attention(x, x, x, need_weights=False)
        assert not profiler.uncounted_operators(), profiler.uncounted_operators()
        assert profiler.get_total_macs() == 4 * 10 * 16 * 16 + 2 * 2 * 25 * 16
        profiler.end_profile()


def test_mean_losses_count_every_element_that_goes_in():
    for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
        for reduction in ("mean", "sum", "none"):
            model = root(lambda x, loss=loss, reduction=reduction: loss(x, x, reduction=reduction))
            assert counts(model, X) == (32, 0, 0), (loss, reduction, counts(model, X))


def test_integer_products_are_no_floating_point_work():
    x = torch.ones(4, 4, dtype=torch.long)
    for function in (lambda x: x @ x, lambda x: torch.addmm(x, x, x), lambda x: x[0] @ x[0],
                     lambda x: torch.bmm(x[None], x[None]), lambda x: torch.mv(x, x[0])):  # fmt: skip
        result, log, _ = said(lambda function=function: counts(root(function), x))
        assert result == (0, 0, 0) and not log, (result, log)


def test_moves_of_data_are_no_work_and_known():
    def split(x):
        torch._efficientzerotensor((2,))
        torch._nested_tensor_from_tensor_list([x, x])
        return torch.unsafe_split(x, 2)[0]

    result, log, _ = said(lambda: counts(root(split), X))
    assert result == (0, 0, 0) and not log, (result, log)
