"""Whole trainings by the program against the same written with PyTorch: same first weights, same
samples, 20 updates, float32. Labels of class 9 are ignored, so that micro-batches count unequally.

The tolerance is some hundred roundings of float32, relative to a tensor's norm: sums over a batch
and over micro-batches are taken in other orders, and each update carries the difference on.
"""

import math
import os
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "recipes"))
from support import RunTest, differing, rows, weights

try:
    import torch
    import torchvision
    from safetensors.torch import load_file, save_file
    from torch import nn
    from torch.nn import functional
    from torchvision.models.resnet import BasicBlock
except ImportError:
    sys.exit(77)  # skipped

torch.set_num_threads(1)
TOLERANCE = 1e-5
SAMPLES, SIDE, CLASSES, BATCH, UPDATES = 45, 16, 10, 8, 20
IGNORED = 9

RECIPE = """
schema = 1
[run]
dir = "{dir}"
device = "cpu"
threads = 1
seed = 5
[model]
MODEL
[model.weights]
path = "{dir}/../first.safetensors"
[dataset.train]
use = "idx"
path = "{dir}/.."
[[dataset.train.transform]]
use = "normalize"
mean = [0.4]
std = [0.25]
[dataset.eval]
use = "idx"
path = "{dir}/.."
[[dataset.eval.transform]]
use = "normalize"
mean = [0.4]
std = [0.25]
[loader]
batch_size = 8
shuffle = false
threads = 0
[objective]
use = "cross_entropy"
ignore_index = 9
[optimizer]
OPTIMIZER
[[monitor]]
use = "jsonl"
every = 1
[train]
updates = 20
[eval]
every = "1000ep"
batch_size = 7
EXTRA
"""

MLP = 'use = "mlp"\ninputs = 256\nhidden = [32, 16]\nnum_classes = 10'
RESNET = 'use = "resnet"\ndepth = 18\nwidth = 4\nstem = "small"\nin_channels = 1\nnum_classes = 10'


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.ModuleList([nn.Linear(256, 32), nn.Linear(32, 16)])
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x):
        x = x.flatten(1)
        for layer in self.hidden:
            x = layer(x).relu()
        return self.head(x)


class SmallResnet(torchvision.models.ResNet):
    """ResNet-18 with 4 channels in the first stage and a stem for small images."""

    def __init__(self):
        nn.Module.__init__(self)
        self._norm_layer = nn.BatchNorm2d
        self.inplanes, self.dilation, self.groups, self.base_width = 4, 1, 1, 64
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.maxpool = nn.Identity()
        for stage in range(4):
            setattr(self, f"layer{stage + 1}",
                    self._make_layer(BasicBlock, 4 << stage, 2, stride=1 + (stage > 0)))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(32, CLASSES)


class Adapted(nn.Module):
    """A layer with a low-rank adapter, as the paper writes it."""

    def __init__(self, layer, a, scale):
        super().__init__()
        self.layer, self.scale = layer, scale
        self.a = nn.Parameter(a.clone())
        ones = (1,) * (a.dim() - 2)
        self.b = nn.Parameter(torch.zeros(layer.weight.shape[0], a.shape[0], *ones))

    def forward(self, x):
        if isinstance(self.layer, nn.Linear):
            delta = x @ self.a.t() @ self.b.t()
        else:
            delta = functional.conv2d(functional.conv2d(
                x, self.a, stride=self.layer.stride, padding=self.layer.padding), self.b)
        return self.layer(x) + self.scale * delta

    def merged(self):
        delta = (self.b.flatten(1) @ self.a.flatten(1)).reshape(self.layer.weight.shape)
        return (self.layer.weight + self.scale * delta).detach()


def adapted_name(name, targets):
    """hob's name of a tensor in a model with Adapted layers."""
    owner, _, leaf = name.rpartition(".")
    if owner in targets:
        return f"{owner}.lora_{leaf.upper()}.weight"
    return f"{owner.removesuffix('.layer')}.{leaf}"


