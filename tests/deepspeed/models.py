# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Models to compare profilers on: name -> (model, what runs it). Random weights, small inputs.

Public ones (torchvision, transformers, torch_geometric), the seeds' own programs
(tests/programs/acceptance), and small ones for a rule each.
"""

import argparse
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "programs", "acceptance"))

TINY = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "vocab_size": 64,
        "intermediate_size": 48}  # fmt: skip
IDS = torch.arange(24).reshape(2, 12)


def _vision(name, size=64, **options):
    def make():
        import torchvision

        model = getattr(torchvision.models, name)(**options)
        image = torch.randn(1, 3, size, size)
        return model, lambda: model(image)

    return make


def _text(kind, config, ids=IDS, method="__call__", also=None, **options):
    def make():
        import transformers

        model = getattr(transformers, kind)(getattr(transformers, config)(**options))
        kwargs = {also: ids} if also else {}
        more = {"max_new_tokens": 3} if method == "generate" else {}
        return model, lambda: getattr(model, method)(ids, **kwargs, **more)

    return make


def _program(name, *options):
    """One of tests/programs/acceptance, as it builds itself."""

    def make():
        module = __import__(name)
        parser = argparse.ArgumentParser()
        parser.add_argument("--batch", type=int, default=2)
        module.arguments(parser) if hasattr(module, "arguments") else None
        args = parser.parse_args(options)
        args.device, args.dtype, args.torch_dtype = torch.device("cpu"), "fp32", torch.float32
        args.mode = "fwd"
        workload = module.build(args)
        return workload.model, lambda: workload.model(*workload.inputs)

    return make


class Calls(nn.Module):
    """A function as a module with one parameter."""

    def __init__(self, function, *inputs):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.ones(1))
        self.inputs = inputs

    def forward(self):
        return self.function(*self.inputs)


def _function(function, *inputs):
    def make():
        model = Calls(function, *inputs)
        return model, model

    return make


def _layer(make_layer, *inputs):
    def make():
        model = nn.Sequential(make_layer())
        return model, lambda: model[0](*inputs) and None if len(inputs) > 1 else model(*inputs)

    return make


class _Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(10, 20, 2, bidirectional=True)
        self.gru = nn.GRU(40, 8)
        self.cell = nn.GRUCell(8, 3)

    def forward(self, x):
        x = self.gru(self.lstm(x)[0])[0]
        return self.cell(x[0])


class _Shared(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.Linear(8, 8)
        self.a = nn.Sequential(layer, nn.ReLU())
        self.b = nn.ModuleList([layer, nn.ModuleList([nn.Linear(8, 8)])])

    def forward(self, x):
        return self.b[1][0](self.b[0](self.a(x)))


def _simple(kind, *inputs):
    def make():
        model = kind()
        return model, lambda: model(*inputs)

    return make


def _graph():
    from torch_geometric.nn import GAT, GCN

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.gcn = GCN(7, 16, 2)
            self.gat = GAT(16, 8, 2, heads=2)

        def forward(self, x, edges):
            return self.gat(self.gcn(x, edges), edges)

    model, x = Net(), torch.randn(20, 7)
    edges = torch.stack([torch.arange(20), (torch.arange(20) + 1) % 20])
    return model, lambda: model(x, edges)


_X = torch.randn(2, 3, 8, 8)
_A = torch.randn(4, 8)

MODELS = {
    "alexnet": _vision("alexnet"),
    "resnet18": _vision("resnet18", num_classes=10),
    "resnext50": _vision("resnext50_32x4d"),
    "vgg11_bn": _vision("vgg11_bn", 32, num_classes=10),
    "mobilenet_v2": _vision("mobilenet_v2"),
    "mobilenet_v3_small": _vision("mobilenet_v3_small"),
    "squeezenet": _vision("squeezenet1_1"),
    "shufflenet": _vision("shufflenet_v2_x1_0"),
    "densenet121": _vision("densenet121"),
    "efficientnet_b0": _vision("efficientnet_b0"),
    "convnext_tiny": _vision("convnext_tiny"),
    "swin_t": _vision("swin_t"),
    "vit": _vision("VisionTransformer", 32, image_size=32, patch_size=16, num_layers=2,
                   num_heads=2, hidden_dim=32, mlp_dim=64),
    "bert": _text("BertModel", "BertConfig", **TINY),
    "bert_eager": _text("BertForPreTraining", "BertConfig", attn_implementation="eager", **TINY),
    "distilbert": _text("DistilBertModel", "DistilBertConfig", n_layers=2, dim=32, n_heads=4,
                        hidden_dim=48, vocab_size=64),
    "gpt2": _text("GPT2LMHeadModel", "GPT2Config", n_layer=2, n_embd=32, n_head=4, vocab_size=64),
    "llama": _text("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=2, **TINY),
    "t5": _text("T5ForConditionalGeneration", "T5Config", num_layers=2, d_model=32, d_kv=8,
                num_heads=4, d_ff=48, vocab_size=64, also="decoder_input_ids"),
    "t5_generate": _text("T5ForConditionalGeneration", "T5Config", num_layers=2, d_model=32, d_kv=8,
                         num_heads=4, d_ff=48, vocab_size=64, decoder_start_token_id=0,
                         method="generate"),
    "graph": _graph,
    "seed_000_cifar_net": _program("cifar_net", "--batch", "8"),
    "seed_001_graph_transformer": _program("graph_transformer", "--batch", "4", "--nodes", "40",
                                           "--hidden", "16", "--heads", "2", "--layers", "3"),
    "seed_002_lenet5": _program("lenet5", "--batch", "16"),
    "recurrent": _simple(_Recurrent, torch.randn(5, 3, 10)),
    "recurrent_projection": _simple(lambda: nn.Sequential(nn.LSTM(10, 20, proj_size=5)),
                                    torch.randn(5, 3, 10)),
    "recurrent_unbatched": _simple(lambda: nn.Sequential(nn.LSTM(10, 20)), torch.randn(5, 10)),
    "shared": _simple(_Shared, _A),
    "attention_layer": _simple(lambda: nn.TransformerEncoderLayer(16, 4, 32, batch_first=True),
                               torch.randn(2, 5, 16)),
    "same_padding": _simple(lambda: nn.Conv2d(3, 6, 2, padding="same"), _X),
    "transposed": _simple(lambda: nn.ConvTranspose2d(3, 6, 4, stride=2, padding=1, groups=3), _X),
    "norms": _simple(lambda: nn.Sequential(nn.InstanceNorm2d(3, affine=True, track_running_stats=True),
                                           nn.GroupNorm(3, 3), nn.BatchNorm2d(3, affine=False)), _X),
    "upsample": _simple(lambda: nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"),
                                              nn.Upsample(size=20)), _X),
    "interpolate_size": _function(lambda: F.interpolate(_X, size=(16, 16))),
    "einsum": _function(lambda: torch.einsum("ij,kj->ik", _A, _A)),
    "matrix_vector": _function(lambda: _A @ _A[0]),
    "vectors": _function(lambda: torch.matmul(_A[0], _A[0]) + torch.dot(_A[0], _A[1])),
    "broadcast": _function(lambda: _A.reshape(2, 1, 2, 8) @ torch.ones(3, 8, 5)),
    "add_alpha": _function(lambda: torch.add(_A, _A, alpha=5)),
    "addmm": _function(lambda: torch.addmm(_A[0, :4], _A, _A.t())),
    "quantized": _simple(lambda: torch.ao.quantization.quantize_dynamic(
        nn.Sequential(nn.Linear(8, 8), nn.ReLU()), {nn.Linear}), _A),
}  # fmt: skip
# Of public collections and of the seeds: the stand-alone package ends with an error for some of the others.
FOR_THE_MIRROR = list(MODELS)[: list(MODELS).index("recurrent")]
