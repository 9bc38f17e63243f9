"""
Shrinks a failing program, as long as it verifies and still fails.

    small = shrink(case, fails)          # fails(case) -> bool
    print(text_of(small))

Each reduction is tried at every site until none succeeds: remove a function, a result, an unused op or an unused argument; replace
an op's results by its operands, new arguments or literals of ones; replace a size by 0, 1 or 2 everywhere; replace a name by a
number; replace the elements of an argument by ones. A step succeeds if the module verifies and `fails` returns True.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, SymbolRefAttr, TensorType, TupleType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ptir.dialects import ptir
from ptir.passes.environment import make_context
from ptir.text.literals import dense
from ptir.text.parsing import parse_text
from ptir.text.verify import find_failures
from ptir.text.writing import print_module

from .dtypes import NUMPY, spelling
from .generator import Case
from .values import bytes_of

Fails = Callable[[Case], bool]


@dataclass(frozen=True)
class Reduction:
    """A kind of step: `sites` counts its places in a program, `smaller` yields the smaller programs for one of them."""

    sites: Callable[[Case], int]
    smaller: Callable[[Case, int], Iterator[Case]]


def shrink(case: Case, fails: Fails, tries: int = 3000) -> Case:
    """Returns the smallest failing program that is found in at most `tries` attempts."""
    left = [tries]

    def holds(candidate: Case) -> bool:
        left[0] -= 1
        return left[0] >= 0 and not find_failures(candidate.module) and fails(candidate)

    while left[0] > 0:
        before = _size(case)
        for reduction in REDUCTIONS:
            case = _reduce(case, reduction, holds)
        if _size(case) == before:
            break
    return case


def _reduce(case: Case, reduction: Reduction, holds: Fails) -> Case:
    """Tries a reduction at all sites, from the last to the first."""
    k = reduction.sites(case) - 1
    while k >= 0:
        for candidate in reduction.smaller(case, k):
            if holds(candidate):
                case = candidate
                break
        k = min(k - 1, reduction.sites(case) - 1)
    return case


def text_of(case: Case) -> str:
    """Returns the text of the program, with the arguments of the calls in comments."""
    calls = [f"// @{name}({', '.join(np.asarray(a).tolist().__repr__() for a in arrays)})\n"
             for name, arrays in case.inputs.items()]  # fmt: skip
    return print_module(case.module) + "".join(calls)


def _size(case: Case) -> tuple[int, str]:
    text = text_of(case)
    return len(text), text


# --- functions, results, arguments --------------------------------------------------------------


def functions(case: Case) -> list[FuncOp]:
    return [op for op in case.module.ops if isinstance(op, FuncOp)]


def _entries(case: Case) -> list[FuncOp]:
    """Returns the functions whose arguments and results may change: no function calls them, and they take and return no tuples."""
    called = _called(case)
    return [f for f in functions(case) if f.sym_name.data not in called and not _has_tuples(f)]


def _has_tuples(function: FuncOp) -> bool:
    t = function.function_type
    return any(isinstance(value, TupleType) for value in (*t.inputs, *t.outputs))


def _called(case: Case) -> set[str]:
    names: set[str] = set()
    for op in case.module.walk():
        names |= {a.root_reference.data for a in [*op.properties.values(), *op.attributes.values()]
                  if isinstance(a, SymbolRefAttr)}  # fmt: skip
    return names


def _drop_function(case: Case, k: int) -> Iterator[Case]:
    out = case.copy()
    function = functions(out)[k]
    if function.sym_name.data not in _called(case):
        out.inputs.pop(function.sym_name.data, None)
        function.detach()
        function.erase()
        yield out


def _returns(case: Case) -> list[tuple[FuncOp, ReturnOp, int]]:
    return [
        (f, r, k)
        for f in _entries(case)
        if isinstance(r := f.body.block.last_op, ReturnOp)
        for k in range(len(r.operands))
    ]


def _drop_result(case: Case, k: int) -> Iterator[Case]:
    out = case.copy()
    function, old, position = _returns(out)[k]
    block = function.body.block
    operands = [v for i, v in enumerate(old.operands) if i != position]
    old.detach()
    old.erase()
    block.add_op(ReturnOp(*operands))
    function.update_function_type()
    yield out


def _arguments(case: Case) -> list[tuple[FuncOp, int]]:
    return [(f, k) for f in _entries(case) for k in range(len(f.args))]


def _drop_argument(case: Case, k: int) -> Iterator[Case]:
    out = case.copy()
    function, position = _arguments(out)[k]
    argument = function.args[position]
    if not argument.uses:
        function.body.block.erase_arg(argument)
        function.update_function_type()
        name = function.sym_name.data
        out.inputs[name] = tuple(a for i, a in enumerate(out.inputs[name]) if i != position)
        yield out


def _plain_argument(case: Case, k: int) -> Iterator[Case]:
    """Replaces the elements of an argument by ones."""
    out = case.copy()
    function, position = _arguments(out)[k]
    arrays = list(out.inputs[function.sym_name.data])
    ones = np.ones_like(arrays[position])
    if not np.array_equal(ones, arrays[position]):
        arrays[position] = ones
        out.inputs[function.sym_name.data] = tuple(arrays)
        yield out


# --- ops ----------------------------------------------------------------------------------------


def _ops(case: Case) -> list[Operation]:
    return [op for f in functions(case) for op in f.walk() if op is not f and not op.has_trait(IsTerminator)]


def _drop_op(case: Case, k: int) -> Iterator[Case]:
    out = case.copy()
    op = _ops(out)[k]
    if not any(r.uses for r in op.results):
        op.detach()
        op.erase()
        yield out


def _replace_op(case: Case, k: int) -> Iterator[Case]:
    """Replaces the results of an op by operands of their type, by arguments, or by literals."""
    original = _ops(case)[k]
    if not original.results or isinstance(original, ptir.ConstantOp):
        return
    for replacement in (_operand, _argument, _literal):
        out = case.copy()
        op = _ops(out)[k]
        if all(replacement(out, op, result) for result in op.results if result.uses):
            op.detach()
            op.erase()
            yield out


def _operand(case: Case, op: Operation, result: SSAValue) -> bool:
    for value in op.operands:
        if value.type == result.type:
            result.replace_all_uses_with(value)
            return True
    return False


def _function_of(op: Operation) -> FuncOp:
    parent = op.parent_op()
    while not isinstance(parent, FuncOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def _static(value: SSAValue) -> TensorType[Any] | None:
    t = value.type
    return t if isinstance(t, TensorType) and DYNAMIC_INDEX not in t.get_shape() else None  # pyright: ignore


def _argument(case: Case, op: Operation, result: SSAValue) -> bool:
    function, t = _function_of(op), _static(result)
    if t is None or op.parent is not function.body.block or function not in _entries(case):
        return False
    block: Block = function.body.block
    result.replace_all_uses_with(block.insert_arg(t, len(block.args)))
    function.update_function_type()
    ones = np.ones(t.get_shape(), NUMPY[spelling(t.element_type)])
    case.inputs[function.sym_name.data] = (*case.inputs[function.sym_name.data], ones)
    return True


def _literal(case: Case, op: Operation, result: SSAValue) -> bool:
    t = _static(result)
    if t is None or op.parent is None:
        return False
    ones = np.ones(t.get_shape(), NUMPY[spelling(t.element_type)])
    constant = ptir.ConstantOp(dense(t, bytes_of(ones)))  # pyright: ignore
    op.parent.insert_op_before(constant, op)
    result.replace_all_uses_with(constant.result)
    return True


# --- sizes --------------------------------------------------------------------------------------

_TYPE = re.compile(r"tensor<[^<>]*(?:<[^<>]*>[^<>]*)*>")
_SIZE = re.compile(r"(?<=[<x])\d+(?=x)")


def _sizes(case: Case) -> list[str]:
    """Returns the sizes in types: numbers and names."""
    types = " ".join(_TYPE.findall(print_module(case.module)))
    numbers = {n for n in _SIZE.findall(types) if int(n) > 1}
    return sorted(numbers, key=int)


def _shrink_size(case: Case, k: int) -> Iterator[Case]:
    size = _sizes(case)[k]
    text = print_module(case.module)
    for smaller in (n for n in (1, 2) if n < int(size)):
        types = _TYPE.sub(lambda m, n=smaller: re.sub(rf"(?<=[<x]){size}(?=x)", str(n), m[0]), text)
        lists = re.sub(rf"(?<=[\[ ]){size}(?=[,\]])", str(smaller), types)
        for candidate in dict.fromkeys((types, lists)):
            yield from _reread(case, candidate)


def _reread(case: Case, text: str) -> Iterator[Case]:
    """Yields the program of a changed text, with arguments cut to their new sizes."""
    try:
        module = parse_text(text, _context(), "shrunk.mlir")
    except Exception:
        return
    out = Case(module, dict(case.inputs), case.violated)
    for function, old in zip(functions(out), functions(case), strict=True):
        name = function.sym_name.data
        if _has_tuples(function):
            if function.function_type != old.function_type:
                return
            continue
        arrays = [_cut(a, t.get_shape()) for a, t in zip(case.inputs[name], function.function_type.inputs, strict=True)]  # pyright: ignore
        out.inputs[name] = tuple(arrays)
    yield out


def _cut(array: Any, shape: Sequence[int]) -> Any:
    array = np.asarray(array)
    wanted = [n if s == DYNAMIC_INDEX else s for s, n in zip(shape, array.shape, strict=True)]
    return array[tuple(slice(0, n) for n in wanted)]


def _context() -> Context:
    return make_context()


def _names(case: Case) -> list[str]:
    return sorted(
        set(re.findall(r"\b[A-Z]\b(?=[,>\s])", " ".join(re.findall(r"#ptir\.dims<[^>]*>", print_module(case.module)))))
    )


def _fix_name(case: Case, k: int) -> Iterator[Case]:
    """Replaces a name everywhere by a number that it has in a call."""
    name = _names(case)[k]
    text = print_module(case.module)
    for number in _numbers_of(case, name):

        def fixed(m: re.Match[str], n: int = number) -> str:
            head, _, names = m[0].partition(", #ptir.dims<")
            parts = [p.strip() for p in names.rstrip(">").split(",")]
            if name not in parts:
                return m[0]
            *sizes, dtype = re.sub(r"^tensor<", "", head).split("x", len(parts))
            sizes = [str(n) if p == name else s for s, p in zip(sizes, parts, strict=True)]
            left = ["_" if p == name else p for p in parts]
            encoding = f", #ptir.dims<{', '.join(left)}>" if set(left) != {"_"} else ""
            return f"tensor<{'x'.join([*sizes, dtype])}{encoding}>"

        yield from _reread(case, _TYPE.sub(fixed, text))


def _numbers_of(case: Case, name: str) -> list[int]:
    from ptir.dialects.ptir.dims import sizes

    found: set[int] = set()
    for function in [f for f in functions(case) if not _has_tuples(f)]:
        for t, array in zip(function.function_type.inputs, case.inputs[function.sym_name.data], strict=True):
            if isinstance(t, TensorType):
                found |= {n for s, n in zip(sizes(t), np.shape(array), strict=True) if s == name}
    return sorted(found)


REDUCTIONS = (
    Reduction(lambda case: len(functions(case)), _drop_function),
    Reduction(lambda case: len(_returns(case)), _drop_result),
    Reduction(lambda case: len(_ops(case)), _drop_op),
    Reduction(lambda case: len(_ops(case)), _replace_op),
    Reduction(lambda case: len(_ops(case)), _drop_op),
    Reduction(lambda case: len(_arguments(case)), _drop_argument),
    Reduction(lambda case: len(_sizes(case)), _shrink_size),
    Reduction(lambda case: len(_names(case)), _fix_name),
    Reduction(lambda case: len(_arguments(case)), _plain_argument),
)
