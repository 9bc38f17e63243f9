"""
`ptir-to-tiny`: affine `ptir` ops in the four kinds of op of tiny. `lower.py` has the pass, `table.py` a row for each op, the
other files what the rows of a family write.
"""

from .contractions import choose_layout as choose_layout
from .lower import PtirToTiny as PtirToTiny
from .lower import is_ptir as is_ptir
from .lower import objection as objection
from .lower import require_tiny as require_tiny
from .lower import rewrite as rewrite
from .table import LOWERINGS as LOWERINGS
