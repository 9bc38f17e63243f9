"""
The dataflow of a program: the producers of its values and an order of its ops.

A value is an argument or the output of one op. Ops may be written in any order, and may not form a cycle. They are sorted
topologically; an order that is topological already is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from itertools import chain

from msgspec import UNSET, UnsetType

from ....errors import counted
from ..common.errors import Contradiction, DuplicateId, UndefinedId
from ..common.places import Path, Places
from .errors import Cycle
from .program import BinaryForm, ConstForm, IotaForm, MovementForm, OpForm, Program

MAX_SHOWN = 8
"""Maximum number of values of a cycle that a message names."""


def default_inputs(ops: Sequence[OpForm], outputs: Sequence[str] | UnsetType) -> list[str]:
    """Returns the values that no op defines, in the order of their first use by an op or in `outputs`."""
    defined = {name for op in ops for name in op.outputs}
    read = chain(*(op.inputs for op in ops), () if outputs is UNSET else outputs)
    return [name for name in dict.fromkeys(read) if name not in defined]


def default_outputs(ops: Sequence[OpForm]) -> list[str]:
    """Returns the values that ops define and that no op uses."""
    read = {name for op in ops for name in op.inputs}
    return [name for op in ops for name in op.outputs if name not in read]


class Flow:
    """
    The arguments, the results, and the indices of the ops in topological order.

    Raises `SourceError` for undefined, duplicate and unused names, for cycles, and for ops with a wrong number of inputs.
    """

    def __init__(self, program: Program, places: Places):
        self.program, self.places = program, places
        self._require_counts()
        ops, inputs = program.ops, [] if program.inputs is UNSET else program.inputs
        self._require_unique("op", ((op.name, ["ops", k, "name"]) for k, op in enumerate(ops) if op.name is not UNSET))
        arguments = ((name, ["inputs", k]) for k, name in enumerate(inputs))
        results = ((op.outputs[0], ["ops", k, "outputs", 0]) for k, op in enumerate(ops))
        self._require_unique("value", chain(arguments, results))
        self.producers = {op.outputs[0]: k for k, op in enumerate(ops)}
        """The index of the op that defines each value."""
        self.inputs = default_inputs(program.ops, program.outputs) if program.inputs is UNSET else program.inputs
        self.outputs = default_outputs(program.ops) if program.outputs is UNSET else program.outputs
        self._require_defined()
        self.order = self._order()
        self._require_used()

    def _require_counts(self) -> None:
        for k, op in enumerate(self.program.ops):
            name, count = _signature(op)
            for what, field, values, want in ((name, "input", op.inputs, count), ("an op", "output", op.outputs, 1)):
                if len(values) != want:
                    message = f"{what} has {counted(want, field)}, got {len(values)}"
                    raise Contradiction(self.places.span(["ops", k, f"{field}s"]), message=message, help="")

    def _require_unique(self, what: str, named: Iterable[tuple[str, Path]]) -> None:
        first: dict[str, Path] = {}
        for name, path in named:
            if (other := first.setdefault(name, path)) is not path:
                notes = [(self.places.span(other), "the first is here")]
                raise DuplicateId(self.places.span(path), what=what, id=name, span_notes=notes)

    def _require_defined(self) -> None:
        for k, name in enumerate(self.inputs):
            if name not in self.program.values and self.program.inputs is not UNSET:
                self._refuse_unknown(name, ["inputs", k], "declare the type of an argument in 'values'")
        known = {*self.producers, *(self.program.values if self.program.inputs is UNSET else self.inputs)}
        for k, op in enumerate(self.program.ops):
            for i, name in enumerate(op.inputs):
                if name not in known:
                    self._refuse_unknown(name, ["ops", k, "inputs", i], self._help_unknown(name, known))
        for k, name in enumerate(self.outputs):
            if name not in known:
                self._refuse_unknown(name, ["outputs", k], self._help_unknown(name, known))

    def _help_unknown(self, name: str, known: set[str]) -> str:
        if near := get_close_matches(name, known, 1):
            return f"did you mean '{near[0]}'?"
        if name in self.program.values:
            return "list an argument in 'inputs'; any other value is the output of an op"
        return "declare an argument in 'values'"

    def _require_used(self) -> None:
        for name in self.program.values:
            if name not in self.producers and name not in self.inputs:
                message = f"value {name} is declared, but no op defines or uses it"
                help = "remove it, or list it in 'inputs' if it is an argument"
                raise Contradiction(self.places.key(["values"], name), message=message, help=help)

    def _order(self) -> list[int]:
        ops = self.program.ops
        sorter = TopologicalSorter(
            {k: [self.producers[i] for i in op.inputs if i in self.producers] for k, op in enumerate(ops)}
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

    def _refuse_unknown(self, name: str, path: Path, help: str) -> None:
        raise UndefinedId(self.places.span(path), what="value", id=name, where="", help=help)

    def _refuse_cycle(self, cycle: Sequence[int]) -> None:
        """`cycle` holds the indices of the ops along the cycle, the first one twice."""
        numbers = list(cycle[:-1])
        first = numbers.index(min(numbers))
        names = [self.program.ops[k].outputs[0] for k in numbers[first:] + numbers[:first]]
        notes = [(self.places.span(["ops", k, "outputs"]), "in the cycle") for k in sorted(numbers)[1:]]
        span = self.places.span(["ops", min(numbers), "outputs", 0])
        shown = names if len(names) <= MAX_SHOWN else [*names[: MAX_SHOWN - 1], "…"]
        raise Cycle(span, name=names[0], path=" → ".join([*shown, names[0]]), span_notes=notes[: MAX_SHOWN - 1])


def _signature(op: OpForm) -> tuple[str, int]:
    """Returns the name of an op in messages and its number of inputs."""
    match op:
        case ConstForm() | IotaForm():
            return "a leaf", 0
        case MovementForm():
            return op.kind, 1
        case BinaryForm():
            return op.fn, 3 if op.fn == "where" else 2
        case _:
            return op.fn, 1
