# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Why a number of DeepSpeed 0.19.8 is not ours: the rows of docs/deepspeed.md.

`bug` is the number in that page's list; a row whose bug is "" is a convention that differs.
"""

import re


class Reason:
    __slots__ = ("key", "bug", "theirs", "ours", "_kinds", "_names")

    def __init__(self, key, bug, theirs, ours, kinds, names):
        self.key, self.bug, self.theirs, self.ours = key, bug, theirs, ours
        self._kinds, self._names = kinds.split(), re.compile(f"(?:{names})$")

    def fits(self, kind, name) -> bool:
        return kind in self._kinds and self._names.match(name) is not None


_ACTIVATIONS = ("ReLU6|Sigmoid|Tanh|Hardswish|Hardsigmoid|Hardtanh|Mish|Softplus|SELU|CELU|RMSNorm"
                "|LogSoftmax|Dropout\\dd")  # fmt: skip

# The first that fits is the reason.
REASONS = (
    Reason("linear-bias", "11", "F.linear never counts its bias",
           "one addition for each output element", "layer function", "Linear|linear"),
    Reason("same-padding", "20", "padding='same' with an even kernel loses a row and a column",
           "the size that came out", "layer function", "Conv\\dd|conv\\dd"),
    Reason("transposed", "17", "the output size of a transposed convolution's bias",
           "the size that came out", "layer function", "ConvTranspose\\dd|conv_transpose\\dd"),
    Reason("recurrent", "22, 24", "products of RNNs are flops without MACs, 2k - 1 for k products;"
           " projections are ignored; the first two sizes are taken for batch and time",
           "2 flops and 1 MAC for each product, by the tokens", "layer", "(RNN|LSTM|GRU)(Cell)?"),
    Reason("einsum", "25", "einsum has NumPy's estimate, of four digits, and no MACs",
           "the products that run", "function", "einsum"),
    Reason("matmul", "12, 13", "vectors, and a left operand that is broadcast, in matmul",
           "elements of the result times the inner size", "function", "matmul"),
    Reason("addmm-bias", "14", "addmm adds as many elements as its first operand has",
           "as many as the result has", "function", "addmm"),
    Reason("add-alpha", "31", "add(alpha=...) is one operation; integers count",
           "two with alpha; floating-point numbers only", "function", "add|mul"),
    Reason("interpolate", "27-30", "interpolate(size=...) counts the size alone, upsample twice,"
           " bilinear as nearest", "elements of the result, 4 each if bilinear",
           "layer function", "Upsample|Upsampling.*|interpolate|upsample"),
    Reason("fast-path", "54", "the fused path of nn.TransformerEncoderLayer in eval"
           " without gradients is left for the hooks; that of nn.MultiheadAttention is not seen",
           "its products, biases, norms", "operator",
           "aten::_native_multi_head_attention|aten::_transformer_encoder_layer_fwd"),
    Reason("attention", "9", "scaled_dot_product_attention has its two products only",
           "where PyTorch takes it apart: softmax and scaling too", "function",
           "scaled_dot_product_attention"),
    Reason("instance-norm", "", "instance_norm with running statistics counts as without",
           "as batch_norm with them", "layer function", "InstanceNorm\\dd|instance_norm"),
    Reason("dropout", "", "dropout is free", "two operations for each element while training",
           "layer", "Dropout"),
    Reason("other-layers", "", "not replaced, so not counted (nn.ReLU6 calls hardtanh)",
           "as any activation", "layer", _ACTIVATIONS),
    Reason("other-products", "64, 77", "products of functions that are not replaced (mv, dot, outer,"
           " linalg, _scaled_mm, quantised layers, functions taken before the start)",
           "2 flops for each", "operator", ".*(mm|mv|dot|addr|linear|conv|attention|rnn)\\w*"),
    Reason("other-functions", "", "operators (+ - * /), methods, functions that are not replaced",
           "one for each element of the result, sums one for each that goes in", "operator", ".*"),
    Reason("other", "", "another count of elements", "that of the operators which ran",
           "layer function", ".*"),
)  # fmt: skip


def reason_of(kind, name) -> Reason:
    return next(reason for reason in REASONS if reason.fits(kind, name))


class Difference:
    """Our number less theirs, of one module itself, for one reason."""

    __slots__ = ("module", "reason", "what", "flops", "macs")

    def __init__(self, module, reason, what, flops, macs):
        self.module, self.reason, self.what = module, reason, what
        self.flops, self.macs = flops, macs

    def __repr__(self):
        bug = f"bug {self.reason.bug}: " if self.reason.bug else ""
        return f"{self.module or '(root)'}: {self.flops:+} flops, {self.macs:+} MACs, {bug}{self.what}"


def explained(model, session) -> list:
    names = {id(module): name for name, module in model.named_modules()}
    return [
        Difference(names.get(key, "?"), reason_of(kind, what), what, flops, macs)
        for (key, kind, what), (flops, macs) in session.quirks.differences.items()
    ]
