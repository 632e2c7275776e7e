"""A strategy is swapped by one line of the recipe; the program and its plugins stay as they are."""

import pathlib
import unittest

from support import HOB, RunTest, TINY, checkpoints, differing, hashes, rows, weights

RECIPE = (TINY.replace("inputs = 12\nhidden = [16]\n", "").replace("[3, 2, 2]", "[1, 28, 28]")
          .replace("[loader]", '[[dataset.train.transform]]\nuse = "flip"\n[loader]')
          .replace("[[monitor]]", '[precision]\nuse = "fp32"\n[[monitor]]', 1)
          .replace('[[monitor]]', '[[memory]]\nuse = "recompute"\n[[monitor]]', 1)
          .replace('use = "jsonl"', 'use = "jsonl"\nevery = 1'))

# The line, what stands there instead, and whether the weights become others.
SWAPS = {
    "model": ('use = "mlp"', 'use = "resnet"\nin_channels = 1\ndepth = 18\nwidth = 4', True),
    "optimizer": ('use = "sgd"', 'use = "adamw"', True),
    "schedule": ('use = "constant"', 'use = "cosine"', True),
    "precision": ('use = "fp32"', 'use = "bf16_mixed"', True),
    "transform": ('use = "flip"', 'use = "normalize"\nmean = [0.1]\nstd = [0.5]', True),
    "memory": ('use = "recompute"', 'use = "recompute"\nsegments = "hidden.0"', False),
    "monitor": ('use = "jsonl"\nevery = 1', 'use = "console"', False),
}


class SwapTest(RunTest):
    def test_one_entry_of_the_recipe_swaps_each_of_seven_kinds_without_a_rebuild(self):
        program = pathlib.Path(HOB).resolve()
        files = [program.parent, program.parent.parent / "lib/hob/plugins"]
        before = [hashes(folder) for folder in files]
        plain = self.train(text=RECIPE, run="plain")
        for kind, (line, instead, changes) in SWAPS.items():
            with self.subTest(kind):
                self.assertEqual(RECIPE.count(line), 1)
                run = self.train(text=RECIPE.replace(line, instead), run=kind)
                self.assertEqual(checkpoints(run), [5, 10])
                if kind == "model":
                    self.assertIn("layer4.1.conv2.weight", weights(run))
                else:
                    self.assertEqual(bool(differing(weights(run), weights(plain))), changes)
                self.assertEqual((run / "metrics.jsonl").exists(), kind != "monitor")
                if kind == "schedule":
                    rates = [row["scalars"]["lr"] for row in rows(run) if row["event"] == "update"]
                    self.assertEqual(rates[0], 0.1)
                    self.assertLess(rates[-1], 0.003)
        self.assertEqual([hashes(folder) for folder in files], before)

    def test_a_swap_on_the_command_line_tells_which_keys_it_drops(self):
        text = self.hob("run", self.recipe(), "model.use=resnet", "model.num_classes=4").stderr
        for key in ("inputs", "hidden"):
            self.assertIn(key, text)


if __name__ == "__main__":
    unittest.main()
