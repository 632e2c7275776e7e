#!/usr/bin/env python3
"""The gates of the binary contract stop what they are there for: each is shown a planted fault."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Gates(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="hob-abi-"))
        self.addCleanup(shutil.rmtree, self.root)
        for path in ("sdk/spec.toml", "sdk/abi_baseline.txt", "sdk/tools/generate_abi.py",
                     "tests/abi/offsets.c", "docs/reference/abi.md"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.root / path)
        shutil.copytree(ROOT / "sdk/include/hob/abi", self.root / "sdk/include/hob/abi")

    def edit(self, path, before, after):
        text = (self.root / path).read_text()
        self.assertIn(before, text)
        (self.root / path).write_text(text.replace(before, after, 1))

    def generate(self, *arguments):
        return subprocess.run([sys.executable, "-B", self.root / "sdk/tools/generate_abi.py", *arguments],
                              capture_output=True, text=True)

    def compile(self):
        return subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-I", self.root / "sdk/include",
                               self.root / "tests/abi/offsets.c"], capture_output=True, text=True)

    def test_the_contract_as_it_stands_passes(self):
        self.assertEqual(self.generate("--check").returncode, 0)
        self.assertEqual(self.compile().returncode, 0)

    def test_a_member_in_the_middle_of_a_frozen_struct_is_refused(self):
        self.edit("sdk/spec.toml", '  ["uint64_t step",', '  ["uint64_t inserted", "", ""],\n  ["uint64_t step",')
        result = self.generate()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("hob_group.step was released at offset 16 and is now at 24", result.stderr)

    def test_a_member_that_is_gone_is_refused(self):
        lines = (self.root / "sdk/spec.toml").read_text().splitlines()
        line = next(line for line in lines if "(*tensor_numel)" in line)
        self.edit("sdk/spec.toml", line + "\n", "")
        self.assertNotEqual(self.generate().returncode, 0)

    def test_a_member_at_the_end_of_a_frozen_struct_may_come(self):
        self.edit("sdk/spec.toml", '  ["hob_group_host* host", "", ""],',
                  '  ["hob_group_host* host", "", ""],\n  ["double momentum", "", ""],')
        result = self.generate()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.compile().returncode, 0)

    def test_a_header_that_was_edited_by_hand_is_found(self):
        self.edit("sdk/include/hob/abi/optimizer.h", "hob_list* params;",
                  "hob_list* inserted;\n  hob_list* params;")
        self.assertIn("optimizer.h is not what sdk/spec.toml says", self.generate("--check").stderr)
        self.assertIn("hob_group.params moved", self.compile().stderr)


if __name__ == "__main__":
    unittest.main()
