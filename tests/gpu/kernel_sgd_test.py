#!/usr/bin/env python3
"""kernel_sgd_test.py HOB PLUGIN: a stable plugin's CUDA kernel trains as the host's own SGD does."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "recipes"))
os.environ["HOB"] = sys.argv[1]
from support import RunTest, weights  # noqa: E402: it reads HOB as it is imported

PLUGIN = sys.argv[2]


def has_gpu():
    smi = shutil.which("nvidia-smi")
    return smi is not None and subprocess.run([smi, "-L"], capture_output=True).returncode == 0


class KernelSgd(RunTest):
    def trained(self, optimizer, device):
        recipe = self.recipe()
        run = self.folder / optimizer
        self.hob("--plugin-path", PLUGIN, "run", recipe, f"run.dir={run}", f"run.device={device}",
                 f"optimizer.use={optimizer}")
        return weights(run)

    def compare(self, device):
        ours, expected = self.trained("kernel_sgd", device), self.trained("sgd", device)
        self.assertEqual(ours.keys(), expected.keys())
        for name, tensor in expected.items():
            # One multiply and add a step on both sides; they may round the product apart or not,
            # which over 10 steps of values below 1 stays under a few units in the last place.
            self.assertLess((ours[name] - tensor).abs().max().item(), 1e-6, name)

    def test_on_the_cpu_it_is_sgd(self):
        self.compare("cpu")

    @unittest.skipUnless(has_gpu(), "there is no GPU here")
    def test_on_a_gpu_its_kernel_is_sgd(self):
        self.compare("cuda:0")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
