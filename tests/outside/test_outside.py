"""Plugins from outside: built against the installed SDK alone, away from the source tree, verified,
and trained with by the installed program. usage: test_outside.py BUILD CMAKE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "recipes"))
from support import RunTest, TINY, differing, weights

if __name__ == "__main__":
    BUILD, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2]
    CACHE = (BUILD / "CMakeCache.txt").read_text()

FIXTURE = TESTS / "abi/fixture_optimizer"


def cached(name):
    return re.search(rf"^{name}:[A-Z]+=(.*)$", CACHE, re.MULTILINE)[1]


class OutsideTest(RunTest):
    @classmethod
    def setUpClass(cls):
        cls.outside = pathlib.Path(tempfile.mkdtemp(prefix="hob outside "))
        cls.prefix = cls.outside / "prefix"
        cls.run_checked(CMAKE, "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.outside)

    @staticmethod
    def run_checked(*command):
        """What a command wrote; nothing in its environment leads to hob's source or build."""
        left = {k: v for k, v in os.environ.items() if not k.startswith(("HOB", "CMAKE", "Torch"))}
        done = subprocess.run([str(word) for word in command], env=left, text=True, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        return done.stdout

    def command(self, *arguments):
        return [str(self.prefix / "bin/hob"), *map(str, arguments)]

    def build(self, source):
        """The folder of the plugins that a project's CMake made."""
        build = self.folder / (source.name + "-build")
        self.run_checked(CMAKE, "-S", source, "-B", build, "-G", cached("CMAKE_GENERATOR"),
                         f"-DCMAKE_MAKE_PROGRAM={cached('CMAKE_MAKE_PROGRAM')}",
                         f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}",
                         f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotIn("warning", self.run_checked(CMAKE, "--build", build).lower())
        for file in build.glob("*.ninja"):
            self.assertFalse(f"{TESTS.parent}/sdk" in file.read_text(), file)
        return build

    def new(self, kind, name):
        self.run_checked(self.prefix / "bin/hob", "new", kind, name, "--dir", self.folder / name)
        return self.folder / name

    def check_verified(self, plugin):
        self.run_checked(self.prefix / "bin/hob", "verify", plugin, "--timeout", "120")

    def train_with(self, plugins, *overrides, text=TINY, run="run"):
        recipe = self.recipe(text)
        done = self.hob("run", "--plugin-path", plugins, recipe, f"run.dir={self.folder / run}",
                        *overrides)
        return self.folder / run, done.stderr

    def compile_c(self, *includes):
        """The C optimizer, by the compiler alone."""
        folder = self.folder / "c plugin"
        folder.mkdir(exist_ok=True)
        plugin = folder / "fixture_optimizer.so"
        self.run_checked("cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic-errors",
                         "-shared", "-fPIC", "-fvisibility=hidden",
                         *[f"-I{path}" for path in includes],
                         FIXTURE / "fixture_optimizer.c", "-o", plugin)
        return plugin

    def test_a_new_optimizer_is_built_verified_and_trained_with(self):
        build = self.build(self.new("optimizer", "my_optimizer"))
        self.check_verified(build / "my_optimizer.so")
        plain, _ = self.train_with(self.folder, run="plain")
        run, _ = self.train_with(build, "optimizer.use=my_optimizer", "optimizer.lr=0.01")
        self.assertNotEqual(differing(weights(run), weights(plain)), [])
        self.assertIn("my_optimizer.so", (run / "hob.lock.toml").read_text())
        # Its state goes through checkpoints.
        self.hob("run", "--plugin-path", build, self.folder / "recipe.toml",
                 f"run.dir={self.folder}/part", "optimizer.use=my_optimizer", "optimizer.lr=0.01",
                 "train.updates=5")
        self.hob("resume", "--plugin-path", build, self.folder / "part", "train.updates=10")
        self.assertEqual(differing(weights(self.folder / "part"), weights(run)), [])
        # Without its folder, the run names what is missing.
        text = self.hob("resume", self.folder / "part", code=2).stderr
        self.assertIn("my_optimizer", text)

    def test_a_new_monitor_is_built_verified_and_sees_the_run(self):
        build = self.build(self.new("monitor", "my_monitor"))
        self.check_verified(build / "my_monitor.so")
        plain, _ = self.train_with(self.folder, run="plain")
        text = TINY + '[[monitor]]\nuse = "my_monitor"\nevery = 1\nfactor = 1.0001\n'
        run, told = self.train_with(build, text=text)
        self.assertRegex(told, r"the loss of update \d+ is")
        self.assertEqual(differing(weights(run), weights(plain)), [])

    def test_a_plugin_in_c_is_built_with_the_compiler_alone_and_trains_as_sgd_does(self):
        plain, _ = self.train_with(self.folder, "optimizer.momentum=0.9",
                                   "optimizer.weight_decay=0.01", run="plain")
        # Against the headers that are installed today, and against those of SDK 1.0.
        for i, headers in enumerate((self.prefix / "include", FIXTURE / "abi-1.0")):
            plugin = self.compile_c(headers)
            self.check_verified(plugin)
            text = TINY.replace('use = "sgd"', 'use = "fixture_optimizer"\nweight_decay = 0.01')
            run, _ = self.train_with(plugin, text=text, run=f"run{i}")
            expected = weights(plain)
            for name, found in weights(run).items():  # the same formula, in other operations
                self.assertLess((found - expected[name]).norm(), 1e-5 * expected[name].norm())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
