"""The multi-layer perceptron against PyTorch's layers.

usage: mlp.py <model_probe> <mlp.so>
"""

import sys

from probe import Probe, check_close, check_contains, check_equal, part

import torch
from torch import nn

TOLERANCE = 1e-6  # some ten roundings of float32


def check_network(probe):
    torch.manual_seed(2)
    model = nn.Sequential(nn.Flatten(), nn.Linear(48, 20), nn.ReLU(), nn.Linear(20, 30), nn.ReLU(),
                          nn.Linear(30, 10))
    names = {"1": "hidden.0", "3": "hidden.1", "5": "head"}

    def rename(tensors):
        return {names[name[0]] + name[1:]: t for name, t in tensors}

    image = torch.randn(4, 3, 4, 4)
    target = torch.randint(10, (4,))
    logits = model(image)
    nn.functional.cross_entropy(logits, target).backward()
    params = {"inputs": 48, "hidden": [20, 30], "num_classes": 10}
    # The same seed gives the same first values.
    out = probe.run("mlp", {"image": image}, None, target, params=params, seed=2)
    check_equal(part(out, "value."), rename(model.state_dict().items()), "values")
    check_close(part(out, "output."), {"logits": logits.detach()}, TOLERANCE, "outputs")
    check_close(part(out, "grad."), rename((n, p.grad) for n, p in model.named_parameters()),
                TOLERANCE, "gradients")


def check_dropout(probe):
    image = torch.ones(64, 1, 4, 4)
    params = {"inputs": 16, "hidden": [100], "num_classes": 3, "dropout": 0.5}
    run = lambda **options: probe.run("mlp", {"image": image}, params=params, seed=4, **options)
    # Equal samples stay equal in evaluation, and become different ones in training.
    assert run(training=False)["output.logits"].std(dim=0).max() < 1e-6
    trained = run()
    assert trained["output.logits"].std(dim=0).min() > 1e-3
    # A block that runs again in backward zeroes the same values.
    check_equal(run(recompute="hidden*"), trained, "recompute")


def check_no_hidden(probe):
    params = {"inputs": 16, "hidden": [], "num_classes": 3}
    values = part(probe.run("mlp", {"image": torch.randn(2, 16)}, params=params), "value.")
    assert {name: tuple(t.shape) for name, t in values.items()} == {
        "head.weight": (3, 16), "head.bias": (3,)}


def check_errors(probe):
    text = probe.error("mlp", {"image": torch.randn(2, 3, 4, 4)},
                       params={"inputs": 16, "num_classes": 3})
    check_contains(text, "[2, 3, 4, 4]")
    check_contains(text, "set inputs = 48")
    text = probe.error("mlp", {"picture": torch.randn(2, 16)},
                       params={"inputs": 16, "num_classes": 3})
    check_contains(text, "there is no tensor 'image' here; there are: 'picture'")


def main(program, plugin):
    torch.manual_seed(1)
    probe = Probe(program, plugin)
    check_network(probe)
    check_dropout(probe)
    check_no_hidden(probe)
    check_errors(probe)


if __name__ == "__main__":
    main(*sys.argv[1:])
