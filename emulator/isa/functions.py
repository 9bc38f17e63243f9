"""
Inlines calls of device functions (PTX ISA §7, ABI; §9.7.12.5, call).

```
call (retval0), f, (param0);      ld.local.f32 %f1@0, [param0];   f's body with renamed registers and labels;
                             →    …                               its parameters are the caller's variables in
                                  st.local.f32 [retval0], %f2@0;  local memory; `ret` branches to the end
                                  bra f@0;
```
Recursive calls and calls of functions without a body (`printf`) remain and are rejected when decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...errors import counted
from .declarations import SpaceUsage, fail
from .syntax import Address, Instruction, Operand, Register, Symbol, Variable, Vector
from .types import Scalar

MAX_INSERTED = 1 << 18
"""Maximum number of instructions and names that inlining adds to a module; nested calls may grow it exponentially."""
MAX_DEPTH = 64
"""Maximum nesting depth of calls."""


@dataclass
class Code:
    """The body of a kernel or function; `formals` and `result` are the names of a function's parameters and result."""

    registers: dict[str, Scalar] = field(default_factory=lambda: dict[str, Scalar]())
    variables: list[Variable] = field(default_factory=lambda: list[Variable]())
    instructions: list[Instruction] = field(default_factory=lambda: list[Instruction]())
    labels: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    branch_targets: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict[str, tuple[str, ...]]())
    result: str | None = None
    formals: tuple[str, ...] = ()


class Expander:
    """Inlines calls of `functions`, up to `MAX_INSERTED`."""

    def __init__(self, functions: Mapping[str, Code]):
        self._functions = functions
        self._inserted = 0

    def expand(self, code: Code, stack: tuple[str, ...] = ()) -> Code:
        """Returns `code` with every call inlined; `stack` holds the functions being expanded."""
        if not any(ins.parts[0] == "call" for ins in code.instructions):
            return code
        out = Code(dict(code.registers), list(code.variables), branch_targets=dict(code.branch_targets))
        placed, usage = {v.name for v in code.variables}, SpaceUsage()
        for variable in code.variables:
            usage.add(variable, code.instructions[0].line, code.instructions[0].text)
        starts: list[int] = []
        for ins in code.instructions:
            starts.append(len(out.instructions))
            call = _called(ins, self._functions)
            if call is None or call[0] in stack:
                out.instructions.append(ins)
                continue
            name, renames = call
            if len(stack) == MAX_DEPTH:
                fail(ins.line, f"calls nest more than {MAX_DEPTH} deep", ins.text)
            body = self.expand(self._functions[name], (*stack, name))
            self._count(body, ins)
            for variable in _insert(out, body, renames, ins, f"{name}@{len(starts)}.{len(stack)}", placed):
                usage.add(variable, ins.line, ins.text)
        starts.append(len(out.instructions))
        out.labels.update((label, starts[at]) for label, at in code.labels.items())
        out.result, out.formals = code.result, code.formals
        return out

    def _count(self, body: Code, call: Instruction) -> None:
        names = body.registers, body.variables, body.labels, *body.branch_targets.values()
        self._inserted += sum(map(len, (body.instructions, *names)))
        if self._inserted > MAX_INSERTED:
            fail(call.line, f"calls insert more than {MAX_INSERTED} instructions and names", call.text)


def _called(ins: Instruction, functions: Mapping[str, Code]) -> tuple[str, dict[str, str]] | None:
    """Returns the function that `ins` calls and the map from its parameters to the caller's variables."""
    if ins.parts[0] != "call":
        return None
    groups = [o.items for o in ins.operands if isinstance(o, Vector)]
    target = next((o.name for o in ins.operands if isinstance(o, Symbol)), None)
    function = functions.get(target or "")
    if target is None or function is None:
        return None
    result = groups.pop(0) if isinstance(ins.operands[0], Vector) else ()
    formals = (function.result,) if function.result else (), function.formals
    given = result, groups[0] if groups else ()
    if [len(f) for f in formals] != [len(g) for g in given]:
        results, parameters = counted(len(formals[0]), "result"), counted(len(formals[1]), "parameter")
        fail(ins.line, f"'{target}' has {results} and {parameters}", ins.text)
    actual = [item.name for items in given for item in items if isinstance(item, Symbol)]
    if len(actual) != sum(map(len, given)):
        fail(ins.line, "only variables can be passed to functions", ins.text)
    return target, dict(zip([*formals[0], *formals[1]], actual, strict=True))


def _insert(
    out: Code, body: Code, renames: dict[str, str], call: Instruction, tag: str, placed: set[str]
) -> list[Variable]:
    """Appends `body` to `out`, with `tag` appended to its names; returns the variables that were not in `placed`."""
    end, base = f"$end {tag}", len(out.instructions)
    names = {name: f"{name} {tag}" for name in (*body.registers, *body.labels, *body.branch_targets)}
    names.update((v.name, f"{v.name} {tag if v.space == 'local' else tag.partition('@')[0]}") for v in body.variables)
    names.update(renames)
    if call.predicate:
        skip = replace(call.predicate, negated=not call.predicate.negated)
        out.instructions.append(replace(call, opcode="bra", operands=(Symbol(end),), predicate=skip))
        base += 1
    for ins in body.instructions:
        predicate = _renamed(ins.predicate, names) if ins.predicate else None
        assert predicate is None or isinstance(predicate, Register)
        opcode, operands = ins.opcode, tuple(_renamed(o, names) for o in ins.operands)
        if ins.parts[0] == "ret":
            opcode, operands = "bra", (Symbol(end),)
        lines = (*ins.lines, *call.lines)
        out.instructions.append(replace(ins, opcode=opcode, operands=operands, predicate=predicate, lines=lines))
    out.registers.update((names[name], type_) for name, type_ in body.registers.items())
    added = [replace(v, name=names[v.name]) for v in body.variables if names[v.name] not in placed]
    placed.update(v.name for v in added)  # a function's shared variables are the same in all calls
    out.variables.extend(added)
    out.labels.update((names[label], base + at) for label, at in body.labels.items())
    out.branch_targets.update((names[t], tuple(names[n] for n in to)) for t, to in body.branch_targets.items())
    out.labels[end] = len(out.instructions)
    return added


def _renamed(operand: Operand, names: Mapping[str, str]) -> Operand:
    if isinstance(operand, Register):
        return Register(names.get(operand.name, operand.name), operand.negated)
    if isinstance(operand, Symbol):
        return Symbol(names.get(operand.name, operand.name), operand.offset)
    if isinstance(operand, Vector):
        return Vector(tuple(_renamed(item, names) for item in operand.items))
    if isinstance(operand, Address):
        base = _renamed(operand.base, names)
        assert not isinstance(base, (Address, Vector))
        return Address(base, operand.offset, tuple(_renamed(c, names) for c in operand.coordinates))
    return operand


def settle_parameters(code: Code, kernel_parameters: set[str]) -> tuple[Instruction, ...]:
    """Turns `ld.param` and `st.param` of anything but the kernel's own parameters into accesses of local memory."""
    settled: list[Instruction] = []
    for ins in code.instructions:
        parts = ins.parts
        if parts[:2] in (["ld", "param"], ["st", "param"]):
            bases = [o.base for o in ins.operands if isinstance(o, Address)]
            if any(isinstance(base, Symbol) and base.name not in kernel_parameters for base in bases):
                ins = replace(ins, opcode=".".join([parts[0], "local", *parts[2:]]))
        settled.append(ins)
    return tuple(settled)
