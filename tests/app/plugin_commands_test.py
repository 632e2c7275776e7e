#!/usr/bin/env python3
"""plugin_commands_test.py HOB BUILD: hob list, describe and new, as a user meets them."""

import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

HOB, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
BAD = BUILD / "tests/bad_plugins/plugins"
PLUGINS = BUILD / "lib/hob/plugins"
KINDS = ["model", "dataset", "transform", "objective", "metric", "optimizer", "schedule",
         "precision", "compression", "memory", "callback", "monitor"]


def hob(*arguments, cwd=None):
    environment = {k: v for k, v in os.environ.items() if k != "HOB_PLUGIN_PATH"}
    return subprocess.run([HOB, *map(str, arguments)], env=environment, cwd=cwd, text=True,
                          capture_output=True)


class Command(unittest.TestCase):
    def done(self, *arguments, cwd=None):
        result = hob(*arguments, cwd=cwd)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def json(self, *arguments):
        return json.loads(self.done("--json", *arguments))

    def refused(self, code, *arguments, cwd=None):
        """The complaint of a command that fails with this code and prints no result."""
        result = hob(*arguments, cwd=cwd)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        return result.stderr


class List(Command):
    def test_every_component_stands_under_its_kind_with_plugin_version_and_summary(self):
        lines = self.done("list").splitlines()
        self.assertEqual([line for line in lines if not line.startswith(" ")], KINDS)
        adamw = next(line for line in lines if line.startswith("  adamw "))
        self.assertLess(lines.index("optimizer"), lines.index(adamw))
        self.assertLess(lines.index(adamw), lines.index("schedule"))
        self.assertRegex(adamw, r"^  adamw +org\.hob\.adamw \d+\.\d+\.\d+ +Adam with decoupled weight")

    def test_a_kind_is_listed_alone_and_an_unknown_one_is_refused_with_the_nearest(self):
        names = [c["name"] for c in self.json("list", "optimizer")["components"]]
        self.assertEqual(names, sorted(names))
        self.assertLessEqual({"adamw", "sgd"}, set(names))
        complaint = self.refused(2, "list", "optimisers")
        self.assertIn("no kind of component named 'optimisers'", complaint)
        self.assertIn("did you mean 'optimizer'?", complaint)

    def test_json_has_all_that_the_text_has(self):
        found = {c["name"]: c for c in self.json("list")["components"]}
        self.assertEqual(found["cosine"]["kind"], "schedule")
        self.assertEqual(found["cosine"]["plugin"], "org.hob.cosine")
        self.assertEqual(found["cosine"]["use"], "cosine")
        self.assertEqual(found["cosine"]["file"], str(PLUGINS / "cosine.so"))

    def test_a_refused_plugin_is_listed_with_its_reasons_and_does_not_hide_the_others(self):
        path = ("--plugin-path", BAD / "newer_sdk.so")
        result = hob(*path, "list")
        self.assertEqual(result.returncode, 0)
        self.assertIn("  adamw ", result.stdout)
        self.assertIn("1 plugin was refused; hob list --refused says why", result.stderr)
        text = self.done(*path, "list", "--refused")
        self.assertIn(str(BAD / "newer_sdk.so"), text)
        self.assertRegex(text, r"needs +SDK 1\.99")
        (refused,) = self.json(*path, "list")["refused"]
        self.assertEqual(refused["file"], str(BAD / "newer_sdk.so"))
        self.assertIn("SDK 1.99", refused["reasons"][0]["needs"])
        self.assertTrue(refused["reasons"][0]["fix"])

    def test_without_refused_plugins_there_is_nothing_to_say_of_them(self):
        self.assertEqual(self.done("list", "--refused"), "no plugin was refused\n")

    def test_no_code_of_a_plugin_runs(self):
        for arguments in (("list",), ("describe", BAD / "throws_in_static.so")):
            self.done("--plugin-path", BAD / "throws_in_static.so", *arguments)

    def test_a_line_is_wrapped_at_the_width_of_the_terminal(self):
        leader, follower = pty.openpty()
        import fcntl
        import struct
        import termios
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        process = subprocess.Popen([HOB, "list", "optimizer"], stdout=follower,
                                   stderr=subprocess.DEVNULL)
        os.close(follower)
        text = b""
        while True:
            try:
                piece = os.read(leader, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(leader)
        self.assertEqual(process.wait(), 0)
        lines = text.decode().splitlines()
        self.assertGreater(max(map(len, lines)), 50)
        self.assertLessEqual(max(map(len, lines)), 70)


class Describe(Command):
    def component(self, query):
        (plugin,) = self.json("describe", query)["plugins"]
        (component,) = plugin["components"]
        return plugin, component

    def test_a_name_a_kind_and_a_plugin_lead_to_the_same_component(self):
        for query in ("cosine", "schedule/cosine", "cosine/cosine", "org.hob.cosine/cosine",
                      "org.hob.cosine", PLUGINS / "cosine.so"):
            plugin, component = self.component(query)
            self.assertEqual((plugin["plugin"], component["kind"]), ("org.hob.cosine", "schedule"))

    def test_a_parameter_is_shown_with_type_default_range_and_help(self):
        _, component = self.component("cosine")
        (param,) = component["params"]
        self.assertEqual(param, {"name": "min_factor", "type": "float", "unit": "", "default": 0.0,
                                 "min": 0.0, "max": 1.0, "help": "factor at the end",
                                 "numerics": True, "may_change_on_resume": False})
        self.assertIn("  min_factor = 0.0\n      float, at least 0 and at most 1\n"
                      "      factor at the end\n", self.done("describe", "cosine"))

    def test_open_bounds_choices_units_and_flags_are_told(self):
        self.assertIn("greater than 0", self.done("describe", "normalize"))
        self.assertIn("one of 'imagenet', 'small'", self.done("describe", "resnet"))
        self.assertIn("required, in pixels", self.done("describe", "random_crop"))
        self.assertIn("does not change the trained weights, may change on resume",
                      self.done("describe", "recompute"))

    def test_the_tier_the_tables_and_the_operators_are_told(self):
        plugin, component = self.component("adamw")
        self.assertEqual(plugin["tier"], "stable")
        self.assertIn("hob.ops/1", plugin["interfaces"])
        self.assertTrue(any(o.startswith("aten::_fused_adamw_") for o in plugin["operators"]))
        self.assertIn("weight_decay", component["traits"])
        self.assertNotIn("aten::", self.done("describe", "adamw"))
        self.assertIn("aten::_fused_adamw_", self.done("describe", "adamw", "--operators"))
        plugin, _ = self.component("mlp")
        self.assertEqual((plugin["tier"], plugin["torch"]["cxx11_abi"]), ("native", 1))

    def test_an_unknown_name_is_refused_with_the_nearest(self):
        self.assertIn("did you mean 'adamw'?", self.refused(2, "describe", "adamv"))
        complaint = self.refused(2, "describe", "optimizer/adamv")
        self.assertIn("did you mean 'optimizer/adamw'?", complaint)
        self.assertIn(f"plugins were looked for in {PLUGINS}", complaint)
        self.refused(2, "describe", "model/adamw")

    def test_a_file_that_is_none_is_a_wrong_command_line(self):
        self.assertIn("there is no file", self.refused(2, "describe", "nowhere/lion.so"))

    def test_a_refused_file_is_described_with_its_reasons(self):
        text = self.done("describe", BAD / "newer_sdk.so")
        self.assertIn("made for    SDK 1.99", text)
        self.assertIn("refused     this hob does not use it", text)
        self.assertIn("needs SDK 1.99", text)
        (plugin,) = self.json("describe", BAD / "newer_sdk.so")["plugins"]
        self.assertIn("SDK 1.99", plugin["refused"][0]["needs"])

    def test_a_file_that_is_no_plugin_is_refused(self):
        self.assertIn("no note of hob", self.refused(3, "describe", BAD / "no_note.so"))
        self.assertIn("not an ELF file", self.refused(3, "describe", __file__))


class New(Command):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_every_kind_has_a_template_that_is_filled_in(self):
        for kind in KINDS:
            self.done("new", kind, f"my_{kind}", cwd=self.folder)
            project = self.folder / f"my_{kind}"
            self.assertEqual(sorted(f.name for f in project.iterdir()),
                             ["CMakeLists.txt", "README.md", f"my_{kind}.cpp"])
            for file in project.iterdir():
                self.assertNotRegex(file.read_text(), r"@[A-Z]+@")
            source = (project / f"my_{kind}.cpp").read_text()
            self.assertIn(f'"my_{kind}"', source)
            self.assertIn(f"class My{kind.capitalize()} ", source)
            self.assertIn(f"hob_add_plugin(my_{kind} SOURCES my_{kind}.cpp",
                          (project / "CMakeLists.txt").read_text())

    def test_the_next_commands_are_printed_for_a_shell(self):
        project = self.folder / "it's here"
        text = self.done("new", "schedule", "step_down", "--dir", project)
        configure, verify = text.split("next\n")[1].splitlines()
        self.assertIn("'\\''s here", configure)
        words = subprocess.run(["sh", "-c", f"printf '%s\\n' {verify.strip()}"], text=True,
                               capture_output=True, check=True).stdout.splitlines()
        self.assertEqual(words, [str(HOB), "verify", str(project / "build/step_down.so")])

    def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(self):
        for name in ("", "My_opt", "9lives", "my-opt", "my opt", "../up", "_x", "é", "a" * 65,
                     "test"):
            self.assertIn("cannot be named", self.refused(2, "new", "optimizer", "--dir", "out",
                                                          "--", name, cwd=self.folder))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_unknown_kind_is_refused_with_the_nearest(self):
        complaint = self.refused(2, "new", "optimiser", "lion", cwd=self.folder)
        self.assertIn("did you mean 'optimizer'?", complaint)
        self.refused(2, "new", "../optimizer", "lion", cwd=self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_holds_something_is_left_alone(self):
        (self.folder / "lion").mkdir()
        (self.folder / "lion/notes.txt").write_text("mine")
        (self.folder / "file").write_text("mine")
        for place in ("lion", "file"):
            complaint = self.refused(2, "new", "optimizer", "lion", "--dir", place, cwd=self.folder)
            self.assertIn("nothing was written", complaint)
        self.assertEqual([f.name for f in (self.folder / "lion").iterdir()], ["notes.txt"])

    def test_an_empty_folder_is_filled(self):
        (self.folder / "lion").mkdir()
        self.done("new", "optimizer", "lion", cwd=self.folder)
        self.assertTrue((self.folder / "lion/lion.cpp").exists())

    def test_json_names_the_files_and_the_next_commands(self):
        result = self.json("new", "optimizer", "lion", "--dir", self.folder / "x")
        self.assertEqual(result["files"], ["CMakeLists.txt", "README.md", "lion.cpp"])
        self.assertEqual(len(result["next"]), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
