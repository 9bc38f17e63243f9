"""
Compiles a network, runs it and compares the results with its NumPy reference.

    python -m examples.models                                   # lists the networks and their configurations
    python -m examples.models resnet --arch sm90                # compiles, runs in the PTX emulator, compares
    python -m examples.models gpt2 --reference                  # runs in the interpreter; nothing is compiled
    python -m examples.models gpt2 --config small --compile-only

Prints the number of kernels, the bytes that they move, the seconds that each stage of the compiler takes, and for each result the
largest error against the reference, relative to its largest element, and the share of the error bound that is used up.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import ptir
from ptir.runtime.compile import Program
from ptir.semantics.bounds import check
from ptir.semantics.errors import NoBounds
from ptir.transforms.specialize_sizes import sizes_by_key

from . import NETWORKS, TOLERANCE, network


def compiled(source: Any, inputs: dict[str, Any], arch: str, device: ptir.Emulator) -> ptir.Compiled:
    """Compiles a network for the sizes of its inputs."""
    program = ptir.compile(source, arch=arch, device=device)
    names = [name for name, _ in program.signature.arguments]
    sizes = sizes_by_key(program.signature.function)
    return program.compile_for(**{key: inputs[names[k]].shape[axis] for k, axis, key in sizes})


def show_compiled(program: Program) -> None:
    """Prints the kernels and the seconds of the slowest stages."""
    slowest = sorted(program.stages, key=lambda stage: -stage.seconds)[:3]
    parts = ", ".join(f"{stage.name} {stage.seconds:.1f}" for stage in slowest)
    print(f"{len(program.binary.kernels)} kernels for {program.arch}")
    print(f"compiled in {sum(stage.seconds for stage in program.stages):.1f} s: {parts}")


def bounds(module: Any, arguments: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Returns the error bounds by name; empty if the program has none."""
    try:
        return dict(zip(fields, ptir.bounds(module, **arguments), strict=True))
    except NoBounds as error:
        print(f"no bounds: {error}")
        return {}


def largest_error(y: Any, exact: Any) -> float:
    """Returns the largest error, relative to the largest element."""
    exact = exact.astype(np.float64)
    return float(np.abs(y.astype(np.float64) - exact).max() / max(np.abs(exact).max(), 1e-30))


def agree(results: Any, want: dict[str, Any], intervals: dict[str, Any], tolerance: float) -> bool:
    """Prints the error of each result, and returns whether all are small and within their bounds."""
    ok = True
    for name, y in zip(results._fields, results, strict=True):
        error = largest_error(y, want[name])
        line, report = f"{name}: error {error:.1e}", check(y, intervals[name]) if name in intervals else None
        if report is not None:
            # Bounds ignore correlation, so that they grow with each layer, until they say nothing.
            known = np.isfinite(intervals[name].hi - intervals[name].lo).all()
            line += f", {report.max_error_over_bound:.1%} of the bound" if known else ", the bound is infinite"
        ok &= error <= tolerance and (report is None or report.ok)
        print(line)
    return ok


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m examples.models", description=__doc__, add_help=True)
    parser.add_argument("network", nargs="?", choices=NETWORKS)
    parser.add_argument("--config", default="tiny")
    parser.add_argument("--arch", default="sm80")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reference", action="store_true", help="run in the interpreter, compile nothing")
    parser.add_argument("--compile-only", action="store_true", help="run nothing")
    args = parser.parse_args()
    if args.network is None:
        for name in NETWORKS:
            print(f"{name}: {', '.join(network(name).CONFIGS)}")
        return 0
    model = network(args.network)
    if args.config not in model.CONFIGS:
        parser.error(f"{args.network} has no configuration '{args.config}': {', '.join(model.CONFIGS)}")
    config = model.CONFIGS[args.config]
    module, device, inputs = model.build(config), ptir.Emulator(), model.inputs(config, args.seed)
    program = None if args.reference else compiled(module, inputs, args.arch, device)
    if program is not None:
        show_compiled(program.program)
    if args.compile_only:
        return 0
    weights = model.weights(config, args.seed)
    arguments = weights | inputs
    start = time.perf_counter()
    results = ptir.reference(module, **arguments) if program is None else program(**arguments)
    print(f"ran in {time.perf_counter() - start:.1f} s")
    if program is not None:
        moved = sum(report.global_bytes for report in device.reports)
        least = sum(array.nbytes for array in (*arguments.values(), *results))
        print(f"{len(device.reports)} launches moved {moved} bytes; arguments and results have {least}")
    want = model.reference(config, weights, inputs)
    ok = agree(results, want, bounds(module, arguments, results._fields), TOLERANCE[config.dtype])
    print("agreement: ok" if ok else "agreement: FAILED")
    return 0 if ok else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ptir.PtirError as error:
        sys.exit(str(error))
