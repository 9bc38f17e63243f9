"""
What ptir offers by name: dialects, passes, targets and named pipelines.

Every table maps a name to `"module:Class"`; nothing is imported until the name is used, so that a
tool starts fast however many passes there are.

>>> PASSES["ptir-to-tiny"]
'ptir.transforms.ptir_to_tiny:PtirToTiny'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pkgutil import resolve_name
from types import MappingProxyType

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.utils.target import Target

DIALECTS: Mapping[str, str] = MappingProxyType(
    {
        "ptir": "ptir.dialects.ptir:PTIR",
        "tiny": "ptir.dialects.tiny:Tiny",
        "poly": "ptir.dialects.poly:Poly",
        "region": "ptir.dialects.region:Region",
        "plan": "ptir.dialects.plan:Plan",
        "pto": "ptir.dialects.pto:PTO",
        "nv": "ptir.dialects.nv:NV",
    }
)

PASSES: Mapping[str, str] = MappingProxyType(
    {
        "ptir-canonicalize": "ptir.transforms.ptir_canonicalize:PtirCanonicalize",
        "ptir-prepare-parameters": "ptir.transforms.ptir_prepare_parameters:PtirPrepareParameters",
        "ptir-to-tiny": "ptir.transforms.ptir_to_tiny:PtirToTiny",
        "tiny-to-ptir": "ptir.transforms.tiny_to_ptir.lift:TinyToPtir",
        "build-poly-view": "ptir.transforms.build_poly_view:BuildPolyView",
        "form-regions": "ptir.transforms.form_regions:FormRegions",
        "plan-regions": "ptir.transforms.plan_regions:PlanRegions",
        "region-to-pto": "ptir.transforms.region_to_pto:RegionToPto",
        "pto-to-nv": "ptir.transforms.pto_to_nv:PtoToNv",
        "nv-check-kernels": "ptir.transforms.nv_check_kernels:NvCheckKernels",
        "ptir-check-legality": "ptir.passes.conversion:PtirCheckLegality",
        "ptir-check-cuda": "ptir.passes.conversion:PtirCheckCuda",
        "ptir-decompose": "ptir.transforms.ptir_decompose.decompose:PtirDecompose",
        "ptir-form-convolutions": "ptir.transforms.ptir_form_convolutions:PtirFormConvolutions",
        "ptir-recognize": "ptir.transforms.ptir_recognize.recognize:PtirRecognize",
        "ptir-inline-composites": "ptir.transforms.ptir_inline_composites:PtirInlineComposites",
        "inline": "ptir.transforms.inline:Inline",
        "sccp": "ptir.transforms.sccp:Sccp",
        "symbol-dce": "ptir.transforms.symbol_dce:SymbolDce",
        "symbol-privatize": "ptir.transforms.symbol_privatize:SymbolPrivatize",
        "strip-debuginfo": "ptir.transforms.strip_debuginfo:StripDebuginfo",
        "print-op-stats": "ptir.transforms.print_op_stats:PrintOpStats",
        "view-op-graph": "ptir.transforms.view_op_graph:ViewOpGraph",
    }
)

TARGETS: Mapping[str, str] = MappingProxyType(
    {
        "cuda": "ptir.backends.cuda.emit:CudaTarget",
    }
)

CONVERSION_TARGETS: Mapping[str, str] = MappingProxyType(
    {
        "cuda": "ptir.transforms.cuda_conversion:CudaConversion",
    }
)
"""Where `check_program_legality` and `convert_program` can go; `passes/conversion.py` knows those of this process too."""


@dataclass(frozen=True)
class NamedPipeline:
    """
    A pipeline with a name and options of its own.

    `stages` are the passes in order. `forwards` says which option of the pipeline becomes which
    options of which stages: `{"arch": (("plan-regions", "arch"),)}`. An option not given is not passed on.
    """

    stages: tuple[str, ...]
    forwards: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict[str, tuple[tuple[str, str], ...]])


PIPELINES: Mapping[str, NamedPipeline] = MappingProxyType(
    {
        "ptir-to-cuda": NamedPipeline(
            stages=(
                "ptir-check-cuda",
                "ptir-to-tiny",
                "form-regions",
                "plan-regions",
                "region-to-pto",
                "pto-to-nv",
            ),
            forwards={
                "arch": (("ptir-check-cuda", "arch"), ("plan-regions", "arch")),
                "stages": (("plan-regions", "stages"),),
            },
        ),
    }
)


def dialect_factories() -> dict[str, Callable[[], Dialect]]:
    """Name → function that imports the dialect: what an xDSL `Context` registers."""
    return {name: partial(resolve_name, path) for name, path in DIALECTS.items()}


def pass_factories() -> dict[str, Callable[[], type[ModulePass]]]:
    """Name → function that imports the pass's class."""
    return {name: partial(resolve_name, path) for name, path in PASSES.items()}


def target_factories() -> dict[str, Callable[[], type[Target]]]:
    """Name → function that imports the target's class."""
    return {name: partial(resolve_name, path) for name, path in TARGETS.items()}
