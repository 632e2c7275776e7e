#!/usr/bin/env python3
"""The tests of the documentation can fail: run_guide.py and check_links.py, each mistake tried."""

import os
import pathlib
import sys
import tempfile
import unittest

import check_links
import run_guide


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()


class RunGuide(Folder):
    def follow(self, *lines):
        return run_guide.follow("\n".join(lines) + "\n", self.folder, dict(os.environ))

    def refused(self, text, *lines):
        with self.assertRaisesRegex(run_guide.GuideError, text):
            self.follow(*lines)

    def test_files_are_written_and_commands_run_in_order(self):
        count = self.follow("```c file=a/b.c", "int x;", "```", "Then:", "```sh", "cat a/b.c",
                            "```", "```text output", "int  x;", "```")
        self.assertEqual(count, 3)
        self.assertEqual((self.folder / "a/b.c").read_text(), "int x;\n")

    def test_other_blocks_are_left_alone(self):
        self.assertEqual(self.follow("```sh skip", "false", "```", "```cpp", "x", "```",
                                     "```", "y", "```"), 0)

    def test_a_failing_command_is_told_with_its_line_and_output(self):
        self.refused(r"line 2: failed with exit code 3:\nhello", "text", "```sh", "echo hello",
                     "(exit 3)", "echo not reached", "```")

    def test_an_unset_variable_and_a_failing_pipe_are_failures(self):
        self.refused("exit code", "```sh", "echo $THERE_IS_NO_SUCH_VARIABLE", "```")
        self.refused("exit code", "```sh", "false | cat", "```")

    def test_output_that_did_not_come_is_told(self):
        self.refused("promises 'two'", "```sh", "echo one", "```", "```text output", "two", "```")
        self.refused("without a shell block", "```text output", "two", "```")

    def test_a_command_that_takes_too_long_is_ended(self):
        limit, run_guide.TIME_LIMIT_S = run_guide.TIME_LIMIT_S, 0.2
        self.addCleanup(setattr, run_guide, "TIME_LIMIT_S", limit)
        self.refused("took more than", "```sh", "sleep 60 | cat", "```")

    def test_mistakes_of_the_page_itself_are_told(self):
        self.refused("nothing closes", "```sh", "true")
        self.refused("no such mark", "```sh slow", "true", "```")
        self.refused("outside", "```c file=../x.c", "int x;", "```")


class CheckLinks(Folder):
    def faults(self, text):
        (self.folder / "docs").mkdir(exist_ok=True)
        (self.folder / "sdk/include").mkdir(parents=True, exist_ok=True)
        (self.folder / "sdk/include/a.h").write_text("")
        (self.folder / "docs/other.md").write_text("# A heading, of `code`\n")
        (self.folder / "README.md").write_text(text)
        return check_links.faults(self.folder)

    def test_what_is_there_is_fine(self):
        self.assertEqual(self.faults("[a](docs/other.md) [b](docs/other.md#a-heading-of-code)\n"
                                     "`sdk/include/a.h`, `a.h`, `sdk/*/a.h`, `sdk/<any>/`\n"
                                     "[c](https://example.org/docs/none.md) `some/thing.h`\n"
                                     "```\nsdk/none.h `sdk/none.h`\n```\n"), [])

    def test_a_broken_link_is_told_with_its_line(self):
        self.assertEqual(self.faults("\n[a](docs/none.md)"),
                         ["README.md:2: links to docs/none.md, and there is no such file"])

    def test_a_missing_heading_is_told(self):
        (fault,) = self.faults("[a](docs/other.md#none)")
        self.assertIn("other.md has no such heading", fault)

    def test_a_link_that_leaves_the_repository_is_told(self):
        self.assertEqual(len(self.faults("[a](../)")), 1)

    def test_a_path_that_is_not_there_is_told(self):
        for code in ("`sdk/none.h`", "`sdk/include/none --check`", "`none.cpp`", "`sdk/<any>/b.h`"):
            self.assertEqual(len(self.faults(code)), 1, code)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
