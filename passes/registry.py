"""
The tables of dialects, passes, targets and named pipelines.

They map a name to `"module:Class"`, which is imported when the name is used, so that tools start fast.

>>> PASSES["ptir-to-tiny"]
'ptir.transforms.ptir_to_tiny:PtirToTiny'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..targets.architectures import ARCH_NAMES

DIALECTS: Mapping[str, str] = MappingProxyType(
    {
        "ptir": "ptir.dialects.ptir:PTIR",
        "tiny": "ptir.dialects.tiny:Tiny",
        "poly": "ptir.dialects.poly:Poly",
        "region": "ptir.dialects.region:Region",
        "plan": "ptir.dialects.plan:Plan",
        "pto": "ptir.dialects.pto:PTO",
        "nv": "ptir.dialects.nv:NV",
        "intent": "ptir.dialects.intent:Intent",
        "vyre": "ptir.dialects.vyre:Vyre",
    }
)

PASSES: Mapping[str, str] = MappingProxyType(
    {
        "intent-lower-macros": "ptir.transforms.intent_lower_macros:IntentLowerMacros",
        "intent-attach-schedule": "ptir.transforms.intent_attach_schedule:IntentAttachSchedule",
        "intent-to-ptir": "ptir.transforms.intent_to_ptir:IntentToPtir",
        "ptir-to-intent": "ptir.transforms.ptir_to_intent:PtirToIntent",
        "vyre-expand-reductions": "ptir.transforms.vyre_expand_reductions:VyreExpandReductions",
        "vyre-inline": "ptir.transforms.vyre_inline:VyreInline",
        "vyre-to-nv": "ptir.transforms.vyre_to_nv:VyreToNv",
        "ptir-canonicalize": "ptir.transforms.ptir_canonicalize:PtirCanonicalize",
        "ptir-prepare-parameters": "ptir.transforms.ptir_prepare_parameters:PtirPrepareParameters",
        "specialize-sizes": "ptir.transforms.specialize_sizes:SpecializeSizes",
        "ptir-to-tiny": "ptir.transforms.ptir_to_tiny:PtirToTiny",
        "tiny-emulate-int4": "ptir.transforms.tiny_emulate_int4:TinyEmulateInt4",
        "tiny-fold-empty": "ptir.transforms.tiny_fold_empty:TinyFoldEmpty",
        "tiny-form-scatters": "ptir.transforms.tiny_form_scatters:TinyFormScatters",
        "tiny-fast-math": "ptir.transforms.tiny_fast_math:TinyFastMath",
        "tiny-choose-convolutions": "ptir.transforms.tiny_choose_convolutions:TinyChooseConvolutions",
        "tiny-order-reductions": "ptir.transforms.tiny_order_reductions:TinyOrderReductions",
        "tiny-split-reductions": "ptir.transforms.tiny_split_reductions:TinySplitReductions",
        "tiny-to-ptir": "ptir.transforms.tiny_to_ptir.lift:TinyToPtir",
        "build-poly-view": "ptir.transforms.build_poly_view:BuildPolyView",
        "form-regions": "ptir.transforms.form_regions:FormRegions",
        "plan-regions": "ptir.transforms.plan_regions:PlanRegions",
        "region-to-pto": "ptir.transforms.region_to_pto:RegionToPto",
        "pto-canonicalize": "ptir.transforms.pto_canonicalize:PtoCanonicalize",
        "pto-canonicalize-views": "ptir.transforms.pto_canonicalize_views:PtoCanonicalizeViews",
        "pto-infer-tile-info": "ptir.transforms.pto_infer_tile_info:PtoInferTileInfo",
        "pto-bufferize": "ptir.transforms.pto_bufferize:PtoBufferize",
        "pto-pipeline": "ptir.transforms.pto_pipeline:PtoPipeline",
        "pto-insert-events": "ptir.transforms.pto_insert_events:PtoInsertEvents",
        "pto-to-nv": "ptir.transforms.pto_to_nv:PtoToNv",
        "pto-legalize": "ptir.transforms.pto_legalize:PtoLegalize",
        "pto-check-legality": "ptir.passes.pto_legality:PtoCheckLegality",
        "nv-check-kernels": "ptir.transforms.nv_check_kernels:NvCheckKernels",
        "ptir-check-legality": "ptir.passes.conversion:PtirCheckLegality",
        "ptir-check-cuda": "ptir.passes.conversion:PtirCheckCuda",
        "ptir-decompose": "ptir.transforms.ptir_decompose.decompose:PtirDecompose",
        "ptir-form-convolutions": "ptir.transforms.ptir_form_convolutions:PtirFormConvolutions",
        "ptir-recognize": "ptir.transforms.ptir_recognize.recognize:PtirRecognize",
        "ptir-flatten-tuples": "ptir.transforms.ptir_flatten_tuples:PtirFlattenTuples",
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
        "ptx": "ptir.backends.cuda.emit:PtxTarget",
        "pto-cpp": "ptir.backends.pto.emit:PtoCppTarget",
        "vyre-wgsl": "ptir.backends.wgsl.printer:WgslTarget",
    }
)

CONVERSION_TARGETS: Mapping[str, str] = MappingProxyType(
    {
        "cuda": "ptir.transforms.cuda_conversion:CudaConversion",
    }
)
"""The targets of `check_program_legality` and `convert_program`; a process can register others (`passes/conversion.py`)."""


@dataclass(frozen=True)
class NamedPipeline:
    """
    A pipeline with a name and options.

    `stages` are the names of its passes in order. `forwards` maps an option of the pipeline to the passes and options that it
    sets: `{"arch": (("plan-regions", "arch"),)}`.
    """

    stages: tuple[str, ...]
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Options that the pipeline gives to a stage."""
    forwards: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict[str, tuple[tuple[str, str], ...]])


