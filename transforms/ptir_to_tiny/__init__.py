"""
`ptir-to-tiny`: lowers affine `ptir` ops to the four kinds of tiny ops. `lower.py` has the pass, `table.py` the lowering function of
each op, and the other files have the functions of each family of ops.
"""

from .contractions import choose_layout as choose_layout
from .lower import PtirToTiny as PtirToTiny
from .lower import is_ptir as is_ptir
from .lower import lowering_error as lowering_error
from .lower import require_tiny as require_tiny
from .lower import rewrite as rewrite
from .table import LOWERINGS as LOWERINGS
