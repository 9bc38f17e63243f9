"""sm90: as sm80, with more shared memory."""

from __future__ import annotations

from ..architectures import ARCHS
from .machine import PtoMachine
from .vocabulary import NO_GPU_FORM

MACHINE = PtoMachine("sm90", memories={"Mat": ARCHS["sm90"].shared_per_block}, lacks=NO_GPU_FORM, has_pipes=False)