PIPELINES: Mapping[str, NamedPipeline] = MappingProxyType(
    {
        "ptir-to-cuda": NamedPipeline(
            stages=(
                "ptir-check-cuda",
                "ptir-flatten-tuples",
                "ptir-to-tiny",
                "tiny-emulate-int4",
                "tiny-fold-empty",
                "tiny-form-scatters",
                "tiny-choose-convolutions",
                "tiny-order-reductions",
                "tiny-split-reductions",
                "cse",
                "form-regions",
                "plan-regions",
                "region-to-pto",
                "pto-to-nv",
            ),
            forwards={
                "arch": tuple(
                    (stage, "arch")
                    for stage in ("ptir-check-cuda", "tiny-split-reductions", "form-regions", "plan-regions")
                ),
                "strategy": (("form-regions", "strategy"),),
                "stages": (("plan-regions", "stages"),),
                "conv": (("tiny-choose-convolutions", "conv"),),
                "tolerance": (("tiny-choose-convolutions", "tolerance"),),
                "fused": (("tiny-choose-convolutions", "fused"),),
            },
        ),
        "ptir-to-pto": NamedPipeline(
            stages=(
                "ptir-flatten-tuples",
                "ptir-to-tiny",
                "tiny-fold-empty",
                "tiny-order-reductions",
                "cse",
                "form-regions",
                "plan-regions",
                "region-to-pto",
                "pto-legalize",
                "pto-check-legality",
                "pto-pipeline",
                "pto-bufferize",
                "pto-insert-events",
            ),
            given={"form-regions": {"arch": ARCH_NAMES[0]}},
            forwards={
                "target": tuple(
                    (stage, "target")
                    for stage in ("plan-regions", "region-to-pto", "pto-legalize", "pto-check-legality")
                ),
                "strategy": (("form-regions", "strategy"),),
                "stages": (("pto-pipeline", "stages"),),
            },
        ),
    }
)
