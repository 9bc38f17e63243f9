"""
Which values a program has, and in which order its ops are computed.

A value is an argument or what one op gives. Ops may stand in any order that a computation can follow; they keep theirs if
each stands after what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from itertools import chain

from msgspec import UNSET, UnsetType

from ..common.errors import Contradiction, DuplicateId, UndefinedId
from ..common.places import Path, Places
from .errors import Cycle
from .program import BinaryForm, ConstForm, IotaForm, MovementForm, OpForm, Program

MOST_SHOWN = 8
"""How many values of a cycle a message names."""


def default_inputs(ops: Sequence[OpForm], outputs: Sequence[str] | UnsetType) -> list[str]:
    """What no op gives, in the order in which ops read it first, and then of `outputs`, if they are written."""
    given = {name for op in ops for name in op.outputs}
    read = chain(*(op.inputs for op in ops), () if outputs is UNSET else outputs)
    return [name for name in dict.fromkeys(read) if name not in given]


def default_outputs(ops: Sequence[OpForm]) -> list[str]:
    """What ops give and none reads."""
    read = {name for op in ops for name in op.inputs}
    return [name for op in ops for name in op.outputs if name not in read]


class Flow:
    """
    The arguments, the results, and the numbers of the ops in an order of computation.

    Raises `SourceError` for a name that nothing has or two things have, for values that nothing reads or gives, for cycles,
    and for an op with too few or too many inputs.
    """

    def __init__(self, program: Program, places: Places):
        self.program, self.places = program, places
        self._require_counts()
        self.giver = self._givers()
        self.inputs = default_inputs(program.ops, program.outputs) if program.inputs is UNSET else program.inputs
        self.outputs = default_outputs(program.ops) if program.outputs is UNSET else program.outputs
        self._require_defined()
        self.order = self._order()
        self._require_used()

    def _require_counts(self) -> None:
        for k, op in enumerate(self.program.ops):
            word, want = _takes(op)
            if len(op.inputs) != want:
                message = f"{word} has {want} input{'' if want == 1 else 's'}, and here are {len(op.inputs)}"
                raise Contradiction(self.places.span(["ops", k, "inputs"]), message=message, help="")
            if len(op.outputs) != 1:
                message = f"an op has 1 output, and here are {len(op.outputs)}"
                raise Contradiction(self.places.span(["ops", k, "outputs"]), message=message, help="")

    def _givers(self) -> Mapping[str, int]:
        """The op that gives each value that is no argument."""
        givers: dict[str, int] = {}
        names: dict[str, int] = {}
        for k, op in enumerate(self.program.ops):
            if (first := givers.setdefault(op.outputs[0], k)) != k:
                self._refuse_twice("value", op.outputs[0], ["ops", k, "outputs", 0], ["ops", first, "outputs", 0])
            if op.name is not UNSET and (first := names.setdefault(op.name, k)) != k:
                self._refuse_twice("op", op.name, ["ops", k, "name"], ["ops", first, "name"])
        arguments: dict[str, int] = {}
        for k, name in enumerate([] if self.program.inputs is UNSET else self.program.inputs):
            if name in givers:
                self._refuse_twice("value", name, ["ops", givers[name], "outputs", 0], ["inputs", k])
            if (first := arguments.setdefault(name, k)) != k:
                self._refuse_twice("value", name, ["inputs", k], ["inputs", first])
        return givers

    def _require_defined(self) -> None:
        for k, name in enumerate(self.inputs):
            if name not in self.program.values and self.program.inputs is not UNSET:
                self._refuse_unknown(name, ["inputs", k], "an argument has its type in 'values'")
        known = {*self.giver, *(self.program.values if self.program.inputs is UNSET else self.inputs)}
        for k, op in enumerate(self.program.ops):
            for i, name in enumerate(op.inputs):
                if name not in known:
                    self._refuse_unknown(name, ["ops", k, "inputs", i], self._why_unknown(name, known))
        for k, name in enumerate(self.outputs):
            if name not in known:
                self._refuse_unknown(name, ["outputs", k], self._why_unknown(name, known))

    def _why_unknown(self, name: str, known: set[str]) -> str:
        if near := get_close_matches(name, known, 1):
            return f"did you mean '{near[0]}'?"
        if name in self.program.values:
            return "an argument is listed in 'inputs', and any other value is given by an op"
        return "declare an argument in 'values'"

    def _require_used(self) -> None:
        for name in self.program.values:
            if name not in self.giver and name not in self.inputs:
                message = f"value {name} is declared, and no op gives or reads it"
                help = "leave it out, or list it in 'inputs' if it is an argument"
                raise Contradiction(self.places.key(["values"], name), message=message, help=help)

    def _order(self) -> list[int]:
        ops = self.program.ops
        sorter = TopologicalSorter(
            {k: [self.giver[i] for i in op.inputs if i in self.giver] for k, op in enumerate(ops)}
        )
        try:
            sorter.prepare()
        except CycleError as e:
            self._refuse_cycle(e.args[1])
        ready, order = list(sorter.get_ready()), list[int]()
        heapify(ready)
        while ready:
            order.append(heappop(ready))
            sorter.done(order[-1])
            for k in sorter.get_ready():
                heappush(ready, k)
        return order

    # --- errors -----------------------------------------------------------------------------------

    def _refuse_twice(self, what: str, name: str, path: Path, first: Path) -> None:
        notes = [(self.places.span(first), "the first is here")]
        raise DuplicateId(self.places.span(path), what=what, id=name, span_notes=notes)

    def _refuse_unknown(self, name: str, path: Path, help: str) -> None:
        raise UndefinedId(self.places.span(path), what="value", id=name, where="", help=help)

    def _refuse_cycle(self, cycle: Sequence[int]) -> None:
        """`cycle` names each op after one that reads it, or the other way round, and the first once more."""
        numbers = list(cycle[:-1])
        first = numbers.index(min(numbers))
        names = [self.program.ops[k].outputs[0] for k in numbers[first:] + numbers[:first]]
        notes = [(self.places.span(["ops", k, "outputs"]), "in the cycle") for k in sorted(numbers)[1:]]
        span = self.places.span(["ops", min(numbers), "outputs", 0])
        shown = names if len(names) <= MOST_SHOWN else [*names[: MOST_SHOWN - 1], "…"]
        raise Cycle(span, name=names[0], path=" → ".join([*shown, names[0]]), span_notes=notes[: MOST_SHOWN - 1])


def _takes(op: OpForm) -> tuple[str, int]:
    """What an op is called, and how many inputs it has."""
    match op:
        case ConstForm() | IotaForm():
            return "a leaf", 0
        case MovementForm():
            return op.kind, 1
        case BinaryForm():
            return op.fn, 3 if op.fn == "where" else 2
        case _:
            return op.fn, 1
