// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm90 machine=h200 roles=true})' | filecheck %s
// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm90 roles=false})' | filecheck %s --check-prefix=PLAIN
// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm90 machine=h200 roles=true})' --explain-plan -o %t 2>&1 | filecheck %s --check-prefix=WHY
// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm90 roles=true})' --explain-plan --mlir-output-format=json -o %t 2>&1 | filecheck %s --check-prefix=JSON

// Two consumer warpgroups of 64x256, a cluster of two blocks that share the columns of B, a ring as deep as fits.
// CHECK: region.kernel @bf16
// CHECK-SAME: plan #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 4, warp_tile = "64x256", roles = "cooperative", cluster = [2, 1], order = "grouped_16", multiprocessors = 132, cache
// CHECK-SAME: layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}>
// PLAIN: region.kernel @bf16
// PLAIN-SAME: arch = "sm90", tile = [128, 256, 64], stages = {{[0-9]+}}, warp_tile = "64x64", order = "grouped_16", bind
// WHY: @bf16 on h200: m = 4096, n = 4096, k = 4096 of 4096x4096x4096; {{[0-9]+}} considered, {{[0-9]+}} rejected
// WHY-NEXT: chosen: it has the lowest predicted time; the second candidate takes {{[0-9.]+}} % more; the bottleneck is tensor
// WHY-NEXT: predicted: registers {{[0-9]+}}, shared {{[0-9]+}}, threads 384, blocks 132, occupancy 1, sectors {{[0-9]+}}, instructions {{[0-9]+}}
// WHY-NEXT: tile {{ *}}warp_tile {{ *}}roles {{ *}}cluster {{ *}}order {{ *}}C_stride {{ *}}stages {{ *}}split {{ *}}waves {{ *}}tensor {{ *}}shared {{ *}}l2 {{ *}}dram {{ *}}latency {{ *}}epilogue {{ *}}total {{ *}}shared_bytes {{ *}}registers {{ *}}tflops {{ *}}limit
// WHY-NEXT: * 128x256x64 {{ *}}64x256 {{ *}}cooperative {{ *}}2x1 {{ *}}grouped_16 {{ *}}row {{ *}}4 {{ *}}1 {{ *}}4 {{ *}}262144 {{ *}}262144
// WHY: rejected:
// WHY: the accumulators take 256 registers per consumer thread, but only 176 of 240 are free
// JSON: {"plans": [{"kernel": "bf16", "machine": "h100"
region.kernel @bf16(%x: memref<4096x4096xbf16> align 256, %w: memref<4096x4096xbf16> align 256) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %1 = region.load %w : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %2 = tiny.unary cast %0 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %3 = tiny.unary cast %1 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %2 : tensor<4096x4096xf32> -> tensor<4096x4096x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4096x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4096x4096x4096xf32> -> tensor<4096x4096xf32>
  region.yield %6 : tensor<4096x4096xf32>
}

// Of few rows wgmma's columns are made.
// CHECK: region.kernel @few
// CHECK-SAME: tile = [16, {{[0-9]+}}, 64], stages = {{[0-9]+}}, warp_tile = "16x64", roles = "cooperative"
// CHECK-SAME: C_stride = "col"
// WHY: @few on h200
region.kernel @few(%x: memref<16x4096xbf16> align 256, %w: memref<4096x4096xbf16> align 256) -> (%y: memref<16x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<16x4096xbf16> -> tensor<16x4096xbf16>
  %1 = region.load %w : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %2 = tiny.unary cast %0 : tensor<16x4096xbf16> -> tensor<16x4096xf32>
  %3 = tiny.unary cast %1 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %2 : tensor<16x4096xf32> -> tensor<16x4096x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<16x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<16x4096x4096xf32> -> tensor<16x4096xf32>
  region.yield %6 : tensor<16x4096xf32>
}

// wgmma multiplies no f32, and nothing is multiplied here at all: plans without roles.
// CHECK: region.kernel @f32
// CHECK-NOT: roles
// WHY: @f32 on h200
// WHY: the bottleneck is tensor
region.kernel @f32(%x: memref<4096x4096xf32> align 256, %w: memref<4096x4096xf32> align 256) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %1 = region.load %w : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %0 : tensor<4096x4096xf32> -> tensor<4096x4096x1xf32>
  %5 = tiny.binary mul %4, %1 : (tensor<4096x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4096x4096x4096xf32> -> tensor<4096x4096xf32>
  region.yield %6 : tensor<4096x4096xf32>
}
// CHECK: region.kernel @exp
// CHECK-NOT: roles
// WHY: @exp on h200: 1x32; 1 considered, 0 rejected
// WHY-NEXT: chosen: it is the largest that fits
region.kernel @exp(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  region.yield %1 : tensor<4x8xf32>
}
