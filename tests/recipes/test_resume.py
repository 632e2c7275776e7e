"""A run that is stopped, in whatever way and however often, ends as the run that was not."""

import os
import random
import signal
import subprocess
import time
import unittest

from support import ROOT, RunTest, checkpoints, hashes, rows, weights

# Small, but with all that has a state or draws random numbers. An epoch is six updates, the last
# one of 5 samples in micro-batches of 3 and 2; checkpoints fall within epochs.
EVERYTHING = """
schema = 1
[run]
name = "everything"
dir = "{dir}"
seed = 11
device = "cpu"
threads = 1
[model]
use = "mlp"
inputs = 36
hidden = [24, 16]
num_classes = 5
dropout = 0.5
[dataset.train]
use = "synthetic"
size = 45
shape = [1, 6, 6]
classes = 5
[[dataset.train.transform]]
use = "random_crop"
size = 6
padding = 1
[[dataset.train.transform]]
use = "flip"
[dataset.eval]
use = "synthetic"
size = 17
shape = [1, 6, 6]
classes = 5
[loader]
batch_size = 8
micro_batch = 3
threads = 2
[objective]
use = "cross_entropy"
label_smoothing = 0.1
[[metric]]
use = "accuracy"
[optimizer]
use = "adamw"
lr = 0.01
weight_decay = 0.1
[[optimizer.group]]
match = ["role:bias"]
weight_decay = 0.0
lr = 0.02
[schedule]
use = "cosine"
warmup = "5up"
[[callback]]
use = "ema"
decay = 0.9
warmup = true
[[monitor]]
use = "jsonl"
every = 1
[[monitor]]
use = "tripwire"
[train]
epochs = 4
clip_norm = 1.0
[eval]
every = "1ep"
[checkpoint]
every = "4up"
keep = 3
best = "accuracy"
"""

# Running statistics of norms, adapters, recomputed segments, bfloat16; SGD's momentum.
LAYERS = EVERYTHING.replace("""use = "mlp"
inputs = 36
hidden = [24, 16]
num_classes = 5
dropout = 0.5
""", """use = "resnet"
depth = 18
width = 4
stem = "small"
in_channels = 1
num_classes = 5
""").replace('use = "adamw"', 'use = "sgd"\nmomentum = 0.9').replace("[[callback]]", """
[precision]
use = "bf16_mixed"
[[memory]]
use = "recompute"
segments = "layer*"
[[compression]]
use = "lora"
rank = 2
train = ["role:norm"]
[[callback]]""").replace('match = ["role:bias"]', 'match = ["role:norm"]')