def cosine(update, total, warmup):
    """The factor of the learning rate, from the number of completed updates."""
    if update < warmup:
        return (update + 1) / warmup
    return (1 + math.cos(math.pi * (update - warmup) / (total - warmup))) / 2 if update > warmup else 1


class TrainParity(RunTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(3)
        pixels = torch.randint(256, (SAMPLES, SIDE, SIDE), dtype=torch.uint8)
        self.labels = torch.randint(CLASSES, (SAMPLES,))
        self.labels[:4] = IGNORED  # the first micro-batches of 1, 2 and 4 have no weight at all
        self.write("train-images-idx3-ubyte",
                   struct.pack(">4I", 2051, SAMPLES, SIDE, SIDE) + pixels.numpy().tobytes())
        self.write("train-labels-idx1-ubyte",
                   struct.pack(">2I", 2049, SAMPLES) + bytes(self.labels.tolist()))
        self.images = ((pixels.float() / 255 - 0.4) / 0.25).unsqueeze(1)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)

    def first(self, model):
        """Both trainings start from the model's weights."""
        save_file({name: t.contiguous() for name, t in model.state_dict().items()},
                  self.folder / "first.safetensors")
        return model

    def run_hob(self, model, optimizer, *overrides, extra="", run="run"):
        text = RECIPE.replace("MODEL", model).replace("OPTIMIZER", optimizer).replace("EXTRA", extra)
        return self.train(*overrides, text=text, run=run)

    def run_torch(self, model, optimizer, updates=UPDATES, rate=lambda update: 1.0, smoothing=0.0,
                  clip=None, autocast=False):
        """The loss and the gradient's norm of each update."""
        base = [group["lr"] for group in optimizer.param_groups]
        told = []
        model.train()
        for module in model.modules():  # a frozen norm keeps its statistics too
            if isinstance(module, nn.BatchNorm2d) and not module.weight.requires_grad:
                module.eval()
        starts = [start for _ in range(updates) for start in range(0, SAMPLES, BATCH)]
        for update, start in enumerate(starts[:updates]):
            window = slice(start, min(start + BATCH, SAMPLES))
            with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                logits = model(self.images[window])
            loss = functional.cross_entropy(logits.float(), self.labels[window],
                                            ignore_index=IGNORED, label_smoothing=smoothing)
            optimizer.zero_grad()
            loss.backward()
            params = [p for group in optimizer.param_groups for p in group["params"]]
            norm = nn.utils.clip_grad_norm_(params, clip if clip else math.inf)
            for group, lr in zip(optimizer.param_groups, base):
                group["lr"] = lr * rate(update)
            optimizer.step()
            told.append((loss.item(), norm.item()))
        return told

    def check_close(self, found, expected, tolerance=TOLERANCE):
        expected = {name: t for name, t in expected.items()}
        self.assertEqual(set(found), set(expected))
        zero = 1e-6 * max(t.double().norm().item() for t in expected.values())
        for name, tensor in expected.items():
            self.assertEqual((found[name].shape, found[name].dtype), (tensor.shape, tensor.dtype))
            error = (found[name].double() - tensor.double()).norm().item()
            self.assertLessEqual(error, tolerance * tensor.double().norm().item() + zero, name)

    def check_told(self, run, told, tolerance=TOLERANCE):
        for (loss, norm), row in zip(told, self.updates_of(run), strict=True):
            self.assertAlmostEqual(row["loss"], loss, delta=tolerance * abs(loss))
            self.assertAlmostEqual(row["grad_norm"], norm, delta=tolerance * norm)

    @staticmethod
    def updates_of(run):
        return [row["scalars"] for row in rows(run) if row["event"] == "update"]

    # case ACC-01, ACC-03, ACC-04: the sixth window of an epoch is one of 5 samples.
    def test_sgd_is_pytorchs_however_the_batch_is_cut(self):
        model = self.first(Mlp())
        told = self.run_torch(model, torch.optim.SGD(
            model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01))
        optimizer = 'use = "sgd"\nlr = 0.1\nmomentum = 0.9\nnesterov = true\nweight_decay = 0.01'
        for micro in (8, 4, 2, 1):
            run = self.run_hob(MLP, optimizer, f"loader.micro_batch={micro}", run=f"run{micro}")
            self.check_close(weights(run), model.state_dict())
            self.check_told(run, told)

    def test_plain_and_dampened_sgd_are_pytorchs(self):
        for keys, options in (("", {}), ("\nmomentum = 0.8\ndampening = 0.3\nweight_decay = 0.02",
                                         dict(momentum=0.8, dampening=0.3, weight_decay=0.02))):
            model = self.first(Mlp())
            self.run_torch(model, torch.optim.SGD(model.parameters(), lr=0.05, **options))
            run = self.run_hob(MLP, 'use = "sgd"\nlr = 0.05' + keys, run=f"run{len(keys)}")
            self.check_close(weights(run), model.state_dict())

    # case SCH-01: 6 updates an epoch, in micro-batches of 3.
    def test_adamw_with_groups_clipping_smoothing_and_a_schedule_is_pytorchs(self):
        model = self.first(Mlp())
        biases = [p for name, p in model.named_parameters() if name.endswith("bias")]
        others = [p for name, p in model.named_parameters() if not name.endswith("bias")]
        optimizer = torch.optim.AdamW([
            {"params": biases, "weight_decay": 0.0, "lr": 0.02},
            {"params": others, "weight_decay": 0.1, "lr": 0.01}], betas=(0.8, 0.99), eps=1e-7)
        told = self.run_torch(model, optimizer, smoothing=0.1, clip=0.5,
                              rate=lambda update: cosine(update, 20, 4))
        run = self.run_hob(MLP, """use = "adamw"
lr = 0.01
weight_decay = 0.1
beta1 = 0.8
beta2 = 0.99
eps = 1e-7
[[optimizer.group]]
match = ["role:bias"]
weight_decay = 0.0
lr = 0.02
[schedule]
use = "cosine"
warmup = "4up"
""", "objective.label_smoothing=0.1", "train.clip_norm=0.5", "loader.micro_batch=3")
        self.check_close(weights(run), model.state_dict())
        self.check_told(run, told)
        self.assertGreater(max(norm for _, norm in told), 0.5)  # something was clipped
        state = load_file(run / "checkpoints/20/optimizer.safetensors")
        names = {p: name for name, p in model.named_parameters()}
        self.check_close(state, {f"{key}/{names[p]}": value for p, values in optimizer.state.items()
                                 for key, value in values.items()})

    def test_a_resnet_is_trained_as_in_pytorch(self):
        model = self.first(SmallResnet()).to(memory_format=torch.channels_last)
        told = self.run_torch(model, torch.optim.SGD(
            model.parameters(), lr=0.001, momentum=0.9, weight_decay=1e-3), smoothing=0.1)
        run = self.run_hob(RESNET, 'use = "sgd"\nlr = 0.001\nmomentum = 0.9\nweight_decay = 1e-3',
                           "objective.label_smoothing=0.1")
        self.check_close(weights(run), model.state_dict())
        self.check_told(run, told)
        # Evaluation, in other batches and with the running statistics.
        model.eval()
        with torch.no_grad():
            logits = model(self.images)
        loss = functional.cross_entropy(logits, self.labels, ignore_index=IGNORED,
                                        label_smoothing=0.1).item()
        self.assertAlmostEqual(rows(run)[-1]["scalars"]["loss"], loss, delta=TOLERANCE * loss)

    # case ACC-06
    def test_the_loss_that_is_told_does_not_depend_on_how_the_batch_is_cut(self):
        self.first(Mlp())
        losses = []
        for micro in (8, 1):
            run = self.run_hob(MLP, 'use = "sgd"\nlr = 0.0', f"loader.micro_batch={micro}",
                               "train.updates=6", run=f"run{micro}")
            losses.append([row["loss"] for row in self.updates_of(run)])
            counts = [(self.labels[start:start + 8] != IGNORED).sum().item()
                      for start in range(0, SAMPLES, 8)]
            mean = sum(loss * n for loss, n in zip(losses[-1], counts)) / sum(counts)
            evaluated = rows(run)[-1]["scalars"]["loss"]
            self.assertAlmostEqual(mean, evaluated, delta=1e-5 * evaluated)
        for one, other in zip(*losses, strict=True):
            self.assertAlmostEqual(one, other, delta=1e-5 * one)

    # case SCH-05, SCH-06
    def test_the_rate_of_each_update_is_the_formulas(self):
        self.first(Mlp())
        for total, warmup in ((10, 0), (10, 3), (10, 10), (1, 0), (4, 0)):
            run = self.run_hob(MLP, 'use = "sgd"\nlr = 0.1\n[schedule]\nuse = "cosine"',
                               f"train.updates={total}", f"schedule.warmup={warmup}up",
                               run=f"run{total}-{warmup}")
            found = [row["lr"] for row in self.updates_of(run)]
            expected = [0.1 * cosine(update, total, warmup) for update in range(total)]
            self.assertEqual(len(found), total)
            for one, other in zip(found, expected):
                self.assertAlmostEqual(one, other, delta=1e-12)
            if warmup == 0:
                self.assertEqual(found[0], 0.1)
        text = RECIPE.replace("MODEL", MLP).replace("OPTIMIZER", 'use = "sgd"\nlr = 0.1\n[schedule]')
        text = self.hob("run", self.recipe(text.replace("EXTRA", ""), run="refused"),
                        "train.updates=10", "+schedule.warmup=11up", code=2).stderr
        self.assertIn("schedule.warmup is 11 updates, longer than the 10 updates", text)

    def check_lora(self, model, recipe, targets, lr):
        """Adapters on `targets`, beside the same written by hand."""
        compression = f"""
[[compression]]
use = "lora"
rank = 3
alpha = 6.0
targets = {targets}
[export]
formats = ["safetensors"]
""".replace("'", '"')
        self.first(model)
        optimizer = 'use = "adamw"\nlr = {lr}\nweight_decay = 0.01'
        # A rate of 0 shows the first A, which hob draws.
        start = weights(self.run_hob(recipe, optimizer.format(lr=0), "train.updates=1",
                                     extra=compression, run="start"))
        adapters = {}
        for name, layer in list(model.named_modules()):
            if name not in targets:
                continue
            parent, _, leaf = name.rpartition(".")
            adapters[name] = Adapted(layer, start[f"{name}.lora_A.weight"], 6.0 / 3)
            self.assertEqual(start[f"{name}.lora_B.weight"].abs().max(), 0)
            setattr(model.get_submodule(parent), leaf, adapters[name])
        self.assertEqual(len(adapters), len(targets))
        model.requires_grad_(False)
        trained = []
        for adapter in adapters.values():
            trained += [adapter.a.requires_grad_(), adapter.b.requires_grad_()]
        told = self.run_torch(model, torch.optim.AdamW(trained, lr=lr, weight_decay=0.01))

        run = self.run_hob(recipe, optimizer.format(lr=lr), extra=compression)
        self.check_told(run, told)
        self.check_close(weights(run), {adapted_name(name, targets): t
                                        for name, t in model.state_dict().items()})
        for name in targets:
            self.assertGreater(weights(run)[f"{name}.lora_B.weight"].norm(), 0)
        # Folded into the layers, it is the same function without an adapter.
        exported = load_file(run / "export/model.safetensors")
        plain = type(model)()
        plain.load_state_dict(exported, strict=True)
        self.check_close({name: exported[f"{name}.weight"] for name in targets},
                         {name: adapter.merged() for name, adapter in adapters.items()})
        with torch.no_grad():
            self.check_close({"logits": plain.eval()(self.images)},
                             {"logits": model.eval()(self.images)})

    def test_adapters_of_linear_layers_are_those_written_by_hand(self):
        self.check_lora(Mlp(), MLP, ["hidden.0", "head"], 0.01)

    def test_adapters_of_convolutions_are_those_written_by_hand(self):
        self.check_lora(SmallResnet().to(memory_format=torch.channels_last), RESNET,
                        ["conv1", "layer2.0.conv1", "layer3.1.conv2", "fc"], 0.005)

    def test_recomputed_segments_give_the_same_bits(self):
        for i, (name, model, recipe) in enumerate((("dropout", Mlp(), MLP + "\ndropout = 0.5"),
                                                   ("norms", SmallResnet(), RESNET))):
            self.first(model)
            optimizer = 'use = "adamw"\nlr = 0.01'
            kept = self.run_hob(recipe, optimizer, "loader.micro_batch=3", run=f"kept{i}")
            recomputed = self.run_hob(recipe, optimizer, "loader.micro_batch=3", run=f"again{i}",
                                      extra='[[memory]]\nuse = "recompute"')
            self.assertEqual(differing(weights(kept), weights(recomputed)), [], name)
            self.assertEqual(rows(kept), rows(recomputed))

    # case AMP-09: only the layers compute in bfloat16; parameters and updates are float32.
    def test_bfloat16_is_pytorchs_autocast(self):
        resnet = SmallResnet().to(memory_format=torch.channels_last)
        for i, (model, recipe, lr) in enumerate(((Mlp(), MLP, 0.05), (resnet, RESNET, 0.001))):
            self.first(model)
            first = {name: p.detach().clone() for name, p in model.named_parameters()}
            told = self.run_torch(model, torch.optim.SGD(model.parameters(), lr=lr), updates=5,
                                  autocast=True)
            run = self.run_hob(recipe, f'use = "sgd"\nlr = {lr}\n[precision]\nuse = "bf16_mixed"',
                               "train.updates=5", run=f"run{i}")
            # A bfloat16 has 8 bits: kernels may round otherwise in the last.
            found = weights(run)
            self.check_close(found, model.state_dict(), 2e-2)
            self.check_told(run, told, 2e-2)
            self.check_close({name: found[name] - first[name] for name in first},
                             {name: p.detach() - first[name]
                              for name, p in model.named_parameters()}, 0.1)

    # case AMP-08
    def test_small_updates_are_not_rounded_away_in_bfloat16(self):
        model = self.first(Mlp())
        before = {name: t.clone() for name, t in model.state_dict().items()}
        run = self.run_hob(MLP, 'use = "sgd"\nlr = 1e-5\n[precision]\nuse = "bf16_mixed"')
        for name, tensor in weights(run).items():
            self.assertEqual(tensor.dtype, torch.float32)
            moved = (tensor - before[name]).abs().max()
            self.assertTrue(0 < moved < 2**-9, (name, moved))

    # case OPT-02
    def test_frozen_weights_stay_bit_for_bit_and_do_not_enter_the_norm(self):
        model = self.first(Mlp())
        first = {name: t.clone() for name, t in model.state_dict().items()}
        model.hidden[0].requires_grad_(False)
        told = self.run_torch(model, torch.optim.AdamW(
            [p for p in model.parameters() if p.requires_grad], lr=0.01, weight_decay=0.5))
        run = self.run_hob(MLP, 'use = "adamw"\nlr = 0.01\nweight_decay = 0.5',
                           '+model.weights.freeze=["hidden.0"]')
        found = weights(run)
        same = [name for name in found if name not in differing(found, first)]
        self.assertEqual(same, ["hidden.0.bias", "hidden.0.weight"])
        self.check_close(found, model.state_dict())
        self.check_told(run, told)


if __name__ == "__main__":
    unittest.main()
