# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Graph network of TransformerConv layers, 32 heads averaged (seed 001).

The seed's numbers fix the shapes: a batch of 512 graphs with 7170 nodes of 9
features; 11 convolutions are registered (64 071 937 parameters) but only 10 run,
and of 10 layer norms only 9.  The number of edges costs no matrix product, so any
graph does: here every graph is a ring.  `--batch` is the number of graphs.
"""

import torch
from torch import nn
from torch_geometric.nn import TransformerConv, global_mean_pool

import harness

BATCH = 512


class GraphTransformer(nn.Module):
    def __init__(self, features: int, hidden: int, heads: int, layers: int) -> None:
        super().__init__()
        self.layers = layers
        self.convs = nn.ModuleList(
            TransformerConv(features if i == 0 else hidden, hidden, heads, concat=False)
            for i in range(layers + 1)
        )
        self.lns = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.conv_dropout = nn.Dropout(p=0.0)
        self.ReLU = nn.ReLU()
        self.post_mp = nn.Sequential(nn.Linear(hidden, 1))

    def forward(self, x, edges, graph_of_node, graphs: int) -> torch.Tensor:
        for i in range(self.layers):
            x = self.conv_dropout(self.ReLU(self.convs[i](x, edges)))
            if i < self.layers - 1:
                x = self.lns[i](x)
        return self.post_mp(global_mean_pool(x, graph_of_node, size=graphs))


def arguments(parser) -> None:
    parser.add_argument("--nodes", type=int, default=7170)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--layers", type=int, default=10, help="layers that run")


def rings(nodes: int, graphs: int):
    """Nodes dealt to graphs as evenly as possible; each graph is a ring."""
    node = torch.arange(nodes)
    graph_of_node = node * graphs // nodes
    first = torch.ceil(graph_of_node * nodes / graphs).long()
    after = torch.ceil((graph_of_node + 1) * nodes / graphs).long()
    following = first + (node - first + 1) % (after - first)
    edges = torch.stack([torch.cat([node, following]), torch.cat([following, node])])
    return edges, graph_of_node


def build(args) -> harness.Workload:
    with torch.device("cpu"):
        edges, graph_of_node = rings(args.nodes, args.batch)
    edges, graph_of_node = edges.to(args.device), graph_of_node.to(args.device)
    x = torch.randn(args.nodes, 9, dtype=args.torch_dtype)
    model = GraphTransformer(9, args.hidden, args.heads, args.layers)
    return harness.Workload(
        model.to(args.torch_dtype), (x, edges, graph_of_node, args.batch)
    )


if __name__ == "__main__":
    harness.main(__file__, __doc__)
