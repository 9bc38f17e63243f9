"""
The digits perceptron from PTIR text to logits, and how far they may be trusted.

    make demo
    python examples/digits/demo.py --save build/demo     # keeps the IR of every level, the CUDA and the PTX

Compiles `mlp.mlir` for SM80 and runs all 1,797 images on a GPU if there is one, otherwise by executing NVRTC's
PTX on the CPU. Exit status 1 if a logit leaves its error bound, or if a prediction differs from the reference
interpreter's on an image where rounding cannot decide between two classes.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
from rich.console import Console
from rich.table import Column, Table
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects import nv
from ptir.runtime.devices import Emulator, best_device
from ptir.runtime.host import launch_of
from ptir.semantics.bounds import check

HERE = Path(__file__).parent
LEVELS = {
    "ptir-to-tiny": "tiny",
    "form-regions": "region",
    "plan-regions": "region + plan",
    "region-to-pto": "pto",
    "pto-to-nv": "nv",
}
console = Console(highlight=False, soft_wrap=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--save", metavar="DIR", type=Path, help="write the IR of every level, mlp.cu and mlp.ptx")
    directory = parser.parse_args().save

    inputs, digits = load()
    texts: dict[str, str] = {}
    module = ptir.parse(HERE / "mlp.mlir")
    texts["ptir"] = str(module)
    device = best_device()
    where = "no GPU here: the PTX emulator, on the CPU" if isinstance(device, Emulator) else device.name
    console.print(f"ptir {ptir.__version__}: relu(x @ w1 + b1) @ w2 + b2 on {len(inputs[0])} images, compiled for sm80")
    console.print(f"device: {where}\n")

    def watch(name: str, after: ModuleOp) -> None:
        texts[name] = str(after)

    program = ptir.compile(module, arch="sm80", device=device, watch=watch)
    start = time.perf_counter()
    (logits,) = program(*inputs)
    seconds = time.perf_counter() - start

    show_levels(program, module, texts, seconds)
    show_kernels(program, device)
    if directory is not None:
        save(directory, texts, program)
    agreed = compare(module, inputs, logits, digits)
    if directory is None:
        console.print("\n--save DIR keeps the IR of every level, the CUDA and the PTX")
    return 0 if agreed else 1


def load() -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """The arguments of @mlp, and the images with their labels."""
    digits, weights = dict(np.load(HERE / "digits.npz")), np.load(HERE / "weights.npz")
    x = (digits["images"] / 16).astype(ml_dtypes.bfloat16)  # 0/16 … 16/16: exact in bf16
    w1, w2 = (weights[name].view(ml_dtypes.bfloat16) for name in ("w1_bf16", "w2_bf16"))
    return [x, w1, weights["b1"], w2, weights["b2"]], digits


def show_levels(program: ptir.Compiled, module: ModuleOp, texts: dict[str, str], run: float) -> None:
    table = Table("level", "made by", *right("size", "lines", "seconds"), box=None)
    operations = sum(1 for _ in module.walk())
    table.add_row("ptir", "mlp.mlir", f"{operations} ops", lines(texts["ptir"]), "")
    for stage in program.program.stages:
        match stage.name:
            case "print CUDA":
                row = ("CUDA C++", stage.name, "", lines(program.cuda))
            case "NVRTC":
                row = ("PTX, cubin", "NVRTC (or its cache)", f"{stage.operations} instructions", lines(program.ptx))
            case name:
                row = (LEVELS.get(name, name), name, f"{stage.operations} ops", lines(texts[name]))
        table.add_row(*row, f"{stage.seconds:.3f}")
    table.add_row("logits", "running it", "", "", f"{run:.3f}")
    console.print(table, "")


def show_kernels(program: ptir.Compiled, device: object) -> None:
    table = Table("kernel", *right("blocks x threads", "registers", "spilled", "shared"), box=None)
    for op in program.program.module.walk():
        if isinstance(op, nv.LaunchOp):
            launch = launch_of(program.program.module, op)
            used = program.program.binary.kernels[launch.kernel]
            shape = f"{np.prod(launch.grid)} x {np.prod(launch.block)}"
            shared = f"{launch.shared + used.static_shared} bytes"
            table.add_row(launch.kernel, shape, str(used.registers), f"{used.spill_stores} bytes", shared)
    console.print(table, "")
    if isinstance(device, Emulator):
        instructions = sum(r.lane_instructions for r in device.reports)
        mma = sum(n for r in device.reports for name, n in r.opcodes.items() if name.startswith("mma.")) // 32
        conflicts = sum(r.bank_conflicts for r in device.reports)
        console.print(
            f"emulated: {instructions:,} lane instructions, {mma:,} tensor-core mma, {conflicts} bank conflicts;"
        )
        console.print("          no race, no access out of bounds: either would have been an error\n")


def compare(module: ModuleOp, inputs: list[np.ndarray], logits: np.ndarray, digits: dict[str, np.ndarray]) -> bool:
    """Whether logits and predictions are what the reference interpreter allows; says how close they are."""
    (want,), (bound,) = ptir.reference(module, *inputs), ptir.bounds(module, *inputs)
    predicted, expected = logits.argmax(axis=1), want.argmax(axis=1)
    hits, held_out = predicted == digits["labels"], digits["held_out"]
    console.print(f"accuracy: {hits.mean():.2%} of all images, {hits[held_out].mean():.2%} of the held-out ones")
    console.print("          (the argmax over the 10 logits is a NumPy step, not part of the program)")

    # An image is decided where the interval of the reference's class lies above those of all the others.
    rows = np.arange(len(want))
    others = bound.hi.copy()
    others[rows, expected] = -np.inf
    decided = bound.lo[rows, expected] > others.max(axis=1)
    wrong = int((predicted != expected)[decided].sum())
    console.print(f"predictions: {wrong} of {decided.sum()} differ from the reference interpreter's;")
    console.print(f"          left out: {(~decided).sum()} images, whose top two are closer than the error bound")

    error = np.abs(logits.astype(float) - want)
    room = np.where(logits > want, bound.hi - want, want - bound.lo)  # how far this error may go in its direction
    used = np.max(error / np.maximum(room, np.finfo(float).tiny))
    inside = check(logits, bound).ok
    console.print(f"logits: largest |device - reference| {error.max():.2g}, of logits up to {np.abs(want).max():.3g};")
    console.print(f"          the worst of them uses {used:.1%} of its error bound")
    agreed = wrong == 0 and inside
    console.print("agreement: ok" if agreed else "agreement: FAILED")
    return agreed


def save(directory: Path, texts: dict[str, str], program: ptir.Compiled) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for k, (name, text) in enumerate(texts.items()):
        (directory / f"{k:02}-{name}.mlir").write_text(text + "\n")
    (directory / "mlp.cu").write_text(program.cuda)
    (directory / "mlp.ptx").write_text(program.ptx)
    console.print(f"saved {len(texts)} levels of IR, mlp.cu and mlp.ptx in {directory}\n")


def right(*headers: str) -> list[Column]:
    return [Column(header, justify="right") for header in headers]


def lines(text: str) -> str:
    return str(len(text.splitlines()))


if __name__ == "__main__":
    sys.exit(main())
