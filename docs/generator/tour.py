"""The tour of the levels: what the compiler makes of the digits example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Operation

import ptir
from ptir.dialects import nv
from ptir.dialects.poly import ViewOp
from ptir.dialects.pto import PtoKernelOp
from ptir.dialects.region import RegionKernelOp
from ptir.passes.registry import PIPELINES
from ptir.runtime.devices import Emulator
from ptir.runtime.host import launch_of
from ptir.semantics.bounds import check

from .tables import ARCH, NOTICE, ROOT, table

DIGITS = ROOT / "examples" / "digits"
T = TypeVar("T", bound=Operation)


def tour() -> str:
    """Returns `tour.md.in`, where each `{{place}}` is replaced by the compiler's output for the digits example."""
    check, *passes = PIPELINES["ptir-to-cuda"].stages
    module = ptir.parse(DIGITS / "mlp.mlir")
    texts = {"": str(module)}
    modules: dict[str, ModuleOp] = {}

    def watch(name: str, after: ModuleOp) -> None:
        if name != check:  # the legality check changes nothing
            texts[name] = str(after)
            modules[name] = after.clone()

    device = Emulator()
    program = ptir.compile(module, arch=ARCH, device=device, watch=watch)
    tiny_module, region, plan, pto, nv_module = (
        modules[name] for name in ("ptir-to-tiny", "form-regions", "plan-regions", "region-to-pto", "pto-to-nv")
    )
    ptir.PassManager("build-poly-view").run(tiny_module)
    blocks = str(first(tiny_module, ViewOp)).splitlines()
    edges = [line for line in blocks if "poly.edge" in line]
    planned = first(plan, RegionKernelOp)
    plan_text = str(planned.plan)

    def level(name: str, last: str, *excerpts: str, then: Sequence[str] = ()) -> tuple[str, str]:
        count = passes.index(last) + 1 if last else 0
        pipeline = ",".join([*passes[:count], *then]).replace("plan-regions", f"plan-regions{{arch={ARCH}}}")
        command = "ptir-opt examples/digits/mlp.mlir" + (f" -p '{pipeline}'" if count else "")
        return name, f"```sh\n{command}\n```\n\n```mlir\n" + "\n\n".join(excerpts) + "\n```"

    places = dict(
        [
            level("ptir", "", up_to(texts[""], "%h = ")),
            level("tiny", "ptir-to-tiny", up_to(texts["ptir-to-tiny"], "%h = ")),
            level(
                "poly",
                "ptir-to-tiny",
                "\n".join([*blocks[:7], "  // …", *edges[:3], "  // …"]),
                then=["build-poly-view"],
            ),
            level("region", "form-regions", str(first(region, RegionKernelOp)), str(host(region))),
            level("plan", "plan-regions", plan_lines(planned)),
            level("pto", "region-to-pto", str(first(pto, PtoKernelOp)).replace(plan_text, "#plan.schedule<{…}>")),
            level("nv", "pto-to-nv", str(first(nv_module, GpuFuncOp)), str(host(nv_module))),
        ]
    )
    kernel = next(iter(launches(program)))
    cuda = program.cuda
    begin = cuda.rindex("\n// ", 0, cuda.index(f" {kernel}(")) + 1
    code = cuda[begin : cuda.index("\n}\n", begin) + 2]
    command = f"ptir-opt examples/digits/mlp.mlir -p 'ptir-to-cuda{{arch={ARCH}}}' -t cuda"
    places["cuda"] = f"```sh\n{command}\n```\n\n```cuda\n{code}\n```"
    places["warp_specialized"] = warp_specialized()
    places["resources"] = resources(program)
    places["result"] = result(program, device, module)
    text = (ROOT / "docs" / "tour.md.in").read_text("utf-8")
    for name, content in places.items():
        text = text.replace("{{" + name + "}}", content)
    return NOTICE.replace("the docstrings", "tour.md.in") + text


def warp_specialized() -> str:
    """Returns the first kernel of the digits example for SM90, in full, and the host function that launches it."""
    module = ptir.parse(DIGITS / "mlp.mlir")
    ptir.PassManager("ptir-to-cuda{arch=sm90}").run(module)
    kernel = first(module, GpuFuncOp)
    return f"```mlir\n{kernel!s}\n\n{host(module)!s}\n```"


def first(module: ModuleOp, kind: type[T]) -> T:
    return next(op for op in module.walk() if isinstance(op, kind))


def host(module: ModuleOp) -> Operation:
    return next(op for op in module.ops if op.name == "func.func")


def up_to(text: str, end: str) -> str:
    """Returns the lines up to the first one that begins with `end`, and an ellipsis."""
    lines = text.splitlines()
    last = next(k for k, line in enumerate(lines) if line.strip().startswith(end))
    return "\n".join([*lines[: last + 1], "    // …"])


def plan_lines(kernel: RegionKernelOp) -> str:
    """Returns the kernel's plan with a line for each field."""
    assert kernel.plan is not None
    fields = ",\n  ".join(f"{name} = {value}" for name, value in kernel.plan.fields.data.items())
    return f"region.kernel @{kernel.sym_name.data}(…) -> (…) plan #plan.schedule<{{\n  {fields}\n}}> {{ … }}"


def launches(program: ptir.Compiled) -> dict[str, nv.LaunchOp]:
    ops = [op for op in program.program.module.walk() if isinstance(op, nv.LaunchOp)]
    return {launch_of(program.program.module, op).kernel: op for op in ops}


def resources(program: ptir.Compiled) -> str:
    rows: list[list[object]] = []
    for kernel, op in launches(program).items():
        launch, used = launch_of(program.program.module, op), program.program.binary.kernels[kernel]
        grid, block = (" x ".join(map(str, sizes)) for sizes in (launch.grid, launch.block))
        rows.append([f"`{kernel}`", grid, block, used.registers, used.spill_stores, launch.shared + used.static_shared])
    return table(["kernel", "blocks", "threads", "registers a thread", "bytes spilled", "bytes of shared memory"], rows)


def result(program: ptir.Compiled, device: Emulator, module: ModuleOp) -> str:
    digits, weights = np.load(DIGITS / "digits.npz"), np.load(DIGITS / "weights.npz")
    x = (digits["images"] / 16).astype(ml_dtypes.bfloat16)
    w1, w2 = (weights[name].view(ml_dtypes.bfloat16) for name in ("w1_bf16", "w2_bf16"))
    inputs = [x, w1, weights["b1"], w2, weights["b2"]]
    (logits,) = program(*inputs)
    (want,), (bound,) = ptir.reference(module, *inputs), ptir.bounds(module, *inputs)
    hits, held_out = logits.argmax(axis=1) == digits["labels"], digits["held_out"]
    differ = int((logits.argmax(axis=1) != want.argmax(axis=1)).sum())
    mma = sum(n for r in device.reports for name, n in r.opcodes.items() if name.startswith("mma.")) // 32
    rows = [
        ["images", len(x)],
        [
            "classified as labelled (argmax by NumPy)",
            f"{hits.sum()}; of the {held_out.sum()} held out, {hits[held_out].sum()}",
        ],
        ["predictions that differ from the reference interpreter's", differ],
        ["every logit within its error bound", "yes" if check(logits, bound).ok else "NO"],
        ["tensor-core instructions executed (a warp each)", f"{mma:,}"],
        ["shared-memory bank conflicts", sum(r.bank_conflicts for r in device.reports)],
    ]
    return table(["", ""], rows)
