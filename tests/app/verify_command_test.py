#!/usr/bin/env python3
"""verify_command_test.py HOB BUILD: the command line of hob verify."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HOB, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
BAD = BUILD / "tests/bad_plugins/plugins"
PLUGINS = BUILD / "lib/hob/plugins"
SGD = PLUGINS / "sgd.so"


def verify(*arguments, **environment):
    return subprocess.run([HOB, "verify", *map(str, arguments)], text=True, capture_output=True,
                          env={**os.environ, **environment})


class Verify(unittest.TestCase):
    def json(self, code, *arguments):
        result = verify("--json", *arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)

    def refused(self, *arguments):
        result = verify(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        return result.stderr

    def test_a_good_plugin_passes_and_every_test_is_told(self):
        result = verify(SGD)
        self.assertEqual(result.returncode, 0, result.stdout)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], rf"^plugin org\.hob\.sgd \S+, {SGD}$")
        self.assertIn("  pass     plugin.loads", lines)
        self.assertIn("  pass     optimizer.resume_is_bitwise", lines)
        self.assertRegex(lines[-1], r"^\d+ passed, 0 failed, 0 skipped$")

    def test_json_has_each_test_with_its_component_result_seed_and_time(self):
        report = self.json(0, SGD, "--seed", 5)
        (file,) = report["files"]
        self.assertEqual((file["plugin"], file["file"]), ("org.hob.sgd", str(SGD)))
        tests = {test["test"]: test for test in file["tests"]}
        test = tests["optimizer.is_deterministic"]
        self.assertEqual((test["component"], test["result"], test["seed"]),
                         ("optimizer/sgd", "pass", 5))
        self.assertGreater(test["seconds"], 0)
        self.assertEqual(report["passed"], len(tests))

    def test_several_files_are_verified_in_turn(self):
        report = self.json(0, PLUGINS / "constant.so", PLUGINS / "cosine.so")
        self.assertEqual([file["plugin"] for file in report["files"]],
                         ["org.hob.constant", "org.hob.cosine"])

    def test_a_refused_plugin_is_3_and_does_not_stop_the_others(self):
        report = self.json(3, BAD / "newer_sdk.so", PLUGINS / "constant.so")
        refused, good = report["files"]
        self.assertIn("SDK 1.99", refused["refused"][0]["needs"])
        self.assertEqual(refused["tests"], [])
        self.assertTrue(good["tests"])
        self.assertEqual(report["refused"], 1)
        text = verify(BAD / "newer_sdk.so").stdout
        self.assertIn("refused; none of its code was run", text)
        self.assertIn("0 passed, 0 failed, 0 skipped, 1 refused", text)

    def test_a_plugin_whose_code_fails_when_it_is_loaded_has_failed(self):
        for name, words in (("throws_error", "no luck"), ("more_components", "components")):
            report = self.json(1, BAD / f"{name}.so")
            ((test,),) = [file["tests"] for file in report["files"]]
            self.assertEqual((test["test"], test["result"]), ("plugin.loads", "fail"))
            self.assertIn(words, test["message"])
        report = self.json(1, BAD / "throws_in_static.so")
        (test,) = report["files"][0]["tests"]
        self.assertEqual((test["test"], test["result"]), ("plugin.loads", "crash"))

    def test_a_file_that_is_none_is_a_wrong_command_line(self):
        self.assertIn("there is no file 'nowhere/lion.so'", self.refused("nowhere/lion.so"))

    def test_one_test_is_reproduced_alone(self):
        report = self.json(0, SGD, "--reproduce", "optimizer.is_deterministic:17")
        ((test,),) = [file["tests"] for file in report["files"]]
        self.assertEqual((test["test"], test["seed"]), ("optimizer.is_deterministic", 17))

    def test_a_test_that_is_none_is_refused_with_the_nearest(self):
        self.assertIn("did you mean 'optimizer.is_deterministic'?",
                      self.refused(SGD, "--reproduce", "optimizer.is_determinstic:1"))
        for wrong in ("optimizer.is_deterministic", "optimizer.is_deterministic:", ":1x", "a:-1"):
            self.assertIn("expected a test and its seed", self.refused(SGD, "--reproduce", wrong))

    def test_a_component_that_is_none_is_refused_with_the_nearest(self):
        self.assertIn("did you mean 'optimizer/sgd'?",
                      self.refused(SGD, "--component", "optimizer/sdg"))

    def test_parameters_are_checked_as_in_a_recipe(self):
        for param, words in (("momentun=0.5", "did you mean 'momentum'?"),
                             ("momentum=1.5", "at least 0 and less than 1"),
                             ("momentum=fast", "expected float"), ("momentum", "expected name=value")):
            self.assertIn(words, self.refused(SGD, "--param", param))
        self.json(0, "--param", "momentum=0.9", "--param", "nesterov=true", SGD)

    def test_a_component_that_needs_a_path_is_skipped_and_says_how_it_would_not_be(self):
        report = self.json(0, PLUGINS / "idx.so")
        test = report["files"][0]["tests"][-1]
        self.assertEqual((test["test"], test["result"]), ("component.creates", "skip"))
        self.assertIn("--param path=", test["message"])

    def test_a_given_path_that_is_not_there_has_failed(self):
        report = self.json(1, PLUGINS / "idx.so", "--param", "path=/nowhere")
        test = report["files"][0]["tests"][-1]
        self.assertEqual((test["test"], test["result"]), ("component.creates", "fail"))
        self.assertIn("/nowhere", test["message"])

    def test_the_temporary_folders_of_the_tests_are_gone_afterwards(self):
        with tempfile.TemporaryDirectory() as folder:
            result = verify(PLUGINS / "jsonl.so", TMPDIR=folder)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertEqual(os.listdir(folder), [])

    def test_a_new_project_builds_and_passes_by_the_commands_that_are_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([HOB, "new", "optimizer", "my_opt"], cwd=folder, text=True,
                                  capture_output=True, check=True)
            cmake = re.search(r"^CMAKE_COMMAND:INTERNAL=(.*)$",
                              (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
            path = f"{pathlib.Path(cmake).parent}:{os.environ['PATH']}"
            for command in made.stdout.split("next\n")[1].splitlines():
                done = subprocess.run(["sh", "-c", command], cwd=folder, text=True,
                                      capture_output=True, env={**os.environ, "PATH": path})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"\d+ passed, 0 failed, \d+ skipped\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
