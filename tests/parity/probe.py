"""Runs a model plugin through model_probe, and compares what comes out with other tensors."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError:
    sys.exit(77)  # skipped

# One thread on both sides: sums in the same order, and no waiting where the machine is busy.
torch.set_num_threads(1)
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


class ProbeError(Exception):
    """The probe failed; the text is what it printed."""


class Probe:
    def __init__(self, program, plugin):
        self.program = program
        self.plugin = plugin

    def run(self, component, inputs, weights=None, target=None, **options):
        """The tensors that the probe wrote; the options are those of model_probe.cpp."""
        tensors = {"input." + name: tensor for name, tensor in inputs.items()}
        tensors |= {"weight." + name: tensor for name, tensor in (weights or {}).items()}
        if target is not None:
            tensors["target"] = target
        with tempfile.TemporaryDirectory() as folder:
            source, result = Path(folder) / "in.safetensors", Path(folder) / "out.safetensors"
            save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, source)
            done = subprocess.run(
                [self.program, self.plugin, component, json.dumps(options), source, result],
                stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
            if done.returncode != 0:
                raise ProbeError(done.stderr)
            return load_file(result)

    def error(self, *arguments, **options):
        """The text of the error that a run must end with."""
        try:
            self.run(*arguments, **options)
        except ProbeError as error:
            return str(error)
        raise AssertionError("the run succeeded, and should have failed")


def part(tensors, prefix):
    """The tensors whose names begin with `prefix`, without it."""
    return {name[len(prefix):]: t for name, t in tensors.items() if name.startswith(prefix)}


def check_close(found, expected, tolerance, what):
    """Both dictionaries hold the same names, and tensors that differ by at most `tolerance` of the
    norm of the expected one. What is 0 but for roundings (a millionth of the largest) is so in
    both."""
    assert found.keys() == expected.keys(), (what, found.keys() ^ expected.keys())
    zero = 1e-6 * max(tensor.double().norm().item() for tensor in expected.values())
    for name, tensor in expected.items():
        other = found[name]
        assert (other.shape, other.dtype) == (tensor.shape, tensor.dtype), (what, name)
        error = (other.double() - tensor.double()).norm().item()
        scale = tensor.double().norm().item()
        limit = 2 * zero if scale <= zero else tolerance * scale
        assert error <= limit, (what, name, error, scale)


def check_equal(found, expected, what):
    assert found.keys() == expected.keys(), (what, found.keys() ^ expected.keys())
    for name, tensor in expected.items():
        assert torch.equal(found[name], tensor), (what, name)


def check_contains(text, piece):
    assert piece in text, text
