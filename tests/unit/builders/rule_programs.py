"""Programs in `ptir` that a row of the table of algebraic rules matches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    IntegerType,
    ModuleOp,
    Signedness,
    TensorType,
    UnitAttr,
    f32,
    f64,
    i1,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ptir.dialects import ptir
from ptir.semantics.arrays.scalars import Array, numpy_dtype
from ptir.transforms.ptir_rules.constants import dense, literal_bytes
from ptir.transforms.ptir_rules.evaluation import evaluate, literal
from ptir.transforms.ptir_rules.matching import OPS
from ptir.transforms.ptir_rules.terms import COMPARISONS, Apply, Kind, Lit, Rule, Sort, Term, Var, variables

DTYPES: dict[Kind, Sequence[Attribute]] = {
    Kind.SIGNED: (IntegerType(4, Signedness.SIGNED), IntegerType(8), IntegerType(64)),
    Kind.UNSIGNED: (IntegerType(4, Signedness.UNSIGNED), IntegerType(8, Signedness.UNSIGNED)),
    Kind.BOOL: (i1,),
    Kind.FLOAT: (Float8E4M3FNType(), Float8E5M2Type(), BFloat16Type(), Float16Type(), f32, f64),
    Kind.COMPLEX: (ComplexType(f32),),
}


def numbers(dtype: np.dtype, count: int = 4096) -> Array:
    """Returns values that distinguish functions: all values of 8-bit types, special and random ones of others."""
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.name in ("int4", "uint4"):
        return np.arange(-8, 8).astype(dtype) if dtype.name == "int4" else np.arange(16).astype(dtype)
    if dtype.itemsize == 1:
        return np.arange(256).astype(np.uint8).view(dtype)
    if dtype.kind == "c":
        parts = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan])
        return (parts[:, None] + 0j).repeat(7, 1).reshape(-1).astype(dtype) + _imaginary(parts, dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.min + 1, -3 if info.min else 3, 0, 1, 2, 7, info.max - 1, info.max], dtype)
    return special_floats(dtype)


def _imaginary(parts: Array, dtype: np.dtype) -> Array:
    out = np.zeros((7, 7), dtype)
    out.imag = parts[None, :]
    return out.reshape(-1)


def special_floats(dtype: np.dtype) -> Array:
    """Returns ±0, subnormals, the extremes of the range, infinities, NaN, the values adjacent to 1, and a few others."""
    import ml_dtypes

    info = ml_dtypes.finfo(dtype)
    with np.errstate(all="ignore"):
        tame = [0.0, 0.5, 1.0, 1.0 + float(info.eps), 1.5, 2.0, 3.0, 0.1, 7.25, 100.0]
        edges = [float(info.smallest_subnormal), float(info.tiny), float(info.max), float(info.max) / 2, np.inf]
        half = np.array(tame + edges).astype(dtype)
        return np.concatenate([half, np.negative(half), np.array([np.nan]).astype(dtype)])


def constants(rule: Rule, dtype: np.dtype) -> dict[str, Array]:
    """Returns constants for which the rule's guard holds; 3 and 2 without a guard."""
    names = [v.name for of in (rule.pattern, rule.guard) if of is not None for v in variables(of) if v.constant]
    names = list(dict.fromkeys(names))
    if not names:
        return {}
    choices = numbers(dtype)
    grid = np.meshgrid(*[np.arange(len(choices))] * len(names), indexing="ij")
    rng = np.random.default_rng(0)
    for at in rng.permutation(grid[0].size):
        values = {name: choices[g.reshape(-1)[at]].reshape(()) for name, g in zip(names, grid, strict=True)}
        plain = all(bool(np.isfinite(v.astype(np.complex128))) and v != 0 for v in values.values())
        if plain and (rule.guard is None or bool(evaluate(rule.guard, values, dtype))):
            return values
    raise AssertionError(f"no constants for {rule.name} in {dtype}")


def program(rule: Rule, dtype: Attribute, length: int) -> ModuleOp:
    """Returns a module whose `@f` computes the pattern on tensors of `length` elements, with an argument for each variable."""
    known = constants(rule, numpy_dtype(dtype))
    free = [v for v in variables(rule.pattern) if not v.constant]
    types = [TensorType(dtype if v.sort is Sort.T else i1, [length]) for v in free]
    block = Block(arg_types=types)
    builder = Builder(InsertPoint.at_end(block))
    values: dict[str, SSAValue] = {v.name: arg for v, arg in zip(free, block.args, strict=True)}

    def constant(value: Array, of: Attribute) -> SSAValue:
        data = literal_bytes(np.full([length], value, value.dtype))
        return builder.insert(ptir.ConstantOp(dense(TensorType(of, [length]), data))).result

    def build(term: Term, sort: Sort) -> SSAValue:
        match term:
            case Var(name, constant=True):
                return constant(known[name], dtype)
            case Var(name):
                return values[name]
            case Lit():
                return constant(literal(term, numpy_dtype(dtype)), i1 if term.sort is Sort.P else dtype)
            case Apply(op, args):
                built = [build(a, sort) for a in args]
                made = ptir.CompareOp(op, *built) if op in COMPARISONS else OPS[op](*built)
                return builder.insert(made).results[0]

    result = build(rule.pattern, rule.pattern.sort)
    builder.insert(ReturnOp(result))
    function = FuncOp("f", (types, [result.type]), Region(block))
    return ModuleOp([function], {"ptir.extensions": UnitAttr()})
