"""What is kept, what a damaged or full disk does, and what a run says about it."""

import shutil
import subprocess
import time
import unittest

from support import RunTest, TINY, checkpoints, hashes, weights

FILES = ("model.safetensors", "optimizer.safetensors", "state.safetensors", "state.json",
         "checksums.json")


def truncate(path):
    path.write_bytes(path.read_bytes()[:-8])


def flip_a_bit(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def fill_with_zeros(path):
    path.write_bytes(bytes(path.stat().st_size))


class CheckpointsTest(RunTest):
    # case CKP-07, SAF-06
    def test_a_damaged_checkpoint_is_named_and_the_one_before_it_is_used(self):
        straight = self.train("checkpoint.every=2up", "optimizer.momentum=0.9")
        damages = (truncate, flip_a_bit, fill_with_zeros)
        for i, name in enumerate(FILES):
            run = self.folder / f"damaged{i}"
            shutil.copytree(straight, run)
            damages[i % 3](run / "checkpoints/10" / name)
            text = self.hob("resume", run).stderr
            self.assertIn(f"checkpoint {run}/checkpoints/10 is damaged", text)
            self.assertIn(name, text)
            self.assertIn("the one before it is used", text)
            # From update 8 on, once more.
            self.assert_same_run(run, straight)

    def test_without_one_whole_checkpoint_the_run_cannot_be_resumed(self):
        run = self.train()
        for update in checkpoints(run):
            (run / f"checkpoints/{update}/state.json").unlink()
        text = self.hob("resume", run, code=1).stderr
        self.assertIn("holds no whole checkpoint; begin the run again", text)
        text = self.hob("eval", run, "--checkpoint", "10", code=1).stderr
        self.assertIn("state.json", text)

    # case CKP-01
    def test_the_newest_checkpoints_are_those_of_the_highest_numbers(self):
        run = self.train("train.updates=1010", "train.epochs=1000", "eval.every=1000ep",
                         "checkpoint.every=100up")
        self.assertEqual(checkpoints(run), [900, 1000, 1010])
        # Names that are no numbers, and what an interrupted save left, are passed over.
        (run / "checkpoints/latest").mkdir()
        (run / "checkpoints/.tmp-2000").mkdir()
        (run / "checkpoints/99999.txt").write_text("")
        self.assertIn("already complete at update 1010", self.hob("resume", run).stderr)
        self.assertFalse((run / "checkpoints/.tmp-2000").exists())

    # case CKP-03
    def test_the_best_and_the_newest_are_both_kept(self):
        # The loss falls all the while: the greatest is that of the first evaluation.
        run = self.train("train.epochs=4", "checkpoint.keep=1", "checkpoint.best=loss",
                         "checkpoint.mode=max")
        self.assertEqual(checkpoints(run), [5, 20])
        results = [self.hob("--json", "eval", run, "--checkpoint", which).stdout
                   for which in ("best", "5", "latest")]
        self.assertEqual(results[0], results[1])
        self.assertIn('"update":20', results[2])
        # The direction that the metric itself has.
        run = self.train("train.epochs=4", "checkpoint.keep=1", "checkpoint.best=loss", run="least")
        self.assertEqual(checkpoints(run), [20])
        self.assertIn('"update":20', self.hob("--json", "eval", run, "--checkpoint", "best").stdout)

    # case NUM-02
    def test_a_best_metric_that_nothing_measures_is_refused_with_the_names_there_are(self):
        text = self.hob("run", self.recipe(), "checkpoint.best=acuracy", code=2).stderr
        self.assertIn("checkpoint.best: no metric gives 'acuracy'", text)
        self.assertIn("did you mean 'accuracy'", text)
        self.assertEqual(checkpoints_or_none(self.folder / "run"), None)

    # case CKP-05: no file may grow beyond 16 KiB, as on a full disk; the model's has 40.
    def test_a_full_disk_names_path_and_cause_and_leaves_the_checkpoint_before(self):
        wide = ("model.hidden=[600]", "optimizer.momentum=0.9")
        straight = self.train(*wide)
        run = self.train(*wide, "train.updates=7", run="full")
        before = hashes(run / "checkpoints")
        command = self.command("resume", run, "train.updates=10")
        done = subprocess.run(["bash", "-c", 'ulimit -f 16; exec "$@"', "bash", *command],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, rf"{run}/checkpoints/.*File too large")
        self.assertEqual(hashes(run / "checkpoints"), before)
        self.hob("resume", run, "train.updates=10")
        self.assertEqual((run / "checkpoints/10/model.safetensors").read_bytes(),
                         (straight / "checkpoints/10/model.safetensors").read_bytes())

    # case CKP-08
    def test_a_folder_that_cannot_be_written_is_refused_before_the_first_update(self):
        recipe = self.recipe()
        (self.folder / "file").write_text("")
        begin = time.monotonic()
        text = self.hob("run", recipe, f"run.dir={self.folder}/file/run", code=2).stderr
        self.assertIn("Not a directory", text)
        self.assertIn(f"{self.folder}/file", text)
        text = self.hob("run", recipe, "run.dir=/proc/hob-test", code=2).stderr
        self.assertIn("/proc/hob-test", text)
        self.assertLess(time.monotonic() - begin, 30)  # two starts of the program, and no training
        # A missing parent is made.
        run = self.train("train.epochs=1", run="missing/parent/run")
        self.assertEqual(checkpoints(run), [5])

    def test_a_folder_that_holds_a_run_or_is_in_use_is_refused(self):
        run = self.train("train.epochs=1")
        before = hashes(run)
        text = self.hob("run", self.recipe(), code=2).stderr
        self.assertIn("holds a run already", text)
        self.assertIn("hob resume", text)
        self.assertEqual(hashes(run), before)
        slow = TINY + '[[monitor]]\nuse = "tripwire"\n'
        process = subprocess.Popen(self.command("run", self.recipe(slow, run="used")),
                                   env={"HOB_TRIP": "0:0:100000", "PATH": "/usr/bin"},
                                   stderr=subprocess.DEVNULL)
        try:
            while not (self.folder / "used/hob.lock.toml").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            text = self.hob("resume", self.folder / "used", code=2).stderr
            self.assertIn(f"in use by process {process.pid}", text)
        finally:
            process.kill()
            process.wait()

    def test_a_lock_file_repeats_the_run_in_another_folder(self):
        run = self.train("model.dropout=0.5", "optimizer.lr=0.03")
        again = self.folder / "again"
        self.hob("run", run / "hob.lock.toml", f"run.dir={again}")
        self.assert_same_run(again, run)

    def test_a_moved_run_is_resumed_where_it_is(self):
        straight = self.train("optimizer.momentum=0.9")
        run = self.train("optimizer.momentum=0.9", "train.updates=5", run="first")
        moved = run.rename(self.folder / "moved")
        self.hob("resume", moved, "train.updates=10")
        self.assertFalse(run.exists())
        self.assertEqual((weights(moved)["head.weight"] - weights(straight)["head.weight"]).norm(),
                         0)


def checkpoints_or_none(run):
    return checkpoints(run) if (run / "checkpoints").exists() else None


if __name__ == "__main__":
    unittest.main()
