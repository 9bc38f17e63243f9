"""The pipes of a core and the opcodes that they execute, for the packages that know dialects only."""

from __future__ import annotations

from ...targets.pto import PIPE_OF as PIPE_OF
from ...targets.pto import PIPES as PIPES
from ...targets.pto import Pipe as Pipe
