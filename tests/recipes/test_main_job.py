"""The recipe of the README learns what it says."""

import json
import os
import unittest

from support import ROOT, RunTest

DATA = "/usr/share/datasets/fashion-mnist"


class MainJobTest(RunTest):
    @unittest.skipUnless(os.path.isdir(DATA), "the data are missing")
    def test_one_epoch_of_fashion_mnist_reaches_its_accuracy(self):
        done = self.hob("--json", "run", ROOT / "recipes/fashion_mnist.toml", "train.epochs=1",
                        f"run.dir={self.folder}/run", "run.device=cpu", timeout=1800)
        result = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((result["outcome"], result["update"]), ("done", 469))
        # 0.884 was measured; other threads and instructions sum in another order.
        self.assertGreater(result["results"]["accuracy"], 0.86)


if __name__ == "__main__":
    unittest.main()
