"""What Python's safetensors writes, hob reads; what hob writes, Python reads: bit for bit.

usage: safetensors_roundtrip.py <safetensors_copy>
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
except ImportError:
    sys.exit(77)  # skipped

TYPES = [
    torch.bool, torch.uint8, torch.int8, torch.float8_e4m3fn, torch.float8_e5m2, torch.int16,
    torch.uint16, torch.float16, torch.bfloat16, torch.int32, torch.uint32, torch.float32,
    torch.int64, torch.uint64, torch.float64,
]


def make_tensors():
    generator = torch.Generator().manual_seed(1)
    tensors = {}
    for dtype in TYPES:
        name = str(dtype).split(".")[1]
        width = 1 if dtype == torch.bool else torch.empty(0, dtype=dtype).element_size()
        # Any bits will do, but a bool is 0 or 1.
        high = 2 if dtype == torch.bool else 256
        raw = torch.randint(0, high, (3, 5 * width), generator=generator, dtype=torch.uint8)
        tensors[name] = raw.view(dtype)
        tensors[name + ".scalar"] = raw.flatten()[:width].clone().view(dtype).reshape(())
        tensors[name + ".empty"] = torch.empty(0, 3, dtype=dtype)
    return tensors


def check_equal(found, expected):
    assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
    for name, tensor in expected.items():
        other = found[name]
        assert (other.dtype, other.shape) == (tensor.dtype, tensor.shape), name
        same = torch.equal(other.reshape(-1).view(torch.uint8), tensor.reshape(-1).view(torch.uint8))
        assert same, name


def main(copy_tool):
    def copy(*arguments):
        subprocess.run([copy_tool, *map(str, arguments)], check=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tensors = make_tensors()
        save_file(tensors, folder / "python.safetensors", {"format": "pt", "note": "größe"})
        copy(folder / "python.safetensors", folder / "hob.safetensors")
        check_equal(load_file(folder / "hob.safetensors"), tensors)
        with safe_open(folder / "hob.safetensors", "pt") as file:
            assert file.metadata() == {"format": "pt", "note": "größe"}, file.metadata()

        # A tied tensor: stored once, noted in the metadata, and read by Python without an error.
        save_file({"embed": tensors["float32"]}, folder / "one.safetensors")
        copy(folder / "one.safetensors", folder / "tied.safetensors", "head=embed")
        check_equal(load_file(folder / "tied.safetensors"), {"embed": tensors["float32"]})
        with safe_open(folder / "tied.safetensors", "pt") as file:
            assert json.loads(file.metadata()["hob.aliases"]) == {"head": "embed"}

        # No tensors at all.
        save_file({}, folder / "empty.safetensors", {"a": "1"})
        copy(folder / "empty.safetensors", folder / "empty_hob.safetensors")
        assert load_file(folder / "empty_hob.safetensors") == {}

        # Shards and their index.
        names = sorted(tensors)
        shards = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
        weight_map = {}
        for shard, members in shards.items():
            save_file({member: tensors[member] for member in members}, folder / shard)
            weight_map.update({member: shard for member in members})
        index = {"metadata": {"total_size": 0}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        copy(folder, folder / "merged.safetensors")
        check_equal(load_file(folder / "merged.safetensors"), tensors)


if __name__ == "__main__":
    main(sys.argv[1])
