"""What Poly Core answers with. Spec: `tensor-compiler.ja §1.6`; `why` says in words what an answer rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...errors import PtirError
from ..errors import NeedsSize
from .footprint import Amount


@dataclass(frozen=True)
class Halo:
    """
    What a tile reads beyond its own share: in bytes, of the worst tile's box (None where sizes that are names decide),
    and in elements along each axis of the producer, `low` before the share and `high` after it.
    """

    bytes: int | None = 0
    per_axis: dict[str, Amount] = field(default_factory=dict[str, Amount])
    low: dict[str, Amount] = field(default_factory=dict[str, Amount])
    high: dict[str, Amount] = field(default_factory=dict[str, Amount])


@dataclass(frozen=True)
class Extent:
    """Elements along an axis of the producer that a tile reads at most, and what it would be without padding."""

    read: Amount
    unclipped: Amount


@dataclass(frozen=True)
class ComputeAt:
    """
    Whether what a tile of the consumer needs of the producer can be computed within it, and how much that is.
    `repeats` tiles need the same of it, because axes that are cut do not move what is read. If it cannot, `refusal`
    is the error to raise, of which `why` has the message; halo and extents are there as far as they are known.
    """

    ok: bool
    why: str
    halo: Halo = Halo()
    extents: dict[str, Extent] = field(default_factory=dict[str, Extent])
    repeats: Amount = 1
    refusal: PtirError | None = field(default=None, compare=False)

    @property
    def legal(self) -> bool:
        """`ok`, but that the halo in bytes need not be a number."""
        return self.ok or isinstance(self.refusal, NeedsSize)

    @classmethod
    def refused(
        cls, error: PtirError, told: str = "", extents: dict[str, Extent] | None = None, halo: Halo | None = None
    ) -> ComputeAt:
        """`told` is what else is known."""
        why = f"{error.message}: {error.help}." if error.help else f"{error.message}."
        return cls(False, f"{why} {told}".rstrip(), halo or Halo(), extents or {}, refusal=error)


@dataclass(frozen=True)
class MinBuffer:
    """
    The smallest place in which a producer's elements wait for the consumer: registers, a ring of `depth` slots in
    shared memory, or memory. `bytes` is what it takes: an element for each output of a tile in registers, all slots
    of a ring, the whole producer in memory; None where sizes that are names decide.
    """

    buffer: Literal["reg", "smem_ring", "gmem"]
    why: str
    depth: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Barrier:
    """What must stand between writing a buffer and reading it, in the order in which a step runs."""

    kind: Literal["none", "bar.sync", "commit/wait", "mbarrier", "kernel"]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class BankHint:
    """
    When the lanes of a warp read one box in shared memory, each `width` bytes, neighbours along `lanes`, an axis of the
    consumer: wavefronts for each that is needed, and the bytes after each row that bring it to 1, if some do.
    """

    lanes: str
    width: int
    ways: int
    pad: int | None = None
