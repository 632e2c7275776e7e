"""The native tier's layers against PyTorch's: first values, outputs, gradients, buffers.

usage: layers.py <model_probe> <parity_layers.so>
"""

import sys

from probe import Probe, check_close, check_contains, check_equal, part

import torch
from torch import nn

# float32 sums of some hundred elements, perhaps in another order: 1e-6 is some ten roundings.
TOLERANCE = 1e-6


class Attention(nn.Module):
    """Attention in plain operators."""

    def __init__(self, width, heads, kv_heads, causal):
        super().__init__()
        self.heads, self.kv_heads, self.causal = heads, kv_heads, causal
        kv_width = width // heads * kv_heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, kv_width)
        self.v_proj = nn.Linear(width, kv_width)
        self.out_proj = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        depth = width // self.heads

        def split(y, heads):  # (B, heads, T, D), with shared heads repeated
            y = y.view(batch, length, heads, depth).transpose(1, 2)
            return y.repeat_interleave(self.heads // heads, dim=1)

        q = split(self.q_proj(x), self.heads)
        k = split(self.k_proj(x), self.kv_heads)
        v = split(self.v_proj(x), self.kv_heads)
        scores = q @ k.transpose(2, 3) / depth**0.5
        if self.causal:
            hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(hidden, float("-inf"))
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))


def run_torch(layer, x):
    layer.zero_grad()
    y = layer(x)
    y.square().sum().backward()
    return y.detach(), {"layer." + name: p.grad for name, p in layer.named_parameters()}


def values_of(layer):
    return {"layer." + name: t.clone() for name, t in layer.state_dict().items()}


def check_layer(probe, component, make, x):
    torch.manual_seed(3)
    layer = make()
    first = values_of(layer)
    # The same seed gives the same first values.
    check_equal(part(probe.run(component, {"x": x}, seed=3, training=False), "value."), first,
                component)

    # Other values, so that no one or zero hides anything.
    with torch.no_grad():
        for p in layer.parameters():
            p.add_(torch.randn_like(p) * 0.1)
    weights = values_of(layer)
    y, grads = run_torch(layer, x)
    for options in ({}, {"linked": True}):
        out = probe.run(component, {"x": x}, weights, **options)
        check_close(part(out, "output."), {"y": y}, TOLERANCE, component)
        check_close(part(out, "grad."), grads, TOLERANCE, component)
        check_close(part(out, "value."), values_of(layer), TOLERANCE, component)


def check_batch_norm_modes(probe):
    x = torch.randn(4, 5, 3, 3)
    trained = probe.run("batch_norm2d", {"x": x})
    assert trained["value.layer.num_batches_tracked"].item() == 1
    buffers = ("layer.running_mean", "layer.running_var", "layer.num_batches_tracked")
    weights = {name: trained["value." + name] for name in buffers}

    # case BNE-02: neither evaluation nor training with a frozen weight moves the statistics, and
    # both normalise by them.
    layer = nn.BatchNorm2d(5)
    layer.load_state_dict({name[6:]: t for name, t in weights.items()}, strict=False)
    expected = {"y": layer.eval()(x).detach()}
    for options in ({"training": False}, {"frozen": "*"}):
        out = probe.run("batch_norm2d", {"x": x}, weights, **options)
        check_close(part(out, "output."), expected, TOLERANCE, options)
        for name, before in weights.items():
            assert torch.equal(out["value." + name], before), (options, name)

    # case BNE-07: the running variance takes the unbiased estimate, and one value is refused.
    x = torch.tensor([1.0, 3.0]).view(2, 1, 1, 1).expand(2, 5, 1, 1)
    out = probe.run("batch_norm2d", {"x": x})
    check_close(part(out, "value.layer.running_v"), {"ar": torch.full((5,), 1.1)}, TOLERANCE, "var")
    text = probe.error("batch_norm2d", {"x": x[:1]})
    check_contains(text, "expected more than 1 value per channel in training")
    check_contains(text, "[1, 5, 1, 1]")


def check_tied(probe):
    ids = torch.randint(20, (2, 6))
    plain = probe.run("tied", {"x": ids}, seed=5)
    # The head's weight is the embedding's: one tensor, with the gradients of both uses.
    assert part(plain, "value.").keys() == {"embedding.weight", "block.norm.weight",
                                            "block.norm.bias"}
    weights = {name: t.requires_grad_() for name, t in part(plain, "value.").items()}
    w = weights["embedding.weight"]
    x = nn.functional.embedding(ids, w)
    y = nn.functional.layer_norm(x + (x @ w.T).sum() * (x * 0.5), (6,),
                                 weights["block.norm.weight"], weights["block.norm.bias"]) @ w.T
    y.square().sum().backward()
    check_close(part(plain, "output."), {"y": y.detach()}, TOLERANCE, "tied")
    check_close(part(plain, "grad."), {name: t.grad for name, t in weights.items()}, TOLERANCE,
                "tied")
    # A segment of two inputs that runs again in backward gives the same, with a link inside too; the
    # uses of the shared weight add up in another order.
    for options in ({}, {"linked": True}):
        again = probe.run("tied", {"x": ids}, seed=5, recompute="block", **options)
        for prefix in ("output.", "value."):
            check_equal(part(again, prefix), part(plain, prefix), options)
        check_close(part(again, "grad."), part(plain, "grad."), TOLERANCE, options)


def check_errors(probe):
    # LibTorch's own text, and the layer's name, with a link on the socket and without.
    for options in ({}, {"linked": True}):
        text = probe.error("linear", {"x": torch.randn(4, 11)}, **options)
        check_contains(text, "mat1 and mat2 shapes cannot be multiplied (4x11 and 12x7)")
        check_contains(text, "layer 'layer'")
        assert text.count("layer 'layer'") == 1, text


def main(program, plugin):
    probe = Probe(program, plugin)
    torch.manual_seed(1)
    check_layer(probe, "linear", lambda: nn.Linear(12, 7), torch.randn(4, 12))
    check_layer(probe, "conv2d", lambda: nn.Conv2d(8, 12, 3, 2, 2, 2, 4), torch.randn(2, 8, 9, 11))
    check_layer(probe, "embedding", lambda: nn.Embedding(20, 6), torch.randint(20, (4, 5)))
    check_layer(probe, "layer_norm", lambda: nn.LayerNorm(12), torch.randn(4, 3, 12))
    check_layer(probe, "rms_norm", lambda: nn.RMSNorm(12, eps=1e-6), torch.randn(4, 3, 12))
    check_layer(probe, "batch_norm2d", lambda: nn.BatchNorm2d(5), torch.randn(4, 5, 3, 6) * 2 + 1)
    check_layer(probe, "attention", lambda: Attention(32, 4, 4, False), torch.randn(2, 9, 32))
    check_layer(probe, "causal_attention", lambda: Attention(32, 4, 2, True),
                torch.randn(2, 9, 32))
    check_batch_norm_modes(probe)
    check_tied(probe)
    check_errors(probe)


if __name__ == "__main__":
    main(*sys.argv[1:])