class ResumeTest(RunTest):
    def start(self, recipe, run, trip="", *overrides):
        """The first part of a run, or the next one where the folder holds a checkpoint already."""
        folder = self.folder / run
        begins = not (folder / "checkpoints").exists() or not checkpoints(folder)
        command = ["run", recipe, f"run.dir={folder}", *overrides] if begins else ["resume", folder]
        return subprocess.Popen(self.command(*command), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, "HOB_TRIP": trip})

    def end(self, process, code):
        text, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, text)
        return text

    def stop_at(self, recipe, run, updates, number, *overrides):
        """A run in parts that a signal ends at these updates, and a last part to the end."""
        code = -number if number == signal.SIGKILL else 128 + number
        for update in updates:
            self.end(self.start(recipe, run, f"{update}:{int(number)}", *overrides), code)
            if number != signal.SIGKILL:  # it saved the update that it was at
                self.assertEqual(checkpoints(self.folder / run)[-1], update)
        self.end(self.start(recipe, run, "", *overrides), 0)
        return self.folder / run

    # case RES-01, RES-03, RES-05, RES-06, RES-13, SCH-03, MON-01
    def test_a_run_killed_at_random_updates_ends_with_the_same_bytes(self):
        recipe = self.recipe(EVERYTHING)
        straight = self.stop_at(recipe, "straight", [], signal.SIGKILL)
        self.assertEqual(checkpoints(straight)[-1], 24)
        told = [row["update"] for row in rows(straight) if row["event"] == "update"]
        self.assertEqual(told, list(range(1, 25)))
        # The first checkpoint is of update 4; 9 and 11 are within one epoch.
        for threads, seed in ((0, 1), (2, 2)):
            kills = sorted([9, 11, *random.Random(seed).sample(range(12, 24), 2)])
            killed = self.stop_at(recipe, f"killed{threads}", kills, signal.SIGKILL,
                                  f"loader.threads={threads}")
            self.assert_same_run(killed, straight)

    # case RES-13, BNE-02
    def test_a_killed_run_with_norms_adapters_and_recomputing_ends_with_the_same_bytes(self):
        recipe = self.recipe(LAYERS)
        straight = self.stop_at(recipe, "straight", [], signal.SIGKILL, "train.epochs=2")
        killed = self.stop_at(recipe, "killed", [6, 7, 10], signal.SIGKILL, "train.epochs=2")
        self.assert_same_run(killed, straight)

    # case SIG-01: nothing but the signal makes a checkpoint here.
    def test_sigterm_and_sigint_save_the_update_they_came_in_and_the_run_goes_on_from_it(self):
        recipe = self.recipe(EVERYTHING)
        often = ("checkpoint.every=1000000up", "checkpoint.best=", "train.epochs=2")
        straight = self.stop_at(recipe, "straight", [], signal.SIGTERM, *often)
        for number in (signal.SIGTERM, signal.SIGINT):
            stopped = self.stop_at(recipe, f"stopped{number}", [3, 7], number, *often)
            self.assert_same_run(stopped, straight)

    # case SIG-04: at any time, also while a checkpoint is written.
    def test_signals_at_random_times_leave_only_whole_updates(self):
        recipe = self.recipe(EVERYTHING)
        often = ("checkpoint.every=1up", "checkpoint.keep=2")
        straight = self.stop_at(recipe, "straight", [], signal.SIGTERM, *often)
        chance = random.Random(3)
        for number, code in ((signal.SIGTERM, 143), (signal.SIGKILL, -9)):
            run = self.folder / f"stopped{number}"
            ends = 0
            while True:
                begun = self.length_of_rows(run)
                process = self.start(recipe, run.name, "0:0:15", *often)
                while process.poll() is None and self.length_of_rows(run) == begun:
                    time.sleep(0.002)
                time.sleep(chance.uniform(0, 0.2))
                process.send_signal(number)
                # After the last update, when all is saved, a signal ends the program as it comes.
                self.assertIn(process.wait(timeout=120), (0, code, -number), process.stdout.read())
                process.stdout.close()
                if process.returncode == 0:
                    break
                ends += 1
            self.assertGreater(ends, 0)
            self.assert_same_run(run, straight)

    @staticmethod
    def length_of_rows(run):
        path = run / "metrics.jsonl"
        return path.stat().st_size if path.exists() else 0

    # case RES-11
    def test_resuming_a_finished_run_says_so_and_touches_no_file(self):
        run = self.train('+export.formats=["safetensors"]', "train.epochs=1")
        self.assertTrue((run / "export/model.safetensors").exists())
        before = hashes(run)
        for _ in range(2):
            text = self.hob("resume", run).stderr
            self.assertIn("already complete at update 5 of 5", text)
            self.assertEqual(hashes(run), before)
        self.assertIn('"outcome":"already complete"', self.hob("--json", "resume", run).stdout)

    def test_a_run_that_was_killed_before_its_export_exports_when_it_is_resumed(self):
        run = self.train('+export.formats=["safetensors"]', "train.epochs=1")
        exported = (run / "export/model.safetensors").read_bytes()
        (run / "export/model.safetensors").unlink()
        self.assertIn("already complete", self.hob("resume", run).stderr)
        self.assertEqual((run / "export/model.safetensors").read_bytes(), exported)

    # case RES-08
    def test_another_micro_batch_on_resume_is_reported_and_the_windows_stay(self):
        recipe = self.recipe(EVERYTHING)
        often = ("model.dropout=0", "train.epochs=2")
        straight = self.stop_at(recipe, "straight", [], signal.SIGTERM, *often)
        self.end(self.start(recipe, "run", "5:15", *often), 143)
        text = self.hob("resume", self.folder / "run", "loader.micro_batch=4").stderr
        self.assertIn("resumed with loader.micro_batch: 3 -> 4", text)
        self.assertEqual(checkpoints(self.folder / "run")[-1], 12)
        a, b = weights(self.folder / "run"), weights(straight)
        for name in a:  # the same gradients but for roundings
            self.assertLess((a[name] - b[name]).norm(), 1e-4 * b[name].norm() + 1e-6, name)

    # case RES-09
    def test_another_batch_size_on_resume_is_reported_and_every_sample_still_comes_once(self):
        recipe = self.recipe(EVERYTHING)
        for batch, total in ((4, 6 + 12), (20, 6 + 3)):
            name = f"run{batch}"
            self.end(self.start(recipe, name, "6:15", "train.epochs=2"), 143)
            text = self.hob("resume", self.folder / name, f"loader.batch_size={batch}").stderr
            self.assertIn(f"resumed with loader.batch_size: 8 -> {batch}", text)
            self.assertIn(f"done at update {total} of {total}", text)
            self.assertEqual(rows(self.folder / name)[-1]["samples"], 90)
        # A number of updates is that number, whatever the batches.
        self.end(self.start(recipe, "fixed", "4:15", "train.updates=8", "train.epochs=9"), 143)
        text = self.hob("resume", self.folder / "fixed", "loader.batch_size=4").stderr
        self.assertIn("done at update 8 of 8", text)
        self.assertEqual(rows(self.folder / "fixed")[-1]["samples"], 4 * 8 + 3 * 4 + 1)

    # case OPT-04
    def test_another_learning_rate_on_resume_is_reported_and_used(self):
        recipe = self.recipe(EVERYTHING)
        self.end(self.start(recipe, "run", "6:15"), 143)
        self.end(self.start(recipe, "other", "6:15"), 143)
        text = self.hob("resume", self.folder / "run", "optimizer.lr=0.005").stderr
        self.assertIn("resumed with optimizer.lr: 0.01 -> 0.005", text)
        self.end(self.start(recipe, "other"), 0)

        def lr(run, update):
            return next(row["scalars"]["lr"] for row in rows(self.folder / run)
                        if row["update"] == update and row["event"] == "update")
        # The bias group's rate is its own: the first group's is shown.
        self.assertEqual(lr("run", 7), lr("other", 7))
        self.assertNotEqual(weights(self.folder / "run")["head.weight"].tolist(),
                            weights(self.folder / "other")["head.weight"].tolist())

    def test_what_would_change_the_numbers_in_silence_is_refused_on_resume(self):
        run = self.train("train.epochs=1")
        text = self.hob("resume", run, "run.seed=8", "model.hidden=[8]", code=2).stderr
        self.assertIn("run.seed: 7 -> 8", text)
        self.assertIn("model.hidden: [16] -> [8]", text)
        text = self.hob("resume", self.folder, code=2).stderr
        self.assertIn("holds no run", text)

    def test_the_loaders_threads_change_no_bit(self):
        recipe = self.recipe(EVERYTHING)
        runs = []
        for threads in (0, 1, 4):
            runs.append(self.folder / f"threads{threads}")
            self.hob("run", recipe, f"run.dir={runs[-1]}", f"loader.threads={threads}")
        self.assert_same_run(runs[1], runs[0])
        self.assert_same_run(runs[2], runs[0])

    @unittest.skipUnless(os.path.isdir("/usr/share/datasets/fashion-mnist"), "the data are missing")
    def test_the_main_recipe_killed_and_resumed_ends_with_the_same_bytes(self):
        recipe = self.folder / "main.toml"
        recipe.write_text(f"""
extends = ["{ROOT}/recipes/fashion_mnist.toml"]
[run]
threads = 2
[[monitor]]
use = "jsonl"
every = 1
[[monitor]]
use = "tripwire"
[train]
updates = 12
[schedule]
warmup = "4up"
[checkpoint]
every = "3up"
best = ""
""")
        short = ("~dataset.eval", "model.width=4", "loader.batch_size=32")
        straight = self.stop_at(recipe, "straight", [], signal.SIGKILL, *short)
        killed = self.stop_at(recipe, "killed", [5, 10], signal.SIGKILL, *short)
        self.assert_same_run(killed, straight)
        for run in (straight, killed):
            self.assertTrue((run / "export/model.safetensors").exists())
        self.assertEqual(*[(run / "export/model.safetensors").read_bytes()
                           for run in (straight, killed)])


if __name__ == "__main__":
    unittest.main()
