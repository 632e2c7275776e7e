#!/usr/bin/env python3
"""Times hob's update against the same update in Python's PyTorch, in turns, in one run.

    tests/bench/compare.py build/release [--threads 1 2] [--rounds 5]

Two updates: the main job's (ResNet-18 of width 16, batch 128, bf16, AdamW) and a small network's (3
linear layers of width 128, batch 32, AdamW). Both sides do forward, loss, backward and a fused step on
one fixed batch; Python runs eager, channels last where hob does. Prints JSON: medians in microseconds,
and the ratio hob / Python.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

import torch
import torch.nn.functional as functional
import torchvision

ROOT = pathlib.Path(__file__).resolve().parents[2]


def small_resnet():
    """torchvision's ResNet-18 with the stem and the width of the main recipe."""
    net = torchvision.models.resnet.ResNet(torchvision.models.resnet.BasicBlock, [2, 2, 2, 2], num_classes=10)
    net.inplanes = 16
    net.conv1 = torch.nn.Conv2d(1, 16, 3, 1, 1, bias=False)
    net.bn1 = torch.nn.BatchNorm2d(16)
    net.maxpool = torch.nn.Identity()
    for i, width in enumerate((16, 32, 64, 128)):
        setattr(net, f"layer{i + 1}", net._make_layer(torchvision.models.resnet.BasicBlock, width, 2,
                                                      stride=1 if i == 0 else 2))
    net.fc = torch.nn.Linear(128, 10)
    return net.to(memory_format=torch.channels_last)


def python_update(case):
    """A function that runs one update in Python's PyTorch."""
    if case == "resnet":
        net = small_resnet()
        image = torch.randn(128, 1, 28, 28).to(memory_format=torch.channels_last)
        label = torch.randint(0, 10, (128,))
    else:
        net = torch.nn.Sequential(torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128),
                                  torch.nn.ReLU(), torch.nn.Linear(128, 10))
        image, label = torch.randn(32, 128), torch.randint(0, 10, (32,))
    decay = [p for p in net.parameters() if p.dim() > 1]
    rest = [p for p in net.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decay}, {"params": rest, "weight_decay": 0.0}], lr=1e-3, fused=True)

    def update():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=case == "resnet"):
            logits = net(image)
        functional.cross_entropy(logits.float(), label).backward()
        optimizer.step()
    return update


def time_python(update, updates):
    begin = time.perf_counter()
    for _ in range(updates):
        update()
    return (time.perf_counter() - begin) / updates * 1e6


def time_hob(build, case, threads, updates):
    recipe = ROOT / ("recipes/fashion_mnist.toml" if case == "resnet" else "tests/bench/mlp.toml")
    text = subprocess.run([build / "bin/update_bench", recipe, str(updates), "1", f"run.threads={threads}"],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(text)["update_us"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    results = []
    for threads in arguments.threads:
        torch.set_num_threads(threads)
        for case, updates in (("mlp", 1000), ("resnet", 8)):
            update = python_update(case)
            time_python(update, updates)  # warm up
            pairs = [(time_hob(arguments.build, case, threads, updates), time_python(update, updates))
                     for _ in range(arguments.rounds)]
            hob, python = (statistics.median(side) for side in zip(*pairs))
            results.append({"case": case, "threads": threads, "hob_us": round(hob, 1),
                            "python_us": round(python, 1), "ratio": round(hob / python, 3)})
            print(json.dumps(results[-1]), flush=True)


if __name__ == "__main__":
    main()
