# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operations that hold no products (but for those that README.md names), each in a module of its
own, whose path is its name: kernels that must not be unknown."""

import torch
import torchvision
from torch import nn
from torch.nn import functional as F


def indices(*values):
    return torch.tensor(values, device="cuda")


def zeros(*shape, dtype=torch.long):
    return torch.zeros(*shape, dtype=dtype, device="cuda")


def complex_of(x):
    return torch.complex(x, x)


def deform(x):
    offsets, weight = zeros(1, 18, 6, 6, dtype=torch.float), torch.ones(1, 1, 3, 3, device="cuda")
    return torchvision.ops.deform_conv2d(x[None, None], offsets, weight)


OPS = {
    "nonzero": lambda x: (x > 0).nonzero(),
    "mask_index": lambda x: x[x > 0],
    "mask_assign": lambda x: x.clone().masked_fill_(x > 0, 1.0),
    "cross": lambda x: torch.linalg.cross(x[:, :3], x[:, 3:6]),
    "cdist": lambda x: torch.cdist(x, x),
    "complex_abs": lambda x: complex_of(x).abs(),
    "complex_sgn": lambda x: complex_of(x).sgn(),
    "coo_to_csr": lambda x: torch.eye(4, device="cuda").to_sparse().to_sparse_csr().values(),
    "unique": lambda x: torch.unique(x),
    "bincount": lambda x: torch.bincount(x.long().flatten().abs()),
    "histc": lambda x: torch.histc(x, 4),
    "searchsorted": lambda x: torch.searchsorted(x, x),
    "topk": lambda x: x.topk(2)[0],
    "sort": lambda x: x.sort()[0],
    "cumsum": lambda x: x.cumsum(0),
    "logcumsumexp": lambda x: x.logcumsumexp(0),
    "renorm": lambda x: x.renorm(2, 0, 1.0),
    "median": lambda x: x.median(0)[0],
    "mode": lambda x: x.mode(0)[0],
    "kthvalue": lambda x: x.kthvalue(2)[0],
    "multinomial": lambda x: x.abs().multinomial(2),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x),
    "repeat_interleave": lambda x: x.repeat_interleave(indices(*[2] * 8), 0),
    "count_nonzero": lambda x: x.count_nonzero(),
    "special": lambda x: (
        torch.special.i0e(x) + torch.special.erfcx(x) + torch.digamma(x) + torch.lgamma(x)
    ),
    "bessel": lambda x: torch.special.bessel_j0(x),
    "cummax": lambda x: x.cummax(0)[0],
    "flip_roll": lambda x: x.flip(0).roll(1, 0),
    "grid_sample": lambda x: F.grid_sample(x[None, None], zeros(1, 2, 2, 2, dtype=torch.float)),
    "pdist": lambda x: torch.pdist(x),
    "ctc": lambda x: (
        F.ctc_loss(x[:, None].log_softmax(2), indices([1, 2]), torch.tensor([8]), torch.tensor([2]))
    ),
    "tril": lambda x: x.tril(),
    "gcd": lambda x: torch.gcd(x.long(), x.long()),
    "put": lambda x: x.put(indices(1), torch.ones(1, device="cuda")),
    "index_add": lambda x: x.index_add(0, indices(0), x[:1]),
    "scatter_reduce": lambda x: x.scatter_reduce(0, zeros(8, 8), x, "amax"),
    "bernoulli": lambda x: torch.bernoulli(x.sigmoid()),
    "poisson": lambda x: torch.poisson(x.abs()),
    "unfold": lambda x: F.unfold(x[None, None], 3),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x.view(1, 4, 4, 4), 2),
    "interp": lambda x: F.interpolate(x[None, None], scale_factor=2, mode="bicubic"),
    "glu": lambda x: F.glu(x),
    "rrelu": lambda x: F.rrelu(x, training=True),
    "multi_margin": lambda x: F.multi_margin_loss(x, zeros(8)),
    "multilabel": lambda x: F.multilabel_margin_loss(x, zeros(8, 8)),
    "max_unpool": lambda x: F.max_unpool2d(*F.max_pool2d(x[None, None], 2, return_indices=True), 2),
    "fractional": lambda x: F.fractional_max_pool2d(x[None, None], 2, output_size=3),
    "adaptive": lambda x: F.adaptive_max_pool2d(x[None, None], 3),
    "lp_pool": lambda x: F.lp_pool2d(x[None, None], 2, 2),
    "nanmedian": lambda x: x.nanmedian(),
    "cov_none": lambda x: x.trace(),
    "tensor_split": lambda x: torch.block_diag(x, x),
    "isin": lambda x: torch.isin(x, x[0]).float(),
    "bucketize": lambda x: torch.bucketize(x, x[0]),
    "segment": lambda x: torch.segment_reduce(x, "sum", lengths=indices(4, 4), unsafe=True),
    "rms_norm": lambda x: F.rms_norm(x, (8,)),
    "group_norm": lambda x: F.group_norm(x[None], 2),
    "local_rn": lambda x: F.local_response_norm(x[None], 2),
    "weight_norm": lambda x: torch._weight_norm(x, x[:, :1], 0),
    "embedding_renorm": lambda x: F.embedding(indices(1), x.detach().clone(), max_norm=1.0),
    "nms": lambda x: torchvision.ops.nms(x[:, :4].contiguous(), x[:, 0].contiguous(), 0.5),
    "roi_align": lambda x: torchvision.ops.roi_align(x[None, None], [x[:2, :4].contiguous()], 2),
    "deform": deform,
    "fft": lambda x: torch.fft.rfft(x).abs(),
    "linalg_norm": lambda x: torch.linalg.vector_norm(x),
    "logsumexp": lambda x: x.logsumexp(0),
    "polygamma": lambda x: torch.polygamma(1, x),
    "spec_zeta": lambda x: torch.special.zeta(x, x),
    "hypot": lambda x: torch.hypot(x, x),
    "complex_mul": lambda x: complex_of(x) * complex_of(x),
    "complex_exp": lambda x: complex_of(x).exp().real,
    "complex_sqrt": lambda x: complex_of(x).sqrt().real,
    "complex_prod": lambda x: complex_of(x).prod().real,
    "complex_sum": lambda x: complex_of(x).sum().real,
    "angle": lambda x: complex_of(x).angle(),
    "polar": lambda x: torch.polar(x, x).real,
    "prod": lambda x: x.prod(),
    "addcmul": lambda x: torch.addcmul(x, x, x),
    "outer": lambda x: torch.outer(x[0], x[0]),
    "trapz": lambda x: torch.trapezoid(x),
    "diff": lambda x: x.diff(),
    "einsum_ij": lambda x: torch.einsum("ij,ij->i", x, x),
    "cosine": lambda x: F.cosine_similarity(x, x),
    "stft": lambda x: torch.stft(x.flatten(), 16, return_complex=True).abs(),
}


class Op(nn.Module):
    def __init__(self, operation):
        super().__init__()
        self.operation = [operation]  # no child, should it be a module

    def forward(self, x):
        return self.operation[0](x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleDict({name + "_": Op(operation) for name, operation in OPS.items()})
        self.scale = nn.Parameter(torch.ones(8, 8))

    def forward(self, x):
        for name, module in self.ops.items():
            try:
                y = module(x * self.scale)
                if y.is_floating_point() and y.requires_grad:
                    y.sum().backward()
            except (RuntimeError, ValueError, IndexError) as error:
                print(name, str(error)[:80])  # as where kernels compute nothing


def main():
    Net().cuda()(torch.randn(8, 8).cuda())
    torch.cuda.synchronize()
    print("operations", len(OPS))


if __name__ == "__main__":
    main()
