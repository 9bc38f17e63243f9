"""Result types of Poly Core's queries. Their fields `why` explain a result in words. Spec: `tensor-compiler.ja §1.6`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...errors import PtirError
from ..errors import NeedsSize
from .footprint import Amount


@dataclass(frozen=True)
class Halo:
    """
    The elements that a tile reads but other tiles own (`footprint.py`). `bytes` is their maximum size over all tiles (None if it
    depends on symbolic sizes). Along each axis of the producer, `per_axis` is their number, with `low` of them before the
    tile's own elements and `high` after these.
    """

    bytes: int | None = 0
    per_axis: dict[str, Amount] = field(default_factory=dict[str, Amount])
    low: dict[str, Amount] = field(default_factory=dict[str, Amount])
    high: dict[str, Amount] = field(default_factory=dict[str, Amount])


@dataclass(frozen=True)
class Extent:
    """Maximum number of elements that a tile reads along an axis of the producer; `unclipped` includes padding."""

    read: Amount
    unclipped: Amount


@dataclass(frozen=True)
class ComputeAt:
    """
    The result of `can_compute_at`. `ok` says whether a tile of the consumer can compute the elements of the producer that it
    reads. `halo` and `extents` count these elements, as far as known. `repeats` is the number of tiles that need the same
    elements. If the tile cannot compute them, `refusal` is the error to raise, and `why` is the message of that error.
    """

    ok: bool
    why: str
    halo: Halo = Halo()
    extents: dict[str, Extent] = field(default_factory=dict[str, Extent])
    repeats: Amount = 1
    refusal: PtirError | None = field(default=None, compare=False)

    @property
    def legal(self) -> bool:
        """Whether the tile can compute the producer, even if the halo in bytes is unknown because of symbolic sizes."""
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
    memory. `bytes` is its size: of one element per output of a tile (registers), of all slots (ring), or of the whole
    producer (global memory). It is None if it depends on symbolic sizes.
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
    Bank conflicts of a warp's read of shared memory: its lanes follow the consumer's axis `lanes` and read `width` bytes each.
    `ways` is the ratio of wavefronts to the minimum; `pad` is the padding in bytes per row that avoids conflicts, if any.
    """

    lanes: str
    width: int
    ways: int
    pad: int | None = None
