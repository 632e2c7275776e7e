"""What the tests of whole runs share: recipes, the program, its results."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    from safetensors.torch import load_file
except ImportError:
    sys.exit(77)  # skipped

ROOT = pathlib.Path(__file__).resolve().parents[2]
# CTest passes the program, and where the plugins of these tests are; by hand, from a build folder:
#   HOB=build/release/bin/hob HOB_TEST_PLUGINS=build/release/tests/recipes/plugins python test_...py
HOB = os.environ.get("HOB", str(ROOT / "build/release/bin/hob"))
PLUGINS = os.environ.get("HOB_TEST_PLUGINS", str(ROOT / "build/release/tests/recipes/plugins"))

# A recipe that trains in a second. Tests change it by overrides.
TINY = """
schema = 1
[run]
name = "tiny"
dir = "{dir}"
seed = 7
device = "cpu"
threads = 1
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

    def command(self, *arguments):
        return [HOB, "--plugin-path", PLUGINS, *map(str, arguments)]

    def hob(self, *arguments, code=0, timeout=300, env=None, **options):
        """Runs the program, expects an exit code, gives what it wrote."""
        result = subprocess.run(self.command(*arguments), capture_output=True, text=True,
                                timeout=timeout, env={**os.environ, **(env or {})}, **options)
        self.assertEqual(result.returncode, code,
                         f"hob {' '.join(map(str, arguments))}\n{result.stdout}{result.stderr}")
        return result

    def train(self, *overrides, run="run", text=TINY):
        """Runs a recipe in a folder; gives that folder."""
        self.hob("run", self.recipe(text), f"run.dir={self.folder / run}", *overrides)
        return self.folder / run

    def assert_same_run(self, run, expected):
        """The last checkpoints hold the same bytes, and the monitor has told the same."""
        update = checkpoints(expected)[-1]
        self.assertEqual(checkpoints(run)[-1], update)
        for name in ("model.safetensors", "optimizer.safetensors", "state.safetensors",
                     "state.json"):
            one, other = (folder / "checkpoints" / str(update) / name for folder in (run, expected))
            self.assertEqual(one.read_bytes(), other.read_bytes(), f"{one} and {other} differ")
        self.assertEqual(rows(run), rows(expected))


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
    """The monitor's rows without the times in them; every line must be strict JSON."""
    def refuse(text):
        raise AssertionError(f"{text} is no JSON")
    text = (run / "metrics.jsonl").read_text()
    assert not text or text.endswith("\n"), "the last line is cut short"
    result = [json.loads(line, parse_constant=refuse) for line in text.splitlines()]
    for row in result:
        del row["elapsed_s"]
        for name in ("update_s", "loader_wait_s"):
            row["scalars"].pop(name, None)
    return result


def hashes(folder):
    """SHA-256 of every file below, but for the lock of whoever works in a run's folder."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"}
