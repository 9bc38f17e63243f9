"""
Compiles and runs one kernel of each family with the NVRTC library in a given folder, and prints facts about them as JSON.

    python -m tests.nvrtc_versions.kernel_facts build/nvrtc_versions/13.5.37

A process can load only one NVRTC, so each release has a process of its own. The library is loaded before cuda-python looks for
one, because cuda-pathfinder uses a library that the process has already loaded.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import ptir
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.dialects.common.shapes import element, shape
from ptir.errors import PtirError
from ptir.semantics.arrays.scalars import numpy_dtype

LINEAR = """func.func @linear(%x: tensor<136x200xbf16>, %w: tensor<200x72xbf16>, %b: tensor<72xf32>) -> tensor<136x72xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<136x200xbf16>, tensor<200x72xbf16>) -> tensor<136x72xf32>
  %1 = ptir.broadcast_to %b : tensor<72xf32> -> tensor<136x72xf32>
  %2 = ptir.add %0, %1 : tensor<136x72xf32>
  func.return %2 : tensor<136x72xf32>
}"""
SCALED_SUM = """func.func @scaled_sum(%x: tensor<33x70xf32>, %y: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %0 = ptir.mul %x, %y : tensor<33x70xf32>
  %1 = ptir.add %0, %x : tensor<33x70xf32>
  func.return %1 : tensor<33x70xf32>
}"""
KERNELS = {
    "multistage, sm80": ("sm80", LINEAR, "mma.sync"),
    "warp-specialized, sm90a": ("sm90", LINEAR, "wgmma.mma_async"),
    "elementwise, sm80": ("sm80", SCALED_SUM, "ld.global"),
}
"""For each family: the architecture, the program, and an instruction that only kernels of this family contain."""


def facts(arch: str, text: str, instruction: str) -> dict[str, Any]:
    """Returns facts about what NVRTC and ptxas generate, and whether the emulator's results equal NumPy's, bit for bit."""
    random = np.random.default_rng(0)
    device = ptir.Emulator()
    try:
        compiled = ptir.compile(text, arch=arch, device=device)
        binary = compiled.program.binary
        signature = next(iter(compiled.signatures.values()))
        inputs = [random.integers(-4, 5, shape(a)).astype(numpy_dtype(element(a))) for _, a in signature.arguments]
        found: dict[str, Any] = {
            "ptx": re.findall(r"^\.version (\S+)", binary.ptx, re.MULTILINE)[0],
            "registers": [k.registers for k in binary.kernels.values()],
            "spilled bytes": sum(k.spill_stores + k.spill_loads for k in binary.kernels.values()),
            "remarks": [remark.text for remark in binary.remarks],
            "opcodes": dict(sorted(opcodes(binary.ptx).items())),
        }
        (result,) = compiled(*inputs)
    except PtirError as error:
        return {"problem": f"{error.code}: {' '.join(error.message.split())}"}
    if not any(name.startswith(instruction) for name in found["opcodes"]):
        return {**found, "problem": f"no {instruction} in the PTX: not the family that is meant"}
    wide = [a.astype(np.float32) for a in inputs]
    expected = wide[0] @ wide[1] + wide[2] if len(wide) == 3 else wide[0] * wide[1] + wide[0]
    return {**found, "problem": None if np.array_equal(result, expected) else "differs from NumPy"}


def opcodes(ptx: str) -> Counter[str]:
    """Counts each PTX opcode, with its modifiers."""
    code = re.sub(r"//.*", "", ptx)
    return Counter(re.findall(r"(?:^|[;{}])\s*(?:@!?%?\w+\s+)?([a-z]\w*(?:[.:]+\w+)*)(?=[\s;])", code, re.MULTILINE))


def main() -> None:
    folder = Path(sys.argv[1]).resolve() / "nvidia" / "cu13" / "lib"
    for library in [*folder.glob("libnvrtc-builtins.so.*"), folder / "libnvrtc.so.13"]:
        ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    kernels = {name: facts(*kernel) for name, kernel in KERNELS.items()}
    print(json.dumps({"nvrtc": nvrtc_version(), "kernels": kernels}))


if __name__ == "__main__":
    main()
