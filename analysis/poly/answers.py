"""Results of Poly Core's queries. Spec: `tensor-compiler.ja §1.6`; `why` explains a result in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...errors import PtirError
from ..errors import NeedsSize
from .footprint import Amount


@dataclass(frozen=True)
class Halo:
    """
    The elements that a tile reads beyond its own share: `bytes` of the worst tile's box (None if it depends on symbolic
    sizes), and numbers of elements along each axis of the producer, `low` before the share and `high` after it.
    """

    bytes: int | None = 0
    per_axis: dict[str, Amount] = field(default_factory=dict[str, Amount])
    low: dict[str, Amount] = field(default_factory=dict[str, Amount])
    high: dict[str, Amount] = field(default_factory=dict[str, Amount])


@dataclass(frozen=True)
class Extent:
    """The most elements along an axis of the producer that a tile reads, with and without clipping to the padding."""

    read: Amount
    unclipped: Amount


@dataclass(frozen=True)
class ComputeAt:
    """
    Whether a tile of the consumer can compute what it needs of the producer, and how much that is. `repeats` tiles need the
    same elements, because they differ along axes that do not move the read. If it cannot, `refusal` is the error to raise,
    `why` its message; halo and extents are given as far as known.
    """

    ok: bool
    why: str
    halo: Halo = Halo()
    extents: dict[str, Extent] = field(default_factory=dict[str, Extent])
    repeats: Amount = 1
    refusal: PtirError | None = field(default=None, compare=False)

    @property
    def legal(self) -> bool:
        """`ok`, even if the halo in bytes depends on symbolic sizes."""
        return self.ok or isinstance(self.refusal, NeedsSize)

    @classmethod
    def refused(
        cls, error: PtirError, explanation: str = "", extents: dict[str, Extent] | None = None, halo: Halo | None = None
    ) -> ComputeAt:
        """`explanation` is what else is known."""
        why = f"{error.message}: {error.help}." if error.help else f"{error.message}."
        return cls(False, f"{why} {explanation}".rstrip(), halo or Halo(), extents or {}, refusal=error)


@dataclass(frozen=True)
class MinBuffer:
    """
    The smallest buffer between a producer and its consumer: registers, a ring of `depth` slots in shared memory, or global
    memory. `bytes` is its size: an element per output of a tile in registers, all slots of a ring, the whole producer in
    memory; None if it depends on symbolic sizes.
    """

    buffer: Literal["reg", "smem_ring", "gmem"]
    why: str
    depth: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Barrier:
    """The synchronization between writing a buffer and reading it, in the order of a step."""

    kind: Literal["none", "bar.sync", "commit/wait", "mbarrier", "kernel"]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class BankHint:
    """
    Bank conflicts of a warp's read of a box in shared memory, each lane `width` contiguous bytes, with lanes along the
    consumer's axis `lanes`: wavefronts per required wavefront, and the padding in bytes per row that avoids conflicts, if any.
    """

    lanes: str
    width: int
    ways: int
    pad: int | None = None
