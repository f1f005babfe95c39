"""PyTorch on Systole: every matrix product, forward and backward, runs on a device.

    python3 host/python/examples/pytorch.py [cpu|model|rtl]

A TorchDispatchMode sees each operation below autograd, so unchanged models and optimizers train under it.
A convolution is a product of its patches. Everything else is PyTorch's own. Needs torch 1.13 or later,
numpy and ml_dtypes; no test runs it, since nothing else here needs torch. With Debian's torch 1.13:

    apt-get install python3-torch && /usr/bin/python3 -m pip install --target extra --no-deps ml_dtypes==0.3.2
    PYTHONPATH=$PWD/host/python:extra /usr/bin/python3 host/python/examples/pytorch.py model

    loss 0.7052, PyTorch's own 0.7053
    ...
    loss 0.3100, PyTorch's own 0.3097
    115 products, 140,290 clocks on <systole.Device model, 16 x 16, bf16>
"""

import contextlib
import functools
import sys

import numpy
import systole
import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
TEXT = """func.func public @main(%a: {a}, %b: {b}) -> ({y}) {{
  %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {y}
  return %y : {y}
}}"""


class OnDevice(TorchDispatchMode):
    """with OnDevice(systole.Device("model")): loss.backward()"""

    def __init__(self, device):
        super().__init__()
        self.compiled = functools.lru_cache(lambda *shapes: self.compile(device, *shapes))
        self.products = self.clocks = 0

    def __torch_dispatch__(self, operation, types, arguments=(), words=None):
        ours = OURS.get(operation)
        return ours(self, *arguments) if ours else operation(*arguments, **(words or {}))

    @staticmethod
    def compile(device, rows, depth, columns):
        shapes = {"a": (rows, depth), "b": (depth, columns), "y": (rows, columns)}
        types = {name: f"tensor<{m}x{n}xf32>" for name, (m, n) in shapes.items()}
        return systole.Program(TEXT.format(**types), device)

    def product(self, a, b):
        program = self.compiled(*a.shape, b.shape[1])
        y = program(*(numpy.ascontiguousarray(x.detach().numpy()) for x in (a, b)))[0]
        self.products += 1
        self.clocks += program.last_step().clocks
        return torch.from_numpy(y)

    def biased(self, bias, a, b):
        return self.product(a, b) + bias

    def batched(self, a, b):
        return torch.stack([self.product(*pair) for pair in zip(a, b)])

    def convolution(self, x, kernel, bias, stride, padding, dilation, transposed, _, groups):
        if transposed or groups != 1:
            raise NotImplementedError("this example has no transposed and no grouped convolutions")
        patches = functional.unfold(x, kernel.shape[2:], dilation, padding, stride)
        y = torch.stack([self.product(kernel.flatten(1), one) for one in patches])
        spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel.shape[2:])]
        size = [(n + 2 * p - k) // s + 1 for n, p, k, s in zip(x.shape[2:], padding, spans, stride)]
        y = y.unflatten(2, size)
        return y if bias is None else y + bias.reshape(-1, 1, 1)

    def convolution_backward(self, dy, x, kernel, _, stride, padding, dilation, *rest):
        wanted = rest[-1]
        rows = dy.flatten(2)
        dx = dkernel = None
        if wanted[0]:
            patches = torch.stack([self.product(kernel.flatten(1).t(), one) for one in rows])
            dx = functional.fold(patches, x.shape[2:], kernel.shape[2:], dilation, padding, stride)
        if wanted[1]:
            patches = functional.unfold(x, kernel.shape[2:], dilation, padding, stride)
            sides = [side.transpose(0, 1).flatten(1) for side in (rows, patches)]
            dkernel = self.product(sides[0], sides[1].t()).reshape(kernel.shape)
        return dx, dkernel, rows.sum((0, 2)) if wanted[2] else None


OURS = {
    aten.mm.default: OnDevice.product,
    aten.addmm.default: OnDevice.biased,
    aten.bmm.default: OnDevice.batched,
    aten.convolution.default: OnDevice.convolution,
    aten.convolution_backward.default: OnDevice.convolution_backward,
}


def train(mode):
    """Five steps of a small network on images of two kinds; yields the losses."""
    torch.manual_seed(1)
    images, labels = torch.randn(16, 1, 12, 12), torch.arange(16) % 2
    images[labels == 1, :, 4:8, 4:8] += 2
    model = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Flatten(), torch.nn.Linear(8 * 36, 16), torch.nn.ReLU()),
        torch.nn.Linear(16, 2),
    )
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(5):
        with mode:
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
        yield loss.item()


if __name__ == "__main__":
    device = systole.Device(sys.argv[1] if len(sys.argv) > 1 else "model")
    on_device = OnDevice(device)
    for ours, theirs in zip(train(on_device), train(contextlib.nullcontext())):
        print(f"loss {ours:.4f}, PyTorch's own {theirs:.4f}")
    print(f"{on_device.products} products, {on_device.clocks:,} clocks on {device}")
