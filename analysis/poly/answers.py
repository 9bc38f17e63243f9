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
    Whether (`ok`) a tile of the consumer can compute the producer's elements that it reads, and how many these are.
    `repeats` is the number of tiles that need the same elements. If the tile cannot compute them, `refusal` is the error to
    raise and `why` its message; halo and extents are given as far as known.
    """

    ok: bool
    why: str
    halo: Halo = Halo()
    extents: dict[str, Extent] = field(default_factory=dict[str, Extent])
    repeats: Amount = 1
    refusal: PtirError | None = field(default=None, compare=False)

    @property
    def legal(self) -> bool:
        """Whether `ok`, or only the halo in bytes is unknown, as it depends on symbolic sizes."""
        return self.ok or isinstance(self.refusal, NeedsSize)

    @classmethod
    def refused(
        cls, error: PtirError, explanation: str = "", extents: dict[str, Extent] | None = None, halo: Halo | None = None
    ) -> ComputeAt:
        """Returns a refusal. Its `why` is the error's message, followed by `explanation`."""
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
    """The synchronization between writing a buffer and reading it; `steps` are in program order."""

    kind: Literal["none", "bar.sync", "commit/wait", "mbarrier", "kernel"]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class BankHint:
    """
    Bank conflicts of a warp's read in shared memory: its lanes are along the consumer's axis `lanes` and read `width` bytes each.
    `ways` is the ratio of wavefronts to the minimum; `pad` is the padding in bytes per row that avoids conflicts, if any.
    """

    lanes: str
    width: int
    ways: int
    pad: int | None = None
