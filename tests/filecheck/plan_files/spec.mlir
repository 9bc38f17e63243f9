// RUN: ptir-opt %s -p plan-regions --plan=%S/spec.json | filecheck %s --check-prefix=JSON
// RUN: ptir-opt %s -p plan-regions --plan=%S/spec.plan | filecheck %s --check-prefix=DSL
// RUN: ptir-opt %s -p plan-regions{from=%S/spec.plan} | filecheck %s --check-prefix=DSL
// RUN: ptir-opt %s -p plan-regions --plan=%S/spec.json --dump=plan > %t.json
// RUN: ptir-opt %s -p plan-regions --plan=%t.json | filecheck %s --check-prefix=JSON
// RUN: ptir-opt %s -p plan-regions,region-to-pto,pto-to-nv --plan=%S/spec.plan -t ptx{arch=sm80} | filecheck %s --check-prefix=PTX

// The specification's example, tensor-compiler.ja §7.1, with its plan: as JSON (§12.5), and as statements (§1.7), which leave the
// warp tile to the planner. Labels of the epilogue and edges have the specification's names.

// JSON: plan #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 2, warp_tile = "64x64",
// JSON-SAME: epilogue = ["bias", "relu"]
// JSON-SAME: local_edges = [{from = "sum_k", to = "relu", buffer = "reg"}]
// DSL: plan #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 2, warp_tile = "32x64",
// DSL-SAME: reorder = ["m.o", "n.o", "k.o", "m.i.o", "n.i.o", "k.i.o", "m.i.i", "n.i.i", "k.i.i"]
// DSL-SAME: epilogue = ["bias", "relu"]}>
// PTX: cp.async.cg.shared.global
// PTX: ldmatrix.sync
// PTX: mma.sync.aligned.m16n8k16
// PTX: st.global
region.kernel @main_0(%A: memref<256x128xf16> align 16, %B: memref<128x192xf16> align 16, %bias: memref<192xf16> align 16) -> (%C2: memref<256x192xf16> align 256 gmem) {
  %0 = region.load %A : memref<256x128xf16> -> tensor<256x128xf16>
  %1 = region.load %B : memref<128x192xf16> -> tensor<128x192xf16>
  %2 = region.load %bias : memref<192xf16> -> tensor<192xf16>
  %A_r = tiny.movement reshape %0 {tiny.name = "a_reshape"} : tensor<256x128xf16> -> tensor<256x128x1xf16>
  %3 = tiny.unary cast %A_r : tensor<256x128x1xf16> -> tensor<256x128x1xf32>
  %B_r = tiny.movement reshape %1 {tiny.name = "b_reshape"} : tensor<128x192xf16> -> tensor<1x128x192xf16>
  %4 = tiny.unary cast %B_r : tensor<1x128x192xf16> -> tensor<1x128x192xf32>
  %T = tiny.binary mul %3, %4 {tiny.name = "mul"} : (tensor<256x128x1xf32>, tensor<1x128x192xf32>) -> tensor<256x128x192xf32>
  %5 = tiny.reduce sum %T axes [1] accum f32 : tensor<256x128x192xf32> -> tensor<256x192xf32>
  %C0 = tiny.unary cast %5 {tiny.name = "sum_k"} : tensor<256x192xf32> -> tensor<256x192xf16>
  %bias_mn = tiny.movement expand %2 {tiny.name = "bias_expand"} : tensor<192xf16> -> tensor<256x192xf16>
  %C1 = tiny.binary add %C0, %bias_mn {tiny.name = "bias_add"} : (tensor<256x192xf16>, tensor<256x192xf16>) -> tensor<256x192xf16>
  %relu = tiny.unary relu %C1 {tiny.name = "relu"} : tensor<256x192xf16> -> tensor<256x192xf16>
  region.yield %relu : tensor<256x192xf16>
}
