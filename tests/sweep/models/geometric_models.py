# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch_geometric: every convolution that needs no compiled extension, and its models, on a graph
of 12 nodes and 40 edges with 8 features a node."""

from models import Made

NODES, EDGES, WIDTH = 12, 40, 8

# name: how the layer is made (g is torch_geometric.nn), and which inputs beside x, edge_index.
LAYERS = {
    "AGNNConv": ("g.AGNNConv()", ""),
    "ARMAConv": ("g.ARMAConv(8, 16, num_stacks=2, num_layers=2)", ""),
    "AntiSymmetricConv": ("g.AntiSymmetricConv(8)", ""),
    "CGConv": ("g.CGConv(8)", ""),
    "ChebConv": ("g.ChebConv(8, 16, K=3)", ""),
    "ClusterGCNConv": ("g.ClusterGCNConv(8, 16)", ""),
    "DirGNNConv": ("g.DirGNNConv(g.GCNConv(8, 16))", ""),
    "EGConv": ("g.EGConv(8, 16, num_heads=4)", ""),
    "EdgeConv": ("g.EdgeConv(mlp(16, 16))", ""),
    "FastRGCNConv": ("g.FastRGCNConv(8, 16, 3)", "edge_type"),
    "FeaStConv": ("g.FeaStConv(8, 16, heads=2)", ""),
    "FiLMConv": ("g.FiLMConv(8, 16)", ""),
    "GATConv": ("g.GATConv(8, 16, heads=2)", ""),
    "GATConv edges": ("g.GATConv(8, 16, heads=2, edge_dim=4)", "edge_attr"),
    "GATv2Conv": ("g.GATv2Conv(8, 16, heads=2)", ""),
    "GCNConv": ("g.GCNConv(8, 16)", ""),
    "GENConv": ("g.GENConv(8, 16)", ""),
    "GINConv": ("g.GINConv(mlp(8, 16))", ""),
    "GINEConv": ("g.GINEConv(mlp(8, 16), edge_dim=4)", "edge_attr"),
    "GMMConv": ("g.GMMConv(8, 16, dim=4, kernel_size=3)", "edge_attr"),
    "GPSConv": ("g.GPSConv(8, g.GCNConv(8, 8), heads=2)", ""),
    "GPSConv performer": ("g.GPSConv(8, g.GCNConv(8, 8), heads=2, attn_type='performer')", ""),
    "GatedGraphConv": ("g.GatedGraphConv(8, num_layers=2)", ""),
    "GeneralConv": ("g.GeneralConv(8, 16, in_edge_channels=4)", "edge_attr"),
    "GraphConv": ("g.GraphConv(8, 16)", ""),
    "HypergraphConv": ("g.HypergraphConv(8, 16)", ""),
    "LEConv": ("g.LEConv(8, 16)", ""),
    "LGConv": ("g.LGConv()", ""),
    "MFConv": ("g.MFConv(8, 16)", ""),
    "MixHopConv": ("g.MixHopConv(8, 16)", ""),
    "NNConv": ("g.NNConv(8, 16, mlp(4, 128))", "edge_attr"),
    "PDNConv": ("g.PDNConv(8, 16, edge_dim=4, hidden_channels=8)", "edge_attr"),
    "PNAConv": (
        "g.PNAConv(8, 16, ['mean', 'max'], ['identity', 'linear'], torch.tensor([0, 2, 4]))", "",
    ),
    "RGATConv": ("g.RGATConv(8, 16, num_relations=3)", "edge_type"),
    "RGCNConv": ("g.RGCNConv(8, 16, 3)", "edge_type"),
    "RGCNConv bases": ("g.RGCNConv(8, 16, 3, num_bases=2)", "edge_type"),
    "ResGatedGraphConv": ("g.ResGatedGraphConv(8, 16)", ""),
    "SAGEConv": ("g.SAGEConv(8, 16)", ""),
    "SAGEConv lazy": ("g.SAGEConv(-1, 16)", ""),
    "SAGEConv lstm": ("g.SAGEConv(8, 16, aggr='lstm')", "sorted"),
    "SGConv": ("g.SGConv(8, 16, K=2)", ""),
    "SSGConv": ("g.SSGConv(8, 16, alpha=0.1, K=2)", ""),
    "SimpleConv": ("g.SimpleConv()", ""),
    "SuperGATConv": ("g.SuperGATConv(8, 16, heads=2)", ""),
    "TAGConv": ("g.TAGConv(8, 16)", ""),
    "TransformerConv": ("g.TransformerConv(8, 16, heads=2)", ""),
    "TransformerConv edges": ("g.TransformerConv(8, 16, heads=2, edge_dim=4)", "edge_attr"),
    "WLConvContinuous": ("g.WLConvContinuous()", ""),
    "GCN": ("g.GCN(8, 16, num_layers=3, out_channels=4)", ""),
    "GCN jumping lstm": ("g.GCN(8, 16, num_layers=3, out_channels=4, jk='lstm')", ""),
    "GraphSAGE": ("g.GraphSAGE(8, 16, num_layers=3, out_channels=4, jk='cat')", ""),
    "GIN": ("g.GIN(8, 16, num_layers=3, out_channels=4)", ""),
    "GAT": ("g.GAT(8, 16, num_layers=3, out_channels=4, heads=2)", ""),
    "GAT second": ("g.GAT(8, 16, num_layers=3, out_channels=4, v2=True)", ""),
    "EdgeCNN": ("g.EdgeCNN(8, 16, num_layers=3, out_channels=4)", ""),
    "GraphUNet": ("g.GraphUNet(8, 16, 4, depth=2)", ""),
    "LINKX": ("g.LINKX(12, 8, 16, 4, num_layers=2)", ""),
    "AttentiveFP": ("g.AttentiveFP(8, 16, 4, 4, 2, 2)", "edge_attr batch"),
    "RECT_L": ("g.RECT_L(8, 16)", ""),
    "PMLP": ("g.PMLP(8, 16, 4, num_layers=2)", ""),
    "NeuralFingerprint": ("g.NeuralFingerprint(8, 16, 4, num_layers=2)", "batch"),
    "SGFormer": ("g.SGFormer(8, 16, 4)", "batch"),
    "Polynormer": ("g.Polynormer(8, 16, 4)", "batch"),
    "GCN2Conv": ("g.GCN2Conv(8, alpha=0.1)", "x0"),
    "FAConv": ("g.FAConv(8)", "x0"),
    "HEATConv": ("g.HEATConv(8, 16, 2, 3, 4, 4, 4, heads=2)", "node_type edge_type edge_attr"),
}

# What is called with something else than a graph's x and edge_index.
OTHERS = {
    "DenseGCNConv": ("g.DenseGCNConv(8, 16)", "dense"),
    "DenseGATConv": ("g.DenseGATConv(8, 16, heads=2)", "dense"),
    "DenseGINConv": ("g.DenseGINConv(mlp(8, 16))", "dense"),
    "DenseGraphConv": ("g.DenseGraphConv(8, 16)", "dense"),
    "DenseSAGEConv": ("g.DenseSAGEConv(8, 16)", "dense"),
    "PointNetConv": ("g.PointNetConv(mlp(11, 16))", "points"),
    "PointTransformerConv": ("g.PointTransformerConv(8, 16)", "points"),
    "PointGNNConv": ("g.PointGNNConv(mlp(8, 3), mlp(11, 16), mlp(16, 8))", "points"),
    "PPFConv": ("g.PPFConv(mlp(12, 16))", "normals"),
    "MLP": ("g.MLP([8, 16, 16, 4])", "features"),
    "Set2Set": ("g.Set2Set(8, 3)", "aggregate"),
    "SetTransformerAggregation": ("g.SetTransformerAggregation(8, heads=2)", "aggregate"),
    "GRUAggregation": ("g.GRUAggregation(8, 16)", "aggregate"),
    "LSTMAggregation": ("g.LSTMAggregation(8, 16)", "aggregate"),
    "DeepSetsAggregation": ("g.DeepSetsAggregation(mlp(8, 16), mlp(16, 4))", "aggregate"),
    "AttentionalAggregation": ("g.AttentionalAggregation(mlp(8, 1))", "aggregate"),
    "GraphMultisetTransformer": ("g.GraphMultisetTransformer(8, k=4, heads=2)", "aggregate"),
    "SortAggregation": ("g.SortAggregation(3)", "aggregate"),
    "HANConv": ("g.HANConv(8, 16, META, heads=2)", "hetero"),
    "HGTConv": ("g.HGTConv(8, 16, META, heads=2)", "hetero"),
    "HeteroConv": (
        "g.HeteroConv({t: g.SAGEConv((8, 8), 16) for t in META[1]}, aggr='sum')", "hetero",
    ),
    "HeteroLinear": ("g.HeteroLinear(8, 16, 3, is_sorted=True)", "types"),
    "DNAConv": ("g.DNAConv(8, heads=2)", "layers"),
}  # fmt: skip

META = (["paper", "author"], [("paper", "cites", "paper"), ("author", "writes", "paper")])


def mlp(inputs, outputs):
    from torch import nn

    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


def build(text):
    import torch
    import torch_geometric.nn as g

    # It looks whether values are in order; no kernel computes any here.
    g.Aggregation.assert_sorted_index = lambda self, index: None
    return eval(text, {"g": g, "torch": torch, "mlp": mlp, "META": META})


def numbers() -> dict:
    """The graph: real indices, so that what depends on them is the same everywhere."""
    import torch

    edge = torch.arange(EDGES)
    sources, targets = (edge * 5 + 1) % NODES, (edge * 7 + edge // NODES) % NODES
    order = targets.argsort(stable=True)
    return {
        "x": torch.rand(NODES, WIDTH, requires_grad=True),
        "edge_index": torch.stack([sources, targets]),
        "sorted_index": torch.stack([sources[order], targets[order]]),
        "edge_type": edge % 3,
        "edge_attr": torch.rand(EDGES, 4),
        "node_type": torch.arange(NODES) % 2,
        "batch": torch.arange(NODES) // (NODES // 2),
    }


def layer(name):
    import torch

    text, wants = LAYERS[name]
    graph = numbers()
    edges = graph["sorted_index" if wants == "sorted" else "edge_index"]
    args, kwargs = [graph["x"], edges], {}
    for want in wants.split():
        if want == "x0":
            args.insert(1, torch.rand(NODES, WIDTH))
        elif want == "sorted":
            pass
        elif name == "AttentiveFP":
            args.append(graph[want])
        elif want == "batch" and name in ("NeuralFingerprint", "SGFormer", "Polynormer"):
            args.append(graph[want])
        else:
            kwargs[want] = graph[want]
    return Made(build(text), tuple(args), kwargs)


def other(name):
    import torch

    text, wants = OTHERS[name]
    graph, x = numbers(), torch.rand(NODES, WIDTH, requires_grad=True)
    edges = graph["edge_index"]
    if wants == "dense":
        args = torch.rand(2, NODES, WIDTH), torch.ones(2, NODES, NODES)
    elif wants == "points":
        args = x, torch.rand(NODES, 3), edges
    elif wants == "normals":
        args = x, torch.rand(NODES, 3), torch.rand(NODES, 3), edges
    elif wants == "features":
        args = (x,)
    elif wants == "aggregate":
        args = x, graph["batch"]
    elif wants == "hetero":
        nodes = {kind: torch.rand(NODES, WIDTH, requires_grad=True) for kind in META[0]}
        args = nodes, dict.fromkeys(META[1], edges)
    elif wants == "types":
        args = x, torch.arange(NODES) // 4
    elif wants == "layers":
        args = torch.rand(NODES, 3, WIDTH, requires_grad=True), edges
    return Made(build(text), args)


def models():
    for name in LAYERS:
        yield name, lambda name=name: layer(name)
    for name in OTHERS:
        yield name, lambda name=name: other(name)
