"""What the program says and leaves where something is wrong: nothing on disk, the place, the fix."""

import json
import math
import os
import pathlib
import re
import struct
import subprocess
import unittest

from safetensors.torch import save_file

from support import PLUGINS, RunTest, TINY, checkpoints, differing, rows, weights

CONSOLE = TINY.replace('use = "jsonl"', 'use = "console"\nevery = 1\ninterval_s = 0.0')
IDX = """use = "idx"
path = "{dir}/.."
"""


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


class ErrorsTest(RunTest):
    def refused(self, *overrides, text=TINY, code=2):
        """The message of a recipe that must not be run, and must leave nothing behind."""
        message = self.hob("run", self.recipe(text), *overrides, code=code).stderr
        if code == 2:
            self.assertFalse((self.folder / "run/checkpoints").exists())
        return message

    def test_a_syntax_error_is_told_with_file_line_and_column(self):
        text = self.refused(text=TINY.replace("lr = 0.1", "lr = = 0.1"))
        line = 1 + TINY[:TINY.index("lr = 0.1")].count("\n")
        self.assertIn(f"{self.folder}/recipe.toml:{line}:6: error: ", text)
        self.assertFalse((self.folder / "run").exists())

    # case CFG-01
    def test_all_errors_of_meaning_are_told_at_once_with_the_nearest_names(self):
        wrong = (TINY.replace("lr = 0.1", "learning_rate = 0.1")
                 .replace('use = "constant"', 'use = "cosin"')
                 .replace("epochs = 2", "epochs = -2").replace("hidden", "hiden"))
        text = self.refused(text=wrong)
        for what, hint in (("'learning_rate'", "'lr'"), ("'cosin'", "'cosine'"),
                           ("'hiden'", "'hidden'"), ("'epochs'", "-2")):
            lines = [line for line in text.splitlines() if what in line]
            self.assertEqual(len(lines), 1, text)
            self.assertIn(hint, lines[0])
            self.assertRegex(lines[0], r"recipe\.toml:\d+:\d+: error: ")
        self.assertFalse((self.folder / "run").exists())
        self.assertEqual(self.hob("check", self.folder / "recipe.toml", code=2).stderr, text)

    def test_wrong_words_of_the_command_line_are_refused(self):
        for arguments in ((), ("run",), ("train", "x"), ("run", "missing.toml"),
                          ("resume", self.folder / "missing"), ("eval", self.folder)):
            self.hob(*arguments, code=2)
        text = self.refused("optimizer.lrr=1")
        self.assertRegex(text, "command line: .*'lrr'.*'lr'")
        self.assertIn("no GPU that LibTorch can use", self.refused("run.device=cuda:63")
                      if not os.path.exists("/dev/nvidia0") else "no GPU that LibTorch can use")

    def test_data_that_are_not_there_are_named_before_anything_is_written(self):
        text = self.refused(text=TINY.replace('use = "synthetic"\nsize = 40\nshape = [3, 2, 2]',
                                              f'use = "idx"\npath = "{self.folder}/nowhere"'))
        self.assertIn(f"{self.folder}/nowhere/train-images-idx3-ubyte: there is no such file", text)

    # case MET-05
    def test_a_label_beyond_the_models_classes_is_told_before_the_first_update(self):
        self.write_idx(4, labels=[0, 1, 7, 2])
        text = self.refused(text=self.idx_recipe("classes = 4\n"))
        self.assertIn("label 7 of sample 2 is not below classes = 4", text)
        text = self.refused("dataset.train.classes=5")
        self.assertIn("the data's field 'label' has 5 classes", text)
        self.assertIn("only 4 apart; raise model.num_classes", text)
        self.hob("run", self.recipe(), "model.num_classes=5", "dataset.train.classes=5",
                 "train.updates=1")  # no other folder is needed

    # case LDR-01
    def test_an_epoch_without_updates_is_refused_and_a_short_batch_is_trained(self):
        text = self.refused("dataset.train.size=7", "loader.batch_size=16", "loader.drop_last=true")
        self.assertIn("an epoch would have no update", text)
        run = self.train("dataset.train.size=7", "loader.batch_size=16", run="short")
        self.assertEqual(checkpoints(run), [1, 2])
        self.write_idx(0)
        self.assertIn("0", self.refused(text=self.idx_recipe()))

    def write_idx(self, count, labels=None):
        (self.folder / "train-images-idx3-ubyte").write_bytes(
            struct.pack(">4I", 2051, count, 2, 6) + bytes(12 * count))
        (self.folder / "train-labels-idx1-ubyte").write_bytes(
            struct.pack(">2I", 2049, count) + bytes(labels or [0] * count))

    @staticmethod
    def idx_recipe(keys=""):
        return re.sub(r"use = .synthetic.\n(.+\n)+?(?=\[)", IDX + keys +
                      '[[dataset.train.transform]]\nuse = "normalize"\nmean = [0.5]\nstd = [0.5]\n',
                      TINY, count=1)

    # case SAF-01, SAF-02, SAF-04, SAF-06, SAF-08, SAF-11
    def test_files_of_weights_that_lie_are_refused(self):
        first = weights(self.train("train.updates=1", "optimizer.lr=0", run="first"))
        path = self.folder / "weights.safetensors"
        save_file(first, path)
        whole = path.read_bytes()
        huge = 2**33
        for content, expected in (
                (b"", "bytes"), (b"PK\3\4" + bytes(60), ""), (whole[:-4], "bytes"),
                (whole + bytes(16), "bytes"), (whole[:20], ""),
                (struct.pack("<Q", 2**62) + whole[8:], "header"),
                (safetensors({"a": tensor([1000, 1000], 0, 4)}, bytes(4)), "'a'"),
                (safetensors({"a": tensor([huge, huge], 0, 4)}, bytes(4)), "'a'"),
                (safetensors({"a": tensor([-1], 0, 4)}, bytes(4)), "'a'"),
                (safetensors({"a": tensor([1], 8, 4)}, bytes(8)), "'a'"),
                (safetensors({"a": tensor([100], 0, 400)}, bytes(100)), "300 bytes are missing"),
                (safetensors({"a": tensor([1], 0, 4, "F99")}, bytes(4)), "'a'"),
                (safetensors(b'{"a":1,"a":2}'), "a"), (safetensors(b'{"__metadata__":{"a":1}}'), ""),
                (safetensors(b"[" * 100000), "")):
            path.write_bytes(content)
            text = self.refused(f"+model.weights.path={path}")
            self.assertIn(str(path), text)
            self.assertIn(expected, text)
        # An odd length of the header is none of the errors.
        end = 8 + struct.unpack("<Q", whole[:8])[0]
        header = whole[8:end] + b" " * (1 - end % 2)
        self.assertEqual(len(header) % 2, 1)
        path.write_bytes(safetensors(header, whole[end:]))
        run = self.train(f"+model.weights.path={path}", "train.updates=1", "optimizer.lr=0",
                         run="odd")
        self.assertEqual(differing(weights(run), first), [])

    def test_weights_that_do_not_fit_the_model_are_named(self):
        first = weights(self.train("train.updates=1", run="first"))
        path = self.folder / "weights.safetensors"
        save_file({"head.weight": first["head.weight"][:3], "head.bias": first["head.bias"]}, path)
        text = self.refused(f"+model.weights.path={path}")
        self.assertIn("it lacks 'hidden.0.bias', 'hidden.0.weight'", text.replace(
            "'hidden.0.weight', 'hidden.0.bias'", "'hidden.0.bias', 'hidden.0.weight'"))
        self.assertIn("head.weight [3, 16], the model's is [4, 16]", text)
        run = self.train(f"+model.weights.path={path}", '+model.weights.reset=["hidden*", "*weight"]',
                         "train.updates=1", "optimizer.lr=0", run="reset")
        self.assertEqual(weights(run)["head.bias"].tolist(), first["head.bias"].tolist())
        self.assertIn("matches no parameter", self.refused('+model.weights.freeze=["hiden*"]'))
        text = self.refused(text=TINY + '[[optimizer.group]]\nmatch = ["role:norm"]\n')
        self.assertIn("matches no parameter that is trained", text)

    # case MET-01
    def test_an_evaluation_weighs_every_sample_alike_whatever_its_batches(self):
        run = self.train()
        results = []
        for batch in (1, 3, 5, 22):
            told = json.loads(self.hob("--json", "eval", run, f"eval.batch_size={batch}").stdout)
            results.append(told["results"])
        for other in results[1:]:
            self.assertEqual(other["accuracy"], results[0]["accuracy"])
            self.assertAlmostEqual(other["loss"], results[0]["loss"], delta=1e-6)
        self.assertEqual(results[0]["accuracy"] * 22 % 1, 0)

    # case NUM-02, MON-03
    def test_a_loss_that_is_not_finite_ends_the_run_and_replaces_no_checkpoint(self):
        run = self.folder / "run"
        text = self.hob("run", self.recipe(), "optimizer.lr=1e30", "checkpoint.every=1up",
                        "monitor.0.every=1", code=1).stderr
        self.assertRegex(text, "not a number|infinite|not finite")
        self.assertIn("Lower optimizer.lr", text)
        for update in checkpoints(run) if (run / "checkpoints").exists() else []:
            for name, values in weights(run, update).items():
                self.assertTrue(values.isfinite().all(), (update, name))
        told = [float(row["scalars"]["loss"]) for row in rows(run)]  # strict JSON all the same
        self.assertFalse(all(math.isfinite(loss) for loss in told))

    # case AMP-06, TOK-06
    def test_updates_that_are_skipped_are_counted_and_too_many_in_a_row_end_the_run(self):
        skip = ("train.on_nonfinite=skip", "optimizer.lr=1e38")
        text = self.hob("run", self.recipe(), *skip, "train.epochs=40", code=1).stderr
        self.assertIn("(skipped 50 so far)", text)
        self.assertIn("50 updates in a row were skipped", text)
        # A few are passed over, and move neither count nor schedule.
        done = self.hob("--json", "run", self.recipe(), *skip, f"run.dir={self.folder}/few")
        self.assertEqual([json.loads(done.stdout)[key] for key in ("update", "skipped")], [1, 9])
        # Not one label counts.
        text = self.hob("run", self.recipe(), "dataset.train.classes=1",
                        "objective.ignore_index=0", f"run.dir={self.folder}/none", code=1).stderr
        self.assertIn("every update was skipped; nothing was learnt", text)

    # case MON-06
    def test_lines_in_a_pipe_are_plain(self):
        done = self.hob("run", self.recipe(CONSOLE), env={"TERM": "xterm"})
        self.assertIn("update 10/10", done.stdout)
        for text in (done.stdout, done.stderr, (self.folder / "run/run.log").read_text()):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\r", text)

    # case MON-06
    def test_a_reader_that_goes_away_does_not_end_the_run(self):
        command = self.command("run", self.recipe(CONSOLE), "train.epochs=40")
        quoted = " ".join(f"'{word}'" for word in command)
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {quoted} 2>&1 | head -1"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 1), done.stdout)
        self.assertEqual(checkpoints(self.folder / "run")[-1], 200)
        self.assertIn("this monitor is left out", (self.folder / "run/run.log").read_text())

    def test_a_plugin_that_cannot_be_loaded_stops_only_the_runs_that_need_it(self):
        broken = self.folder / "plugins"
        broken.mkdir()
        (broken / "broken.so").write_bytes(b"no ELF file")
        self.hob("--plugin-path", broken, "run", self.recipe(), "train.epochs=1")
        cut = pathlib.Path(PLUGINS, "tripwire.so").read_bytes()
        (broken / "broken.so").write_bytes(cut[:len(cut) // 2])
        self.hob("--plugin-path", broken, "run", self.recipe(), "train.epochs=1",
                 f"run.dir={self.folder}/second")


if __name__ == "__main__":
    unittest.main()
