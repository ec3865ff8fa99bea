# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Counts the products of every module of a model, without the profiler: forward, backward and
recompute, by closed formulas on the shapes of the operations that PyTorch dispatches.

    with ModuleCounter(model) as counter:
        model(x).sum().backward()
    counter.own[path][kind]     # [forward, backward, recompute] flops of the module alone

Runs on meta tensors and on the CPU. How it knows, and what it cannot tell:

- Forward: a stack of the modules whose `__call__` runs. Recompute: the same, when the call began
  inside a backward node.
- Backward: a node of the graph belongs to the innermost module between whose inputs and outputs
  it lies. At each entry the graph is walked from the inputs, at each exit from the outputs; what
  has no owner yet gets the module that is running. A result that leaves a module by another
  way than its return value (an attribute) is given to the module that uses it.
- Recurrent layers are decomposed here, but one cuDNN call on a GPU: counted by the nominal formula,
  all steps and all gates, twice in backward.
- Attention is dense, two products forward and four backward. The QK^T that a flash-type
  backward runs again is not counted here.
- `out.numel() * K` per product, 2 flops a multiply-add, 8 for complex numbers. Nothing else is
  counted: no bias, elementwise, norm, pooling, softmax, optimizer.

The kind of work says which kernels may do it without a library call: `attention` (one fused
operation), `depthwise` convolution, `grouped mm`; all else is `products`.
"""

import contextlib
import math
from collections import defaultdict

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

OUTSIDE = "(outside)"
FORWARD, BACKWARD, RECOMPUTE = range(3)
WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def multiply_adds(macs: int, tensor: torch.Tensor) -> int:
    return macs * (8 if tensor.is_complex() else 2)


def convolution_kind(x, weight, transposed: bool) -> str:
    one_input_channel = weight.shape[1] == 1 and not transposed
    return "depthwise" if one_input_channel and x.shape[1] > 1 else "products"


def convolution(x, weight, transposed, out) -> int:
    """Weight is (out, in / groups, ...), transposed (in, out / groups, ...)."""
    side = x if transposed else out
    return multiply_adds(side.numel() * math.prod(weight.shape[1:]), x)


def attention(query, key, value) -> int:
    """QK^T and PV over all pairs; (batch, heads, length, size)."""
    pairs = math.prod(query.shape[:-1]) * key.shape[-2]
    return 2 * pairs * (query.shape[-1] + value.shape[-1])


def recurrent(layer: nn.RNNBase, x) -> int:
    """Every gate's two products (and the projection) of every step, layer and direction."""
    data = x.data if isinstance(x, nn.utils.rnn.PackedSequence) else x
    tokens = data.numel() // data.shape[-1]
    gates = {"LSTM": 4, "GRU": 3}.get(layer.mode, 1)
    ways = 2 if layer.bidirectional else 1
    state = layer.proj_size or layer.hidden_size
    macs = 0
    for number in range(layer.num_layers):
        width = state * ways if number else layer.input_size
        macs += gates * layer.hidden_size * (width + state) + layer.hidden_size * layer.proj_size
    return 2 * macs * ways * tokens


def count(name: str, args, kwargs, out):
    """(kind, flops) of one dispatched operation; None when it holds no products."""
    if name in ("mm", "bmm", "mv", "dot", "vdot", "_int_mm", "_scaled_mm"):
        first = out[0] if isinstance(out, (tuple, list)) else out
        return "products", multiply_adds(first.numel() * args[0].shape[-1], args[0])
    if name in ("addmm", "baddbmm", "addmv"):
        return "products", multiply_adds(out.numel() * args[1].shape[-1], args[1])
    if name == "_addmm_activation":
        return "products", multiply_adds(out.numel() * args[1].shape[-1], args[1])
    if name == "addbmm":
        a, b = args[1:3]
        return "products", multiply_adds(math.prod(a.shape) * b.shape[-1], a)
    if name == "_grouped_mm":
        return "grouped mm", grouped(*args[:2], out)
    if name in ("convolution", "_convolution", "cudnn_convolution", "mkldnn_convolution"):
        x, weight = args[:2]
        transposed = name in ("convolution", "_convolution") and args[6]
        return convolution_kind(x, weight, transposed), convolution(x, weight, transposed, out)
    if name == "convolution_backward":
        grad, x, weight = args[:3]
        transposed, wanted = args[7], args[10]
        one = convolution(x, weight, transposed, grad)
        return convolution_kind(x, weight, transposed), one * (bool(wanted[0]) + bool(wanted[1]))
    if "_scaled_dot_product_" in name or name in ("_flash_attention_forward",):
        if name.endswith("_backward"):
            return "attention", 2 * attention(*args[1:4])
        return "attention", attention(*args[:3])
    return None


def grouped(a, b, out) -> int:
    """All rows once: (M, K) x (G, K, N); the weight gradient is (K, M) x (M, N), in groups."""
    if a.dim() == 2 and b.dim() == 2:
        return 2 * a.numel() * b.shape[-1]
    return 2 * out.numel() * a.shape[-1]


def tensors(value, found=None, depth=0) -> list:
    """All tensors in what a module was given or returned."""
    found = [] if found is None else found
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif depth > 6:
        pass
    elif isinstance(value, dict):
        for part in list(value.values()):
            tensors(part, found, depth + 1)
    elif isinstance(value, (list, tuple, set)):
        for part in value:
            tensors(part, found, depth + 1)
    elif isinstance(value, nn.Module) or not hasattr(value, "__dict__"):
        pass
    else:
        tensors(vars(value), found, depth + 1)
    return found


