"""
Reasons why surviving mutants are equivalent: rows of kernel, operator, statement with the change marked, and reason.

Kernel is `*` or names, operator a name or `*`; the statement is a regular expression. Rows that match no mutant are harmless. A survivor
without a matching row is listed as unproved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .operators import Mutant


@dataclass(frozen=True)
class Proof:
    kernel: str
    operator: str
    changed: str
    reason: str


SHARED = "warps streamed cluster_rows cross_entropy"
"""The kernels of which several warps share a row."""
ONE_THREAD = r"if \(\(int\)threadIdx\.x % 128 == 0\).*: `(128` → `12[79]|0` → `1)`"

PROOFS = [
    Proof("*", "*", ONE_THREAD, "one thread of each consumer warpgroup all the same, another one"),
    Proof("*", "plus one", r"if \(threadIdx\.x == 0\)", "another thread of the first warp initialises the barriers"),
    Proof("*", "plus one", r"if \(warp == 0 && elected\(\)\)", "another warp of the producer loads"),
    Proof(
        "*", "unguard", r"^if \(warpgroup == 0\) \{",
        "consumers give registers back and take them again; only the first warp loads",
    ),
    Proof(
        "*", "*", r"\(1 << 16\) \+ ring / 16 \+ chunk;: `(1|16)`",
        "the leading offset of a swizzled operand along k is not used (PTX ISA §9.7.15.5.1.2)",
    ),
    Proof(
        "pingpong convolution_sm90", "*", r"ROWS \* PANEL / 16 << 16|mn_major<128, 64>\(.*: `64`",
        "an operand of one panel: the leading offset, to the next panel, is not used",
    ),
    Proof(
        "convolution_sm90", "*", r"mn_major<32, 64>\(.*: `(64` → `6[35]|32` → `33)`",
        "an operand of one panel: the leading offset is not used; a panel of 33 bytes has the swizzle and the rows of one of 32",
    ),
    Proof(
        "attention_sm90", "*", r"mn_major<64, 176>\(.*: `176` → `17[57]`",
        "an operand of one panel: the leading offset, to the next panel, is not used",
    ),
    Proof("*", "minus one", r"^wgmma_wait<1>\(\);: `1` → `0`", "waits for the newest multiplications too: slower"),
    Proof("*", "minus one", r"^wait_group<0>\(\);: `0` → `-1`", "waits for all groups, as with 0: no number of them is less"),
    Proof("*", "minus one", r"^bulk_wait_read<1>\(\);: `1` → `0`", "waits for the newest store too: slower"),
    Proof(
        "*", "*", r"if \((warp % 4 == 0 && )?elected\(\)\).*(`&&` → `\|\|`|→ `true`)",
        "threads that have stored nothing wait for nothing",
    ),
    Proof("*", "*", r"named_barrier\(1 \+ \(warpgroup - 1\), 128\)", "another barrier for each warpgroup"),
    Proof("*", "*", r"second = h % 2 != lane / [48] % 2;: `!=`", "the other rows begin with the second of a pair"),
    Proof(
        "stream_k", "*", r"if \(column1 \+ v < 33\) a2_in.*(`33` → `34`|`<` → `<=`|`\+` → `[*-]`|→ `true`)",
        "the compiler loads only what the guarded store behind it uses",
    ),
    Proof("stream_k", "*", r"^(wait_group<0>|commit_group)|cp\.async\.(wait|commit)_group", "this producer copies through registers"),
    Proof("stream_k", "*", r"semaphore_(release|acquire)_role<.*`14`|`BARRIER`", "another barrier, at which nobody else is"),
    Proof(
        "stream_k", "replace", r"mbarrier_(wait|arrive)\(empty \+ (slot1|before) \* 8.*: `\+` → `-`",
        "a block has three steps: the second stage is not filled again, and nobody waits for its empty barrier",
    ),
    Proof("convolution_sm90", "minus one", r"\(pixel % 6\) \+ -1;: `6`", "tiles begin at the pixels 0 and 64, whose remainders by 5 are the same"),
    Proof("cluster convolution_sm90", "minus one", r"STAGES = 3.*: `3` → `2`", "two of the three stages are used: slower"),
    Proof("stream_k", "plus one", r"semaphore_(release|acquire)_role<.*: `128` → `129`", "another thread of the warpgroup"),
    Proof("cluster_rows", "*", r"in_block\(.*`(0` → `1|==` → `!=)`", "the other warp, or the next four lanes, write the same bits to the blocks"),
    Proof("cluster_rows", "*", r"warp == 0 && rank == 0\).*`(0` → `1|==` → `!=)`", "every warp and block of a row has the same bits"),
    Proof("cluster_rows", "drop", r"^t\d+ = scratch\d*\[0\];", "the first warp has this partial result, and only it writes to the blocks"),
    Proof("cluster_rows", "minus one", r"^for \(int other = 1; other < 4;.*`4` → `3`", "the last block has no element, so that its maximum is -inf"),
    Proof("lanes", "plus one", r"lane % 4 == 0\) \{: `0`", "every lane of a row has the same bits; another one stores them"),
    Proof(SHARED, "*", r"lane == 0 && warp % 2 == 0\).*`(0` → `1|2` → `3|==` → `!=)`", "so has every warp of a row"),
    Proof(SHARED, "plus one", r"^if \(lane % 32 == 0\) scratch\d*\[warp % 2\] = ", "another lane writes the same bits"),
    Proof(
        SHARED, "*", r"\+ \(warp / 2\) \* 2;: `(2` → `3|\+` → `-)`",
        "the second row's partial results lie elsewhere in scratch that nobody else uses",
    ),
    Proof(SHARED, "minus one", r"^for \(int other = 1;.*`1` → `0`", "the maximum with the same partial result once more"),
    Proof("streamed", "plus one", r"tile_column = warp % 2 \* 64 \+ .*: `2` → `3`", "another warp has the elements of the last tile, which fit one"),
    Proof("columns", "plus one", r"lane / 2 == 0\).*`0` → `1`", "every lane of a column has the same bits; another one stores them"),
    Proof("conversions", "*", r"^if \((warp|lane / \d+( % 2)?) == 0\) \{: `(0` → `1|==` → `!=)`", "another lane or warp stores its copies"),
    Proof("conversions", "minus one", r"^for \(int n = 0; n < 2; \+\+n\) \{: `0` → `-1`", "registers that do not exist are exchanged"),
    Proof(
        "*", "drop", r"setmaxnreg_inc|setmaxnreg\.inc",
        "the sums of this kernel fit into what a thread is launched with",
    ),
]  # fmt: skip


def proof(kernel: str, mutant: Mutant) -> str | None:
    """Returns the reason why a mutant is equivalent to the original, or None."""
    for row in PROOFS:
        if (
            (row.kernel == "*" or kernel in row.kernel.split())
            and row.operator in ("*", mutant.operator)
            and re.search(row.changed, mutant.changed)
        ):
            return row.reason
    return None
