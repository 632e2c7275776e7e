#!/usr/bin/env python3
"""Shows that check_layers.py passes what is right and can fail: each fault is planted in a tree."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_layers

SOUND = {
    "sdk/include/hob/abi/core.h": '#include <stdint.h>\n#include <hob/abi/types.h>\n#include "types.h"\n',
    "sdk/include/hob/optimizer.h": "#include <vector>\n#include <hob/abi/core.h>\n",
    "sdk/include/hob/native/model.h": "#include <ATen/core/Tensor.h>\n#include <hob/model.h>\n",
    "plugins/dataset/idx/idx.cpp": '#include "idx_file.h"\n#include <hob/dataset.h>\n#include <zlib.h>\n',
    "plugins/model/mlp/mlp.cpp": "#include <hob/native/model.h>\n#include <torch/nn/module.h>\n",
    "runtime/base/log.cpp": '#include "base/log.h"\n#include <spdlog/spdlog.h>\n',
    "runtime/recipe/parse.cpp": '#include "base/error.h"\n#include <toml++/toml.h>\n',
    "runtime/host/library.cpp": "#include <boost/dll/shared_library.hpp>\n#include <hob/abi/core.h>\n",
    "runtime/host/tables/ops.cpp": '#include "host/registry.h"\n#include <ATen/core/dispatch/Dispatcher.h>\n',
    "runtime/train/store/checkpoint.cpp": '#include "data/safetensors.h"\n',
    "runtime/train/loop.cpp": '#include "memory/plan.h"\n#include "train/store/checkpoint.h"\n',
    "runtime/app/main.cpp": '#include "train/loop.h"\n',
}

# (file, line planted, what the message must say)
FAULTS = [
    ("runtime/base/bad.cpp", '#include "recipe/recipe.h"', "recipe does not stand below base"),
    ("runtime/session/bad.cpp", '#include "train/loop.h"', "train does not stand below session"),
    ("runtime/data/bad.cpp", '#include "memory/plan.h"', "memory does not stand below data"),
    ("runtime/host/bad.cpp", '#include "host/tables/ops.h"', "host/tables does not stand below host"),
    ("runtime/host/bad.cpp", "#include <torch/types.h>", "LibTorch is for"),
    ("runtime/train/store/bad.cpp", "#  include <c10/core/Device.h>", "LibTorch is for"),
    ("runtime/app/bad.cpp", "#include <ATen/ATen.h>", "LibTorch is for"),
    ("runtime/recipe/bad.cpp", "#include <hob/abi/core.h>", "knows nothing of plugins"),
    ("runtime/host/bad.cpp", "#include <hob/optimizer.h>", "no more of the SDK"),
    ("runtime/host/bad.cpp", '#include "../plugins/dataset/idx/idx_file.h"', "rooted in runtime/"),
    ("runtime/host/bad.cpp", '#include "registry.h"', "rooted in runtime/"),
    ("runtime/host/bad.cpp", "#include HOB_HEADER", "an #include of a macro"),
    ("runtime/extra/bad.cpp", "#include <vector>", "lies in no layer"),
    ("runtime/train/bad.cpp", "#include <spdlog/spdlog.h>", "one file of runtime/base"),
    ("runtime/recipe/bad.cpp", "#include <toml++/toml.h>", "one file of the runtime wraps it"),
    ("runtime/host/bad.cpp", "#include <boost/dll/import.hpp>", "one file of the runtime wraps it"),
    ("plugins/optimizer/bad/bad.cpp", '#include "base/error.h"', "no runtime, no other plugin"),
    ("plugins/optimizer/bad/bad.cpp", '#include "../sgd/sgd.h"', "no runtime, no other plugin"),
    ("sdk/include/hob/bad.h", "#include <torch/types.h>", "native/ alone"),
    ("sdk/include/hob/bad.h", "#include <hob/native/model.h>", "may not need the native one"),
    ("sdk/include/hob/bad.h", "#include <nlohmann/json.hpp>", "nothing but the standard library"),
    ("sdk/include/hob/abi/bad.h", "#include <string>", "standard C library"),
    ("sdk/include/hob/abi/bad.h", '#include "../optimizer.h"', "standard C library"),
    ("sdk/include/hob/abi/bad.h", "#include <hob/optimizer.h>", "standard C library"),
]


def run_on(files):
    """The exit code and the faults, a line each, of the tool over a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        faults = io.StringIO()
        with contextlib.redirect_stderr(faults), contextlib.redirect_stdout(io.StringIO()):
            code = check_layers.main([folder])
        return code, faults.getvalue().splitlines()


class CheckLayers(unittest.TestCase):
    def test_a_sound_tree_passes(self):
        self.assertEqual(run_on(SOUND), (0, []))

    def test_each_planted_fault_is_found_and_explained(self):
        for path, line, words in FAULTS:
            with self.subTest(path=path, line=line):
                code, faults = run_on({**SOUND, path: f"\n{line}\n"})
                self.assertEqual(code, 1)
                self.assertEqual(len(faults), 1, faults)
                self.assertIn(words, faults[0])

    def test_the_message_names_file_and_line(self):
        code, faults = run_on({**SOUND, "runtime/base/bad.cpp": '\n\n#include "app/main.h"\n'})
        self.assertTrue(faults[0].startswith("runtime/base/bad.cpp:3: includes app/main.h: "), faults)

    def test_an_empty_tree_is_no_pass(self):
        self.assertEqual(run_on({"README.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
