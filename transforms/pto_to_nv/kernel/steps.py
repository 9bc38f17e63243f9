"""
Copies whose addresses and guards are computed once a tile, and the counters by which they move from step to step.

```
%offsets = nv.copy_offsets %x[…]                        once a tile
for each step:  nv.cp_async_at %offsets[%delta] bits [%tap] to …
                %delta, %c, %s, %tap = the next ones    c counts steps within a tap, s taps in a row; each wraps to 0
```

A copy with one digit (`analysis/regions/copy_steps.py`) has no counters: its delta is a multiple of k. In a loop that has several
steps an iteration it is a constant, and the loop moves the offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ....analysis.index import affine
from ....analysis.regions.copy_steps import CopySteps, copy_steps
from ....analysis.regions.tile_access import element_address, point_set
from ....dialects import nv
from ....dialects.common.syntax import ints
from ....targets.mma import element_bytes
from .access import map_text
from .contraction import Copy, LoopLowering

MIN_BYTES = 4
"""The least number of bytes that cp.async copies."""


@dataclass(frozen=True)
class SteppedCopy:
    """
    A copy with its steps along axis `along` of its space, whose strides count bytes, and the registers of its offsets in the
    current tile.
    """

    copy: Copy
    steps: CopySteps
    along: int
    offsets: SSAValue | None = None

    @property
    def tail(self) -> bool:
        """Whether steps may be beyond the end of k: in the last part of a split."""
        return self.along in self.copy.guards

    @property
    def counts(self) -> bool:
        """Whether the copy has counters."""
        return len(self.steps.sizes) > 1

    @property
    def taps(self) -> list[int]:
        """The indices of the masks whose bit no digit is."""
        return [p for p, mask in enumerate(self.steps.masks) if self.digit(p) is None and mask.count > 1]

    @property
    def carried(self) -> int:
        """The number of digits that are counters: the last digit is one only if a mask needs it."""
        last = len(self.steps.sizes) - 1
        return last + any(self.digit(p) == last for p, mask in enumerate(self.steps.masks) if mask.count > 1)

    @property
    def counters(self) -> int:
        """The number of counters."""
        return (1 + self.carried + len(self.taps)) if self.counts else 0

    def digit(self, mask: int) -> int | None:
        """Returns the digit that is the bit of a mask, or None."""
        wanted = self.steps.masks[mask].unit, self.steps.masks[mask].count
        digits = zip(self.steps.units, self.steps.sizes, strict=True)
        return next((j for j, digit in enumerate(digits) if digit == wanted), None)


class StepLowering(LoopLowering):
    """Adds copies with offsets, and their counters, to a kernel."""

    stepped: list[SteppedCopy]
    step_counters: Sequence[SSAValue] = ()
    """The counters of the current step."""
    since: SSAValue | None = None
    """The number of steps from the one at which the offsets are to the current one; None if they are not moved, and are at k = 0."""

    def find_steps(self, copies: Sequence[Copy]) -> None:
        """Sets `stepped` to the copies whose addresses and guards can be computed once a tile."""
        self.stepped = []
        k = self.loops.producer.body.block.args[0]
        for copy in copies:
            load, bounds = copy.load, ints(copy.load.bounds)
            along = [a for a in copy.dims if self.depends_on(load.offsets[a], k)]
            t = nv.smem(copy.ring)
            size = element_bytes(t.element_type)
            tail = copy.dims[1] in copy.guards and bounds[copy.dims[1]] % (copy.bytes // size)
            if copy.bytes < MIN_BYTES or len(along) != 1 or tail or bounds[along[0]] % self.loops.tile_k:
                continue
            where = None if load.where is None else point_set(load, load.where.source.data, len(bounds))
            at, step = affine.read_map(load.map.source.data), self.loops.tile_k
            if self.loops.step != step:
                continue
            found = copy_steps(at, element_address(load), where, bounds, along[0], step, 2**31 // size)
            if found is not None:
                in_bytes = replace(found, strides=tuple(size * stride for stride in found.strides))
                self.stepped.append(SteppedCopy(copy, in_bytes, along[0]))

    def depends_on(self, value: SSAValue, k: SSAValue) -> bool:
        """Returns whether an offset of the tile program depends on `k`."""
        if value is k:
            return True
        op = value.owner
        return isinstance(op, arith.AddiOp | arith.MuliOp) and any(self.depends_on(v, k) for v in op.operands)

    def begin_steps(self, first: SSAValue) -> None:
        """Writes the offsets of the tile's copies, and the counters of step `first`."""
        if not self.stepped:
            return
        self.bind_k(first)
        begun: list[SteppedCopy] = []
        values: list[SSAValue] = []
        for one in self.stepped:
            copy, steps = one.copy, one.steps
            self.at = load = copy.load
            first_k = self.index(0) if self.since is None else self.offset(load.offsets[one.along])
            offsets = [first_k if a == one.along else self.offset(o) for a, o in enumerate(load.offsets)]
            op = nv.CopyOffsetsOp(
                self.map[load.memref],
                offsets,
                copy.ring,
                map_text(element_address(load)),
                ints(load.bounds),
                copy.dims,
                [axis for axis in copy.guards if axis != one.along],
                copy.bytes,
                one.along,
                [mask.unit for mask in steps.masks],
                [mask.count for mask in steps.masks],
                [str(mask.where) for mask in steps.masks],
            )
            hint = (copy.ring.name_hint or "smem").replace("smem", "offsets")
            begun.append(replace(one, offsets=self.add(op, hint)))
            if one.counts:
                values += self.first_counters(one, self.offset(load.offsets[one.along]))
        self.stepped, self.step_counters = begun, values

    def first_counters(self, one: SteppedCopy, k: SSAValue) -> list[SSAValue]:
        steps = one.steps
        digits: list[SSAValue] = []
        delta = self.index(0)
        for unit, size, stride in zip(steps.units, steps.sizes, steps.strides, strict=True):
            start = self.constant_of(k) == 0
            digits.append(self.index(0) if start else self.remainder(self.quotient(k, unit), size))
            if not start:
                delta = self.plus(delta, self.add(arith.MuliOp(digits[-1], self.index(stride))))
        taps = [self.index(0) if self.constant_of(k) == 0 else self.quotient(k, steps.masks[p].unit) for p in one.taps]
        return [delta, *digits[: one.carried], *taps]

    @property
    def named_counters(self) -> list[tuple[str, int | SSAValue]]:
        """The counters with their names, as a loop carries them."""
        names: list[str] = []
        for one in self.stepped:
            if one.counts:
                name = (one.copy.ring.name_hint or "smem").removeprefix("smem_")
                names += [f"delta_{name}", *(f"digit{j}_{name}" for j in range(one.carried))]
                names += [f"tap_{name}" for _ in one.taps]
        return list(zip(names, self.step_counters, strict=True))

    def next_counters(self) -> list[SSAValue]:
        """Writes the counters of the next step, and returns them."""
        out: list[SSAValue] = []
        left = list(self.step_counters)
        for one in self.stepped:
            if not one.counts:
                continue
            steps, last = one.steps, len(one.steps.sizes) - 1
            own, left = left[: one.counters], left[one.counters :]
            delta, digits, taps = own[0], own[1 : 1 + one.carried], own[1 + one.carried :]
            following = [self.plus(digit, self.index(1)) for digit in digits]
            wraps = [
                self.add(arith.CmpiOp(value, self.index(size), "eq"), "wraps")
                for value, size in zip(following[:last], steps.sizes, strict=False)
            ]
            moves, changed = self.index(steps.increments[-1]), following[last:]
            tapped = [self.plus(tap, self.index(1)) for tap in taps]
            for j in reversed(range(last)):
                moves = self.select(wraps[j], moves, self.index(steps.increments[j]))
                changed = [self.select(wraps[j], new, old) for new, old in zip(changed, digits[j + 1 :], strict=True)]
                changed.insert(0, self.select(wraps[j], self.index(0), following[j]))
                for t, p in enumerate(one.taps):
                    if steps.masks[p].unit > steps.units[j]:
                        tapped[t] = self.select(wraps[j], tapped[t], taps[t])
            out += [self.plus(delta, moves), *changed, *tapped]
        return out

    def select(self, condition: SSAValue, left: SSAValue, right: SSAValue) -> SSAValue:
        return left if left is right else self.add(arith.SelectOp(condition, left, right))

    def start_copies(self, copy: Copy, slot: SSAValue, *, to_tf32: bool = False) -> None:
        left = list(self.step_counters)
        for one in self.stepped:
            own, left = left[: one.counters], left[one.counters :]
            if one.copy is copy and one.offsets is not None:
                self.at = copy.load
                delta, bits = self.place(one, own)
                inside = None
                if one.tail:
                    k, end = self.offset(copy.load.offsets[one.along]), ints(copy.load.bounds)[one.along]
                    inside = self.less(k, self.index(end), "inside")
                self.add(nv.CpAsyncAtOp(one.offsets, delta, bits, copy.ring, slot, inside))
                return
        super().start_copies(copy, slot, to_tf32=to_tf32)

    @property
    def counts_steps(self) -> bool:
        """Whether a copy depends on its step by more than a multiple of it."""
        return any(one.counts or any(mask.count > 1 for mask in one.steps.masks) for one in self.stepped)

    def step_bytes(self, one: SteppedCopy) -> int:
        """The bytes from a step of a copy without counters to the next one."""
        return one.steps.strides[0] * self.loops.step // one.steps.units[0]

    def move_offsets(self, steps: int) -> None:
        """Moves the offsets of all copies by a number of steps."""
        for one in self.stepped:
            if one.offsets is not None:
                self.at = one.copy.load
                self.add(nv.MoveOffsetsOp(one.offsets, steps * self.step_bytes(one)))

    def place(self, one: SteppedCopy, own: Sequence[SSAValue]) -> tuple[SSAValue, list[SSAValue]]:
        """Returns the delta of a copy in the current step, and the bits of its masks."""
        steps, bits = one.steps, list[SSAValue]()
        if not one.counts:
            k = self.offset(one.copy.load.offsets[one.along])
            stride, unit = steps.strides[0], steps.units[0]
            name = (one.copy.ring.name_hint or "smem").removeprefix("smem_")
            if self.since is not None:
                known, bytes_ = self.constant_of(self.since), self.step_bytes(one)
                delta = self.times(self.since, bytes_) if known is None else self.index(known * bytes_)
            elif not stride:  # there is one step
                delta = self.index(0)
            elif stride % unit:
                delta = self.times(self.quotient(k, unit), stride, f"delta_{name}")
            else:
                delta = self.times(k, stride // unit, f"delta_{name}")
            return delta, [self.index(0) if m.count == 1 else self.quotient(k, unit, "bit") for m in steps.masks]
        delta, digits, taps = own[0], own[1 : 1 + one.carried], list(own[1 + one.carried :])
        for p, mask in enumerate(steps.masks):
            digit = one.digit(p)
            bits.append(self.index(0) if mask.count == 1 else digits[digit] if digit is not None else taps.pop(0))
        return delta, bits
