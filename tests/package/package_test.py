#!/usr/bin/env python3
"""package_test.py BUILD CMAKE: hob's package serves plugins outside of hob, installed or not.

BUILD is a build folder of hob. Its plugins and program need not be built, only installed where they
are: the package is what is tested here.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).with_name("project")
BUILD = pathlib.Path(sys.argv[1])
CMAKE = sys.argv[2]
CACHE = (BUILD / "CMakeCache.txt").read_text()


def cached(name):
    return re.search(rf"^{name}:[A-Z]+=(.*)$", CACHE, re.MULTILINE)[1]


WITH_TORCH = cached("HOB_WITH_TORCH").upper() in ("ON", "TRUE", "1")


def run(*command, **environment):
    """The finished process. No variable that could lead to a LibTorch is left in its environment."""
    left = {k: v for k, v in os.environ.items() if k not in ("Torch_DIR", "CMAKE_PREFIX_PATH")}
    return subprocess.run([str(word) for word in command], env={**left, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def exports(library):
    return [line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", library)]


def dynamic(library):
    return "\n".join(lines_of("readelf", "-dW", library))


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name, "prefix with space")
        done = run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        assert done.returncode == 0, done.stdout

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def installed_package(self):
        return next(self.prefix.glob("lib*/**/hobConfig.cmake")).parent

    def configure(self, package, build, *arguments):
        return run(CMAKE, "-S", PROJECT, "-B", build, "-G", cached("CMAKE_GENERATOR"),
                   f"-Dhob_DIR={package}", f"-DCMAKE_MAKE_PROGRAM={cached('CMAKE_MAKE_PROGRAM')}",
                   f"-DCMAKE_C_COMPILER={cached('CMAKE_C_COMPILER')}",
                   f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}", *arguments)

    def build_project(self, package, *arguments):
        build = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        for done in (self.configure(package, build, *arguments), run(CMAKE, "--build", build)):
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertNotIn("warning", done.stdout.lower())
        return build

    def check_stable_plugins(self, build):
        for name in ("outside.so", "outside_c.so"):
            self.assertEqual(exports(build / name), ["hob_plugin_main"])
            text = dynamic(build / name)
            self.assertIn("NODELETE", text)
            self.assertNotIn("torch", text)
            self.assertNotIn("libc10", text)
        symbols = "\n".join(lines_of("readelf", "-sW", build / "outside.so"))
        self.assertNotRegex(symbols, r"\bUNIQUE\b")

    def test_a_stable_plugin_builds_against_the_installed_package(self):
        self.check_stable_plugins(self.build_project(self.installed_package()))

    def test_a_stable_plugin_builds_against_the_build_folder(self):
        self.check_stable_plugins(self.build_project(BUILD / "sdk"))

    def test_the_installed_package_names_no_folder_of_the_source_tree(self):
        source = cached("CMAKE_HOME_DIRECTORY")
        for file in self.installed_package().iterdir():
            text = file.read_text().replace(f'HOB_TORCH_HINT "{source}', "")
            self.assertNotIn(source, text, file)

    def test_a_wrong_call_of_hob_add_plugin_is_refused(self):
        done = run(CMAKE, f"-DCMAKE_CURRENT_LIST_DIR={PROJECT}", "-P",
                   self.write("call.cmake", f'include("{self.installed_package()}/hob_add_plugin.cmake")'
                              "\nhob_add_plugin(lion lion.cpp)\n"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hob_add_plugin(lion): expected SOURCES", done.stdout)

    def write(self, name, text):
        file = pathlib.Path(self.folder.name, name)
        file.write_text(text)
        return file

    @unittest.skipUnless(WITH_TORCH, "hob was built without LibTorch")
    def test_a_native_plugin_is_bound_to_libtorch(self):
        for package in (self.installed_package(), BUILD / "sdk"):
            build = self.build_project(package, "-DNATIVE=ON")
            self.check_stable_plugins(build)
            self.assertEqual(exports(build / "outside_native.so"), ["hob_plugin_main"])
            self.assertRegex(dynamic(build / "outside_native.so"), r"NEEDED.*libtorch_cpu\.so")

    @unittest.skipUnless(WITH_TORCH, "hob was built without LibTorch")
    def test_a_libtorch_that_is_none_is_refused_and_the_sentence_says_what_to_do(self):
        build = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        nowhere = build / "share/cmake/Torch"
        done = self.configure(self.installed_package(), build, "-DNATIVE=ON", f"-DTorch_DIR={nowhere}")
        self.assertNotEqual(done.returncode, 0)
        words = " ".join(done.stdout.split())
        self.assertIn("LibTorch was not found", words)
        self.assertIn("Torch_DIR", words)

    @unittest.skipIf(WITH_TORCH, "hob was built with LibTorch")
    def test_a_hob_without_libtorch_says_that_it_serves_no_native_plugin(self):
        build = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        done = self.configure(self.installed_package(), build, "-DNATIVE=ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("was built without LibTorch", " ".join(done.stdout.split()))

    @unittest.skipUnless((BUILD / "bin/hob").exists(), "the program is not built")
    def test_the_installed_program_finds_libtorch_and_its_plugins(self):
        done = run(self.prefix / "bin/hob", "list", LD_LIBRARY_PATH="", HOB_PLUGIN_PATH="")
        self.assertEqual(done.returncode, 0, done.stdout)
        for plugin in (BUILD / "lib/hob/plugins").glob("*.so"):
            self.assertRegex(done.stdout, rf"\borg\.hob\.{plugin.stem}\b")
        self.assertNotIn("warn", done.stdout.lower())

    @unittest.skipUnless((BUILD / "bin/hob").exists(), "the program is not built")
    def test_an_outside_plugin_gets_a_test_of_hob_verify(self):
        build = self.build_project(self.installed_package())
        tests = run(pathlib.Path(CMAKE).with_name("ctest"), "--test-dir", build, "-N").stdout
        self.assertIn("verify.outside", tests)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
