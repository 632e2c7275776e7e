"""What the tests of whole runs share: recipes, the program, its results."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from safetensors.torch import load_file

# CTest passes the program; by hand: HOB=build/release/bin/hob python -m unittest ...
HOB = os.environ.get("HOB", "build/release/bin/hob")

# A recipe that trains in a second. Tests change it by overrides.
TINY = """
schema = 1
[run]
name = "tiny"
dir = "{dir}"
seed = 7
device = "cpu"
[model]
use = "mlp"
inputs = 12
hidden = [16]
num_classes = 4
[dataset.train]
use = "synthetic"
size = 40
shape = [3, 2, 2]
classes = 4
[dataset.eval]
use = "synthetic"
size = 22
shape = [3, 2, 2]
classes = 4
[loader]
batch_size = 8
[objective]
use = "cross_entropy"
[[metric]]
use = "accuracy"
[optimizer]
use = "sgd"
lr = 0.1
[schedule]
use = "constant"
[[monitor]]
use = "jsonl"
[train]
epochs = 2
[checkpoint]
every = "1ep"
"""


class RunTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hob-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def recipe(self, text=TINY, name="recipe.toml", run="run"):
        path = self.folder / name
        path.write_text(text.replace("{dir}", str(self.folder / run)))
        return path

    def hob(self, *arguments, code=0, timeout=300, env=None):
        """Runs the program, expects an exit code, gives what it wrote."""
        result = subprocess.run([HOB, *map(str, arguments)], capture_output=True, text=True,
                                timeout=timeout, env={**os.environ, **(env or {})})
        self.assertEqual(result.returncode, code,
                         f"hob {' '.join(map(str, arguments))}\n{result.stdout}{result.stderr}")
        return result

    def train(self, *overrides, run="run", text=TINY):
        """Runs the tiny recipe in a folder; gives that folder."""
        self.hob("run", self.recipe(text), f"run.dir={self.folder / run}", *overrides)
        return self.folder / run


def checkpoints(run):
    return sorted(int(path.name) for path in (run / "checkpoints").iterdir() if path.name.isdigit())


def weights(run, update=None):
    """The model's tensors of a checkpoint, the newest where none is named."""
    update = checkpoints(run)[-1] if update is None else update
    return load_file(run / "checkpoints" / str(update) / "model.safetensors")


def differing(a, b):
    """Names of tensors that are not bitwise equal."""
    assert a.keys() == b.keys(), a.keys() ^ b.keys()
    return [name for name in a if a[name].numpy().tobytes() != b[name].numpy().tobytes()]


def rows(run):
    """The monitor's rows; every line must be strict JSON."""
    def refuse(text):
        raise AssertionError(f"{text} is no JSON")
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line, parse_constant=refuse) for line in lines]
