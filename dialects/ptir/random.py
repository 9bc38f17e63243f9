"""
Random numbers from a stateless generator. Contract: *Randomness, top-k, segments, quantization*, which does not define the
algorithm.
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, Signedness, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import EqAttrConstraint, irdl_op_definition, opt_operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check_attribute
from ..common.shapes import element
from .base import AnyTensor, TensorOp, require_extensions
from .domains import require_domain

SEED = TensorType(IntegerType(64, Signedness.UNSIGNED), [])


class RngOp(TensorOp, abc.ABC):
    """Base of random-number generators: returns an independent pseudorandom number for each element."""

    STREAM: ClassVar[int]
    """The third word of the Philox counter, which differs between ops so that their numbers are independent."""
    seed = opt_prop_def(IntegerAttr.constr(i64))
    seed_from = opt_operand_def(EqAttrConstraint(SEED))
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "(`seed` $seed^)? (`from` $seed_from^)? attr-dict `:` type($result)"

    def __init__(self, type: Attribute, seed: int | SSAValue = 0):
        given = isinstance(seed, SSAValue)
        super().__init__([[seed] if given else []], [type], seed=None if given or seed == 0 else seed)

    def verify_(self) -> None:
        if self.seed_from is not None:
            require_extensions(self, f"{self.name} from")
            check_attribute(self, self.seed is None, "seed", "is given twice", "leave one of them out")
        require_domain(self, element(self.result), "float")


@irdl_op_definition
class RngUniformOp(RngOp):
    """
    Random numbers with a uniform distribution in [0, 1). Contract: *RngUniform*.

    Philox-4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011) generates
    four 32-bit words for the element with row-major index `i`:

        w0, w1, w2, w3 = philox(counter = (i mod 2³², i div 2³², 0, 0), key = (seed mod 2³², seed div 2³²))

    So a value depends only on the seed and the index, not on the shape, on other ops, on the process or on the machine. The op is
    pure: two ops with equal seeds return equal numbers. The seed is an attribute, 0 by default. `from %seed`, an extension of
    the contract, takes a `tensor<ui64>` instead.

    Let p be the precision of the element type in bits: 53 for f64, 24 for f32, 11 for f16, 8 for bf16, 4 for f8E4M3FN, 3 for
    f8E5M2. The value is `((w0 · 2³² + w1) div 2^(64 - p)) · 2^-p`: every multiple of 2^-p is equally likely, without rounding.

    ```mlir
    %u = ptir.rng_uniform seed 42 : tensor<2x3xf32>
    ```
    """

    name = "ptir.rng_uniform"
    STREAM: ClassVar[int] = 0


@irdl_op_definition
class RngNormalOp(RngOp):
    """
    Random numbers with a normal distribution of mean 0 and variance 1. Contract: *RngNormal*.

    The words are generated as in `ptir.rng_uniform`, but the third word of the counter is 1, so that the numbers of the two ops
    are independent. By the Box-Muller transform the value is `sqrt(-2 ln a) · cos(2π b)`, computed in f64 and rounded once to
    the element type, where `a = ((w0 · 2³² + w1) div 2¹¹ + 1) · 2⁻⁵³` is in (0, 1] and
    `b = ((w2 · 2³² + w3) div 2¹¹) · 2⁻⁵³` is in [0, 1).

    ```mlir
    %z = ptir.rng_normal seed 42 : tensor<2x3xf32>
    ```
    """

    name = "ptir.rng_normal"
    STREAM: ClassVar[int] = 1
