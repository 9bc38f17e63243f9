"""
A batch of CTAs in lock-step.

All lanes of all CTAs are one array axis. The lanes that are ready at the smallest program counter execute
together until they meet others or part; lanes at a barrier are blocked until it completes. Nothing here knows
an opcode: steps come from `decode`.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..errors import Deadlock, EmulatorFault, StepLimit
from .async_copy import Copies
from .clocks import Clocks
from .decode import Reader, Step
from .lanes import Lanes, Registers, warp_bits
from .layout import Layout
from .memops import LocalMemory
from .memory import CHUNK_OF_PARAMETER, Memory, Owners
from .shared import SharedMemory, excess_wavefronts
from .sync import Barriers
from .types import CHUNK, Array
from .violation import Violation
"""placeholder"""
