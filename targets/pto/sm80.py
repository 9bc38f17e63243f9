"""sm80: Mat is shared memory; the other tiles are registers, which `planning/` counts."""

from __future__ import annotations

from ..architectures import ARCHS
from .machine import PtoMachine
from .vocabulary import NO_GPU_FORM

MACHINE = PtoMachine("sm80", memories={"Mat": ARCHS["sm80"].shared_per_block}, lacks=NO_GPU_FORM, has_pipes=False)
