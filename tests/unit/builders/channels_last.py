"""Programs on channels-last images that are written for channels-first ones, between two transposes."""

from __future__ import annotations

from string import Template

GROUP_NORM = """
func.func @f(%x: $X, %g: tensor<${C}xf32>, %beta: tensor<${C}xf32>) -> $X {
  %first = ptir.transpose %x $TO : $X -> $F
  %rows = ptir.reshape %first : $F -> $R
  %a = ptir.cast %rows : $R -> $W
  %n = ptir.constant dense<$N.0> : $K
  %small = ptir.constant dense<0.00001> : $K
  %t = ptir.reduce sum %a axes $AXES keepdims : $W -> $K
  %mean = ptir.div %t, %n : $K
  %means = ptir.broadcast_to %mean : $K -> $W
  %d = ptir.sub %a, %means : $W
  %d2 = ptir.mul %d, %d : $W
  %t2 = ptir.reduce sum %d2 axes $AXES keepdims : $W -> $K
  %variance = ptir.div %t2, %n : $K
  %v = ptir.add %variance, %small : $K
  %r = ptir.rsqrt %v : $K
  %rs = ptir.broadcast_to %r : $K -> $W
  %h = ptir.mul %d, %rs : $W
  %hi = ptir.reshape %h : $W -> $V
  %g1 = ptir.reshape %g : tensor<${C}xf32> -> tensor<${C}x1x1xf32>
  %gs = ptir.broadcast_to %g1 : tensor<${C}x1x1xf32> -> $V
  %b1 = ptir.reshape %beta : tensor<${C}xf32> -> tensor<${C}x1x1xf32>
  %bs = ptir.broadcast_to %b1 : tensor<${C}x1x1xf32> -> $V
  %hg = ptir.mul %hi, %gs : $V
  %y = ptir.add %hg, %bs : $V
  %yt = ptir.cast %y : $V -> $F
  %last = ptir.transpose %yt $BACK : $F -> $X
  func.return %last : $X
}"""


def group_norm(
    shape: tuple[int, int, int, int], groups: int, dtype: str = "f32", *, merged: int = 3, swapped: bool = False
) -> str:
    """
    Returns the group norm of images of `shape`, whose last axis is the channels. It reduces `merged` axes as one; `swapped` writes
    channels-first images with their rows and columns swapped.
    """
    n, h, w, c = shape
    image = (w, h) if swapped else (h, w)
    parts = {1: (c // groups, *image), 2: (c // groups, h * w), 3: (c // groups * h * w,)}[merged]

    def tensor(t: str, *sizes: int) -> str:
        return f"tensor<{'x'.join(map(str, sizes))}x{t}>"

    return Template(GROUP_NORM).substitute(
        X=tensor(dtype, *shape), F=tensor(dtype, n, c, *image), V=tensor("f32", n, c, *image),
        R=tensor(dtype, n, groups, *parts), W=tensor("f32", n, groups, *parts), K=tensor("f32", n, groups, *[1] * len(parts)),
        AXES=list(range(2, 2 + len(parts))), C=c, N=h * w * c // groups,
        TO="[0, 3, 2, 1]" if swapped else "[0, 3, 1, 2]", BACK="[0, 3, 2, 1]" if swapped else "[0, 2, 3, 1]",
    )  # fmt: skip
