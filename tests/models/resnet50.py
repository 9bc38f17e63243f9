"""
Writes ResNet-50 as PTIR: 53 convolutions, each with a bias, which stands for a folded batch norm, and most with a relu.

    python -m tests.models.resnet50 [--batch 1] [--dtype bf16] > resnet50.mlir

Images are 224 x 224 pixels with channels last, weights `[KH, KW, C, F]`; accumulators are f32. He et al., *Deep Residual
Learning for Image Recognition* (2015), table 1, with the stride in the 3 x 3 convolution.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""For each stage: the features inside a block, the number of blocks, and the stride of the first block."""
EXPANSION = 4
CLASSES = 1000
Shape = tuple[int, ...]


@dataclass
class Network:
    """Builds the function: collects its lines and its arguments. Activations are passed as a name and a shape."""

    batch: int
    dtype: str
    lines: list[str] = field(default_factory=list[str])
    arguments: dict[str, Shape] = field(default_factory=dict[str, Shape])
    convolutions: int = 0
    count: int = 0

    def tensor(self, shape: Sequence[int]) -> str:
        return f"tensor<{''.join(f'{n}x' for n in shape)}{self.dtype}>"

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"v{self.count}"

    def argument(self, name: str, shape: Shape) -> str:
        self.arguments[name] = shape
        return name

    def spread(self, x: str, old: Shape, new: Shape) -> str:
        return self.op(f"ptir.broadcast_to %{x} : {self.tensor(old)} -> {self.tensor(new)}")

    def binary(self, fn: str, x: str, y: str, shape: Shape) -> str:
        return self.op(f"ptir.{fn} %{x}, %{y} : {self.tensor(shape)}")

    def relu(self, x: str, shape: Shape) -> str:
        zero = self.op(f"ptir.constant dense<0.0> : {self.tensor(())}")
        return self.binary("maximum", x, self.spread(zero, (), shape), shape)

    def convolution(self, x: str, old: Shape, features: int, window: int, stride: int) -> tuple[str, Shape]:
        """Adds a convolution with bias, padded so that a stride of 1 preserves the size."""
        n, height, width, channels = old
        new = (n, -(-height // stride), -(-width // stride), features)
        filter_, pad = (window, window, channels, features), (window - 1) // 2
        k = self.convolutions
        self.convolutions += 1
        w, b = self.argument(f"w{k}", filter_), self.argument(f"b{k}", (features,))
        form = f"strides [{stride}, {stride}] padding [({pad}, {pad}), ({pad}, {pad})] accum f32 out {self.dtype}"
        types = f"({self.tensor(old)}, {self.tensor(filter_)}) -> {self.tensor(new)}"
        y = self.op(f"ptir.convolution %{x}, %{w} {form} : {types}")
        return self.binary("add", y, self.spread(b, (features,), new), new), new

    def bottleneck(self, x: str, old: Shape, inner: int, stride: int) -> tuple[str, Shape]:
        """Adds a block: 1 x 1, 3 x 3 and 1 x 1 convolutions, plus a shortcut, which is projected if the shape changes."""
        y, shape = self.convolution(x, old, inner, 1, 1)
        y, shape = self.convolution(self.relu(y, shape), shape, inner, 3, stride)
        y, shape = self.convolution(self.relu(y, shape), shape, inner * EXPANSION, 1, 1)
        if shape != old:
            x, _ = self.convolution(x, old, inner * EXPANSION, 1, stride)
        return self.relu(self.binary("add", x, y, shape), shape), shape

    def network(self) -> str:
        """Returns the text of the module."""
        shape: Shape = (self.batch, 224, 224, 3)
        x, shape = self.convolution(self.argument("x", shape), shape, 64, 7, 2)
        x = self.relu(x, shape)
        n, height, width, channels = shape
        pooled = (n, height // 2, width // 2, channels)
        window = "window [1, 3, 3, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 1), (1, 1), (0, 0)]"
        x, shape = (
            self.op(f"ptir.reduce_window max %{x} {window} : {self.tensor(shape)} -> {self.tensor(pooled)}"),
            pooled,
        )
        for inner, blocks, stride in STAGES:
            for block in range(blocks):
                x, shape = self.bottleneck(x, shape, inner, stride if block == 0 else 1)
        features = (shape[0], shape[3])
        x = self.op(
            f"ptir.reduce sum %{x} axes [1, 2] accum f32 out {self.dtype} : {self.tensor(shape)} -> {self.tensor(features)}"
        )
        each = self.op(f"ptir.constant dense<{1 / (shape[1] * shape[2])!r}> : {self.tensor(())}")
        x = self.binary("mul", x, self.spread(each, (), features), features)
        w, out = self.argument("fc", (features[1], CLASSES)), (self.batch, CLASSES)
        types = f"({self.tensor(features)}, {self.tensor(self.arguments[w])}) -> {self.tensor(out)}"
        x = self.op(f"ptir.dot_general %{x}, %{w} contract [1] x [0] accum f32 out {self.dtype} : {types}")
        arguments = ",\n    ".join(f"%{name}: {self.tensor(s)}" for name, s in self.arguments.items())
        head = 'builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions} {'
        function = f"func.func @resnet50(\n    {arguments}) -> {self.tensor(out)} {{"
        return "\n".join([head, function, *self.lines, f"  func.return %{x} : {self.tensor(out)}", "}", "}", ""])


def text(batch: int = 1, dtype: str = "bf16") -> str:
    """Returns the text of the module for a batch size and an element type."""
    return Network(batch, dtype).network()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--dtype", default="bf16")
    print(text(**vars(parser.parse_args())), end="")
