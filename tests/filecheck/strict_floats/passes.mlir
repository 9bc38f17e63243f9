// Passes that would change the order of a sum, or a rounding, leave strict floats alone.
// RUN: ptir-opt %s -p ptir-canonicalize | filecheck %s --check-prefix=CANONICAL
// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s --check-prefix=TINY
// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-order-reductions,tiny-split-reductions,cse' | filecheck %s --check-prefix=TINY
// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-split-reductions,form-regions{arch=sm90}' | filecheck %s --check-prefix=REGIONS
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm90}' -t cuda | filecheck %s --check-prefix=CUDA
// RUN: sed s/,.ptir.strict_floats// %s | ptir-opt - -p ptir-canonicalize | filecheck %s --check-prefix=LOOSE

builtin.module attributes {ptir.extensions, ptir.strict_floats} {

// A transpose above a sum would change its order; above a maximum, it moves.
// CANONICAL: @transposed
// CANONICAL-NEXT: ptir.transpose
// CANONICAL-NEXT: ptir.reduce sum
// CANONICAL-NEXT: ptir.reduce max %x
// LOOSE: @transposed
// LOOSE-NEXT: ptir.reduce sum %x
// LOOSE-NEXT: ptir.reduce max %x

// Strides in memory do not decide in which order strict floats are added.
// TINY: @transposed
// TINY-NEXT: tiny.movement permute
// TINY-NEXT: tiny.reduce sum %{{.*}} axes [0, 1] accum f32 : tensor<8x4xf32> -> tensor<f32>
func.func @transposed(%x: tensor<4x8xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = ptir.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = ptir.reduce sum %0 axes [0, 1] : tensor<8x4xf32> -> tensor<f32>
  %2 = ptir.reduce max %0 axes [0, 1] : tensor<8x4xf32> -> tensor<f32>
  func.return %1, %2 : tensor<f32>, tensor<f32>
}

// Constants are folded with correctly rounded functions: the nearest f32 is printed with nine digits.
// CANONICAL: @folded
// CANONICAL-NEXT: ptir.constant dense<0.761594176>
func.func @folded() -> tensor<f32> {
  %0 = ptir.constant dense<1.0> : tensor<f32>
  %1 = ptir.tanh %0 : tensor<f32>
  func.return %1 : tensor<f32>
}

// A long sum is not cut.
// TINY: @long
// TINY-NEXT: tiny.reduce sum %x axes [0]
// TINY-NEXT: func.return
func.func @long(%x: tensor<1000003xf32>) -> tensor<f32> {
  %0 = ptir.reduce sum %x axes [0] : tensor<1000003xf32> -> tensor<f32>
  func.return %0 : tensor<f32>
}

// Long windows are not folded, and axes are contracted in the order in which they are written.
// TINY: @windows
// TINY: tiny.reduce sum %{{.*}} axes [1] accum f32 : tensor<1001x1000xf32>
// TINY-NEXT: func.return
func.func @windows(%x: tensor<2000xf32>) -> tensor<1001xf32> {
  %0 = ptir.reduce_window sum %x window [1000] strides [1] padding [(0, 0)] : tensor<2000xf32> -> tensor<1001xf32>
  func.return %0 : tensor<1001xf32>
}

// Products of bf16 are exact, as those of f32 are.
// TINY: @contracted
// TINY: tiny.binary mul %{{.*}} : (tensor<4x8x2x1xf64>, tensor<1x8x2x3xf64>) -> tensor<4x8x2x3xf64>
// TINY-NEXT: tiny.reduce sum %{{.*}} axes [1, 2] accum f32
func.func @contracted(%x: tensor<2x4x8xbf16>, %w: tensor<2x8x3xbf16>) -> tensor<4x3xf32> {
  %0 = ptir.dot_general %x, %w contract [2, 0] x [1, 0] accum f32 out f32 : (tensor<2x4x8xbf16>, tensor<2x8x3xbf16>) -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}

// No step of a tile divides 5: a thread adds the products, also by fused multiply-adds, which round once.
// CUDA: void {{.*}} odd_0(
// CUDA: = fmaf(
func.func @odd(%x: tensor<4x5xf32>, %w: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}

// Attention is no kernel: its quotient does not move, and its sums and products are stored.
// REGIONS: region.kernel @attention_0(%q: {{.*}}, %k: {{.*}}) -> (%s: memref<32x48xf32> align 256 deferred)
// REGIONS: region.kernel @attention_1(%s: {{.*}}) -> (%e: memref<32x48xf32> align 256 deferred)
// REGIONS: region.kernel @attention_2(%e: {{.*}}) -> (%sum: memref<32xf32> align 256 deferred)
// REGIONS: region.kernel @attention_3(%e: {{.*}}, %sum: {{.*}}) -> (%wb: memref<32x48xbf16> align 256 deferred)
// REGIONS: region.kernel @attention_4(%wb: {{.*}}, %v: {{.*}}) -> (%y: memref<32x64xf32> align 256 gmem)
// CUDA: fma_m16n8k4(
// CUDA-NOT: expf(
// CUDA: = cr_exp_f32(
// CUDA-NOT: mma
func.func @attention(%q: tensor<32x64xbf16>, %k: tensor<48x64xbf16>, %v: tensor<48x64xbf16>) -> tensor<32x64xf32> {
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<32x64xbf16>, tensor<48x64xbf16>) -> tensor<32x48xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<32x48xf32> -> tensor<32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<32x1xf32> -> tensor<32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<32x48xf32>
  %e = ptir.exp %d : tensor<32x48xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<32x48xf32> -> tensor<32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<32x1xf32> -> tensor<32x48xf32>
  %w = ptir.div %e, %sums : tensor<32x48xf32>
  %wb = ptir.cast %w : tensor<32x48xf32> -> tensor<32x48xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<32x48xbf16>, tensor<48x64xbf16>) -> tensor<32x64xf32>
  func.return %y : tensor<32x64xf32>
}
}
