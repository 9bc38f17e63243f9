"""
Compiles Triton's kernels ahead of time in an environment that has Triton; it needs no GPU and no PyTorch.

`serve` is the loop of a program that has kernels: each line of its input is a JSON object with the arguments of the program's function,
each line of its output has facts about the kernel, or the reason why Triton refused it. `Triton` runs such a program.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from processor_time import children_seconds, cpu_seconds

FOUND = ("mma.sync", "wgmma.mma_async", "cp.async.cg", "cp.async.bulk.tensor", "setmaxnreg")
"""The PTX instructions that are counted."""


def serve(compiled: Callable[..., Any]) -> None:
    """Compiles a kernel by `compiled` for each line of the input, with a cold cache."""
    print(json.dumps({"version": import_module("triton").__version__}), flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        with tempfile.TemporaryDirectory() as cold:
            os.environ["TRITON_CACHE_DIR"] = cold
            start, cpu, ptxas = time.perf_counter(), cpu_seconds(), children_seconds()
            try:
                kernel = compiled(**case)
            except Exception as error:  # Triton cannot compile this case
                print(json.dumps({"refused": f"{type(error).__name__}: {error}"}), flush=True)
                continue
            seconds, cpu, ptxas = time.perf_counter() - start, cpu_seconds() - cpu, children_seconds() - ptxas
        ptx = kernel.asm["ptx"]
        answer = {
            "seconds": seconds,
            "cpu_seconds": cpu,
            "ptxas_cpu_seconds": ptxas,
            "cubin": base64.b64encode(kernel.asm["cubin"]).decode(),
            "warps": kernel.metadata.num_warps,
            "shared": kernel.metadata.shared,
            "found": {name: ptx.count(name) for name in FOUND if name in ptx},
        }
        print(json.dumps(answer), flush=True)


class Triton:
    """A process that runs a program of this folder with the Python of an environment that has Triton."""

    def __init__(self, python: str, program: str):
        command = [python, "-W", "ignore", str(Path(__file__).parent / program)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version: str = self._answer()["version"]

    def compile(self, **case: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        print(json.dumps(case), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("Triton's process ended; its message is above")
        return json.loads(line)
