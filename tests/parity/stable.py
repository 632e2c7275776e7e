"""A model of the stable tier against PyTorch's layers.

usage: stable.py <model_probe> <parity_stable.so>
"""

import sys

from probe import Probe, check_close, check_contains, part

import torch
from torch import nn

TOLERANCE = 1e-6  # some ten roundings of float32


def main(program, plugin):
    probe = Probe(program, plugin)
    torch.manual_seed(1)
    image = torch.randn(4, 3, 4, 4)
    target = torch.randint(10, (4,))
    first = part(probe.run("stable", {"image": image}, seed=2, training=False), "value.")
    assert first["hidden.weight"].abs().max() <= 48**-0.5
    assert first["hidden.weight"].std() > 0.9 * (48 * 3)**-0.5

    weights = {name: t + torch.randn_like(t) * 0.1 for name, t in first.items()}
    leaves = {name: t.clone().requires_grad_() for name, t in weights.items()}
    hidden = nn.functional.linear(image.flatten(1), leaves["hidden.weight"], leaves["hidden.bias"])
    logits = nn.functional.linear(hidden.relu(), leaves["head.weight"]) * leaves["scale"]
    nn.functional.cross_entropy(logits, target).backward()
    for options in ({}, {"linked": True}):
        out = probe.run("stable", {"image": image}, weights, target, **options)
        check_close(part(out, "output."), {"logits": logits.detach()}, TOLERANCE, options)
        check_close(part(out, "grad."), {name: t.grad for name, t in leaves.items()}, TOLERANCE,
                    options)
        text = probe.error("stable", {"image": image[:, :, :3]}, **options)
        check_contains(text, "mat1 and mat2 shapes cannot be multiplied (4x36 and 48x20)")
        check_contains(text, "layer 'hidden'")


if __name__ == "__main__":
    main(*sys.argv[1:])
