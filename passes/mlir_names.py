"""Help for passes and options of `mlir-opt` that ptir and xDSL do not have under that name: what to use instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from ..text.suggest import did_you_mean

_FUSION = "form-regions fuses what one kernel can compute; plan-regions tiles it"
_LLVM = "ptir-to-cuda lowers to CUDA C++, without LLVM"
_MEMORY = "tensors are values here until form-regions makes kernels: there is no memory to promote"

PASSES: Mapping[str, str] = MappingProxyType(
    {
        "affine-loop-fusion": _FUSION,
        "affine-loop-tile": _FUSION,
        "composite-fixed-point-pass": "canonicalize and ptir-canonicalize run until nothing changes; write other passes as often as needed",
        "control-flow-sink": "ptir ops are pure and their regions isolated from above: ptir-canonicalize folds constant branches",
        "convert-arith-to-llvm": _LLVM,
        "convert-func-to-llvm": _LLVM,
        "convert-gpu-to-nvvm": _LLVM,
        "finalize-memref-to-llvm": _LLVM,
        "generate-runtime-verification": "ptir-run checks sizes and accesses while it runs a program",
        "gpu-kernel-outlining": "form-regions makes kernels, pto-to-nv puts them into a gpu.module",
        "gpu-to-llvm": _LLVM,
        "linalg-fuse-elementwise-ops": _FUSION,
        "location-snapshot": "write the IR with -o and read it again: locations are those of the text that is read",
        "loop-invariant-code-motion": "this pass is called 'licm' here",
        "mem2reg": _MEMORY,
        "one-shot-bufferize": "form-regions gives kernels memrefs at their border",
        "print-ir": "--mlir-print-ir-after=PASS prints the IR to stderr",
        "remove-dead-values": "'dce' erases dead operations, 'symbol-dce' functions that nobody can call",
        "snapshot-op-locations": "write the IR with -o and read it again: locations are those of the text that is read",
        "sroa": _MEMORY,
        "topological-sort": "definitions must dominate their uses here: the verifier checks it, and every pass keeps it",
        "trivial-dce": "this pass is called 'dce' here",
    }
)

_BYTECODE = "IR is text here; with --print-op-generic any mlir-opt that knows the dialects can read it"
_PLUGINS = "install a Python package with an entry point xdsl.universe: its dialects, passes and targets are there"
_ACTIONS = (
    "there are no actions here: --mlir-print-ir-after-change shows what each pass did, --profile=FILE when it ran"
)

OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "--color": "colors are for terminals only, and off with NO_COLOR=1",
        "--emit-bytecode": _BYTECODE,
        "--emit-bytecode-producer": _BYTECODE,
        "--emit-bytecode-version": _BYTECODE,
        "--irdl-file": _PLUGINS,
        "--load-dialect-plugin": _PLUGINS,
        "--load-pass-plugin": _PLUGINS,
        "--log-actions-to": _ACTIONS,
        "--mlir-debug-counter": _ACTIONS,
        "--mlir-enable-debugger-hook": _ACTIONS,
        "--profile-actions-to": _ACTIONS,
        "--stats": "--mlir-pass-statistics counts what each pass did",
    }
)


def help_for_pass(name: str, known: Collection[str], *, otherwise: str = "") -> str:
    """Returns the help for a pass that is not in `known`: what to use instead, or similar names, or `otherwise`."""
    return PASSES.get(name) or did_you_mean(name, known, count=3, otherwise=otherwise)
