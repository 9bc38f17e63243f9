"""
Which machine instructions a cubin holds: HMMA, LDGSTS, LDSM, HGMMA, UTMALDG, STG.E.128, …

Disassembled by `nvdisasm` from the pip package `nvidia-cuda-nvdisasm` (test extra).
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from .errors import DisassemblerFailed, DisassemblerUnavailable

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


def find_tool(name: str) -> Path:
    """The path of `nvdisasm` or `cuobjdump` inside the environment's `nvidia` packages."""
    spec = find_spec("nvidia")
    for folder in spec.submodule_search_locations or () if spec else ():
        for candidate in sorted(Path(folder).glob(f"*/bin/{name}")):
            return candidate
    raise DisassemblerUnavailable(tool=name)


def disassemble(cubin: bytes) -> str:
    """The SASS text of all kernels in `cubin`."""
    tool = find_tool("nvdisasm")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DisassemblerFailed(tool="nvdisasm", log=done.stderr.strip())
    return done.stdout


def counts(cubin: bytes) -> Counter[str]:
    """How often each SASS opcode occurs, modifiers included: `{"HMMA.16816.F32.BF16": 64, …}`."""
    return Counter(match[1] for match in _INSTRUCTION.finditer(disassemble(cubin)))
