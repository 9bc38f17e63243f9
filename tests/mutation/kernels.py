"""The table of the programs whose kernels are mutated; another dtype or plan is another row."""

from __future__ import annotations

from tests.unit.builders import column_programs, row_epilogue_programs
from tests.unit.builders.attention_cases import Case
from tests.unit.builders.programs import CONTRACTIONS, Draft, Value

from .attention import Attended
from .contractions import Contraction, Size
from .conversions import Conversions
from .programs import Chosen
from .rows import Rows
from .subject import Subject


def batched_kn(d: Draft, s: Size, t: str) -> list[Value]:
    """Returns the batched product of [B, K, M] and [B, N, K], in which both operands are transposed."""
    return [d.dot(d.arg(2, s[2], s[0], dtype=t), d.arg(2, s[1], s[2], dtype=t), [1], [2], [0])]


KERNELS: dict[str, Subject] = {
    "tails": Contraction(
        CONTRACTIONS["short_output"], (150, 70, 130), "bf16", {"tile": (64, 32, 32), "warp_tile": "32x16", "stages": 3},
        "bf16, bias and relu, every axis guarded, 4-byte copies",
    ),
    "aligned": Contraction(
        CONTRACTIONS["short_output"], (256, 128, 192), "bf16", {"tile": (128, 64, 32), "warp_tile": "64x32", "stages": 4},
        "bf16, whole tiles, 16-byte copies, six steps through four stages",
    ),
    "batched": Contraction(
        batched_kn, (72, 40, 168), "f16", {"tile": (32, 32, 32), "warp_tile": "16x16", "stages": 3},
        "f16, batched, first operand transposed, tails of 8 along every axis",
    ),
    "cluster": Contraction(
        CONTRACTIONS["short_output"], (300, 136, 200), "bf16",
        {"tile": (128, 128, 64), "warp_tile": "64x128", "stages": 3, "roles": "cooperative", "cluster": (2, 1)},
        "bf16, blocks 2 x 1 that share B, bias and relu, TMA stores, a tile past the end", 2,
    ),
    "pingpong": Contraction(
        CONTRACTIONS["both_transposed"], (136, 40, 328), "f16",
        {"tile": (64, 32, 64), "warp_tile": "64x32", "stages": 2, "roles": "pingpong"},
        "f16, warpgroups take turns with the six tiles of one block, A across k, sums staged for TMA", 1,
    ),
    "stream_k": Contraction(
        CONTRACTIONS["weights_nk"], (67, 33, 197), "bf16",
        {"tile": (64, 32, 64), "warp_tile": "64x32", "stages": 2, "roles": "cooperative",
         "algo_choice": {"matmul": "stream_k"}},
        "bf16, rows of no 16 bytes: copies by threads, six blocks share the steps, stores by lanes", 7,
    ),
    "lanes": Rows("softmax_and_sum", (9, 300), (8, 304), "8x304", "f32, four lanes of a warp share a row, a row in the second block"),
    "warps": Rows("softmax_and_sum", (3, 300), (2, 512), "1x256", "f32, two warps share a row, which ends in the second"),
    "streamed": Rows("softmax_and_sum", (3, 300), (2, 128), "1x64", "f32, streamed in five tiles, two warps share a row", width=2),
    "cross_entropy": Rows(
        "cross_entropy", (3, 300), (2, 128), "1x64", "f32, streamed in one pass, the logit of the target is loaded alone", width=2, scale=1000
    ),
    "columns": Chosen(
        column_programs.text("moments", 70, 40, "f32"), (3, 70, 40),
        "f32, sums of columns and of their squares, a tail of rows and of columns, a bias",
    ),
    "row_epilogue": Chosen(
        row_epilogue_programs.text("softmax", 33, 72, 18), (33, 72, 18),
        "bf16, softmax of the rows of a product, tails along every axis", "bf16",
    ),
    "row_epilogue_sm90": Chosen(
        row_epilogue_programs.text("rms norm of a residual", 70, 72, 40), (70, 72, 40),
        "bf16, norm of the rows of a product by wgmma with a residual, a bias and a gain", "bf16", "sm90",
    ),
    "convolution_sm90": Chosen(
        """builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x7x6x64xbf16>, %w: tensor<3x3x64x40xbf16>, %b: tensor<40xf32>) -> tensor<2x7x6x40xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x7x6x64xbf16>, tensor<3x3x64x40xbf16>) -> tensor<2x7x6x40xf32>
  %1 = ptir.broadcast_to %b : tensor<40xf32> -> tensor<2x7x6x40xf32>
  %2 = ptir.add %0, %1 : tensor<2x7x6x40xf32>
  func.return %2 : tensor<2x7x6x40xf32>
}
}""",
        (84, 40, 576), "bf16, 3x3 with a padding by im2col, a bias, tails of pixels and of filters, two tiles a block", "bf16", "sm90",
        {"stages": 3, "multiprocessors": 4},
    ),
    "conversions": Conversions(
        [
            ("lane(4: 2j, 8: i) warp(2: 16j) reg(2: j, 2: 8j)", "lane(4: 8j, 8: i) warp(2: 0) reg(8: j)"),
            ("lane(16: j, 2: 0) warp(2: i) reg(2: 2i)", "lane(2: 2i, 16: j) warp(2: i)"),
            ("lane(2: 0, 16: j) warp(2: i) reg(4: 16j)", "lane(2: 16j, 2: 0, 8: 2j) warp(2: i) reg(2: j, 2: 32j)"),
        ],
        "f32, two conversions through shared memory, one of which reads copies and one makes some, and one by shuffles",
    ),
    "attention": Attended(
        Case(280, 280, 40, 24, group=2, mask="causal"),
        "bf16, causal attention by mma.sync, two loops over tiles of keys, of which the first one uses both slots, rows of 5 and of 3 chunks",
    ),
    "attention_sm90": Attended(
        Case(200, 400, 40, 24, group=2, mask="causal"),
        "bf16, causal attention by wgmma, whose keys end before or after those that a tile of queries sees, four tiles a block", "sm90",
        {"multiprocessors": 1},
    ),
    "cluster_rows": Rows(
        "softmax_and_sum", (2, 300), (1, 128), "1x64", "f32, four blocks of two warps share a row, the last has none of it", width=2, blocks=4
    ),
}  # fmt: skip
"""The kernels by name. Sizes are small, but every stage is filled and emptied several times, and there is a tail."""
