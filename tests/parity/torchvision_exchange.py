"""ResNet against torchvision's: weights go both ways by name, and give the same outputs, gradients
and running statistics.

usage: torchvision_exchange.py <model_probe> <resnet.so>
"""

import sys

from probe import Probe, check_close, check_contains, check_equal, part

import torch

try:
    import torchvision
except ImportError:
    sys.exit(77)  # skipped

# hob keeps images and weights channels-last. With torchvision's model in the same format all is
# found equal to the bit; what is left is for other machines, whose kernels may sum differently.
TOLERANCE = 1e-5


def run_torchvision(model, image, target, training):
    model.train(training).zero_grad()
    logits = model(image)
    torch.nn.functional.cross_entropy(logits, target).backward()
    grads = {name: p.grad for name, p in model.named_parameters()}
    return {"logits": logits.detach()}, grads, model.state_dict()


def check_same(out, model, image, target, training, what):
    if not training:  # in torchvision's usual format; in training, roundings are amplified
        logits = model.eval()(image).detach()
        check_close(part(out, "output."), {"logits": logits}, TOLERANCE, what)
    model.to(memory_format=torch.channels_last)
    image = image.contiguous(memory_format=torch.channels_last)
    outputs, grads, values = run_torchvision(model, image, target, training)
    check_close(part(out, "output."), outputs, TOLERANCE, what)
    check_close(part(out, "grad."), grads, TOLERANCE, what)
    check_close(part(out, "value."), values, TOLERANCE, what)
    model.to(memory_format=torch.contiguous_format)


def check_depth(probe, depth, num_classes):
    make = getattr(torchvision.models, f"resnet{depth}")
    params = {"depth": depth, "num_classes": num_classes}
    image = torch.randn(3, 3, 48, 48)
    target = torch.randint(num_classes, (3,))

    # hob's first values, and its statistics after a forward, in torchvision's model.
    model = make(num_classes=num_classes)
    first = probe.run("resnet", {"image": image}, params=params, seed=depth)
    model.load_state_dict(part(first, "value."), strict=True)
    weights = {name: t.clone() for name, t in model.state_dict().items()}
    for training in (False, True):
        # The probe refuses names and shapes that hob's model does not have.
        out = probe.run("resnet", {"image": image}, weights, target, params=params,
                        training=training)
        check_same(out, model, image, target, training, (depth, training))
        assert out["value.bn1.num_batches_tracked"].item() == 1 + training

    # Torchvision's first values in hob's model; every block run twice leaves all as it is.
    model = make(num_classes=num_classes)
    weights = {name: t.clone() for name, t in model.state_dict().items()}
    plain = probe.run("resnet", {"image": image}, weights, target, params=params)
    check_same(plain, model, image, target, True, depth)
    check_equal(probe.run("resnet", {"image": image}, weights, target, params=params,
                          recompute="layer*", linked=True), plain, (depth, "recompute"))


def check_first_values(probe):
    params = {"depth": 18, "num_classes": 10, "zero_init_residual": True, "in_channels": 1,
              "width": 16, "stem": "small"}
    image = torch.randn(2, 1, 12, 12)
    values = part(probe.run("resnet", {"image": image}, params=params, seed=7), "value.")
    assert values["conv1.weight"].shape == (16, 1, 3, 3)
    assert values["fc.weight"].shape == (10, 128)
    for name, value in values.items():
        if ".bn2.weight" in name:
            assert not value.any(), name
        elif value.dim() == 1 and name.endswith("weight"):
            assert (value == 1).all(), name
    # He's normal distribution by outputs: 3 x 3 x 128 of them, and 147456 samples of it.
    deviation = values["layer4.1.conv2.weight"].std().item()
    assert abs(deviation / (2 / (9 * 128))**0.5 - 1) < 0.01, deviation


def check_errors(probe):
    image = torch.randn(2, 1, 32, 32)
    text = probe.error("resnet", {"image": image}, params={"depth": 20, "num_classes": 2})
    check_contains(text, "depth is 20, expected 18, 34, 50, 101 or 152")
    text = probe.error("resnet", {"image": image}, params={"depth": 18, "num_classes": 2})
    check_contains(text, "to have 3 channels, but got 1 channels instead")
    check_contains(text, "layer 'conv1'")


def main(program, plugin):
    torch.manual_seed(1)
    probe = Probe(program, plugin)
    check_depth(probe, 18, 10)
    check_depth(probe, 50, 7)
    check_first_values(probe)
    check_errors(probe)


if __name__ == "__main__":
    main(*sys.argv[1:])