def path_of(name: str) -> str:
    """The name without wrappers' own parts."""
    return ".".join(part for part in name.split(".") if part not in WRAPPERS)


class ModuleCounter(TorchDispatchMode):
    """Use as a context manager around whole steps; one model, one thread."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.names = {}
        for name, module in model.named_modules():
            self.names.setdefault(module, path_of(name))
        # (path, node of backward inside which the call began, kind of all work inside or None)
        self.stack = []
        # Node -> (path, kind); keeps the nodes, so that their ids stay theirs.
        self.owners = {}
        self.own = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
        self.leaf = 0  # inside a layer that is counted by a formula of its own
        self.layers = []  # recurrent layers whose backward is still to come

    def __enter__(self):
        self.call = nn.Module.__call__
        counter = self

        def called(module, *args, **kwargs):
            with counter.inside(module, args, kwargs) as leave:
                return leave(counter.call(module, *args, **kwargs))

        def attended(*args, **kwargs):
            # One kernel on a GPU, products of batches on the meta device.
            counter.claim((args, kwargs))
            node = torch._C._current_autograd_node()
            counter.stack.append((counter.path, node, "attention"))
            try:
                out = counter.attend(*args, **kwargs)
                counter.claim(out)
                return out
            finally:
                counter.stack.pop()

        nn.Module.__call__ = called
        self.attend = nn.functional.scaled_dot_product_attention
        nn.functional.scaled_dot_product_attention = attended
        self.fast_path = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)  # one operation that nothing is known of
        return super().__enter__()

    def __exit__(self, *error):
        nn.Module.__call__ = self.call
        nn.functional.scaled_dot_product_attention = self.attend
        torch.backends.mha.set_fastpath_enabled(self.fast_path)
        return super().__exit__(*error)

    @property
    def path(self) -> str:
        return next((path for path, _, _ in reversed(self.stack) if path is not None), OUTSIDE)

    @contextlib.contextmanager
    def inside(self, module, args, kwargs):
        node = torch._C._current_autograd_node()
        self.claim((args, kwargs))
        path = self.names.get(module)
        if path is None:  # not of the model: work of the one that called it
            path = self.path if self.stack else None
        recurrent_layer = isinstance(module, nn.RNNBase)
        self.stack.append((path, node, None))
        self.leaf += recurrent_layer
        try:
            yield lambda out: self.claim(out) or out
        finally:
            self.leaf -= recurrent_layer
            if recurrent_layer:
                self.add_recurrent(module, args[0])
            self.stack.pop()

    def add_recurrent(self, layer, x) -> None:
        flops = recurrent(layer, x)
        phase = RECOMPUTE if self.stack[-1][1] is not None else FORWARD
        self.own[self.path]["products"][phase] += flops
        if torch.is_grad_enabled() and any(p.requires_grad for p in layer.parameters()):
            self.layers.append((self.path, 2 * flops))

    def claim(self, value) -> None:
        """Gives the nodes behind these tensors that nobody owns to the running module."""
        if torch._C._current_autograd_node() is not None and not torch.is_grad_enabled():
            return
        kind = self.stack[-1][2] if self.stack else None
        todo = [t.grad_fn for t in tensors(value) if t.grad_fn is not None]
        while todo:
            node = todo.pop()
            if node in self.owners:
                continue
            self.owners[node] = (self.path, kind)
            todo += [parent for parent, _ in node.next_functions if parent is not None]

    def place(self) -> tuple:
        """(path, phase, kind or None) of an operation that runs now."""
        node = torch._C._current_autograd_node()
        kind = self.stack[-1][2] if self.stack else None
        if node is None:
            return self.path, FORWARD, kind
        if self.stack and self.stack[-1][1] is not None:
            return self.path, RECOMPUTE, kind
        path, kind = self.owners.get(node, (OUTSIDE, None))
        return path, BACKWARD, kind

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = function(*args, **kwargs)
        counted = count(function._schema.name.split("::")[1], args, kwargs, out)
        if counted is None or self.leaf:
            return out
        kind, flops = counted
        path, phase, inside = self.place()
        if phase == BACKWARD and any(path == layer for layer, _ in self.layers):
            return out  # decomposed steps of a recurrent layer: see finish()
        self.own[path][inside or kind][phase] += flops
        return out

    def finish(self) -> dict:
        """{path: {kind: [forward, backward, recompute]}} of the modules alone, without zeros."""
        for path, flops in self.layers:
            self.own[path]["products"][BACKWARD] += flops
        self.layers = []
        return {
            path: {kind: list(row) for kind, row in kinds.items() if any(row)}
            for path, kinds in self.own.items()
            if any(any(row) for row in kinds.values())
        }


def inclusive(own: dict) -> dict:
    """{path: [forward, backward, recompute]} of every module with what is below it."""
    total = defaultdict(lambda: [0, 0, 0])
    for path, kinds in own.items():
        parts = path.split(".") if path and path != OUTSIDE else []
        above = {".".join(parts[:n]) for n in range(len(parts) + 1)}
        for row in kinds.values():
            for name in {path} if path == OUTSIDE else above:
                total[name] = [a + b for a, b in zip(total[name], row, strict=True)]
    return dict(total)
