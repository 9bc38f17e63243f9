// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' --explain-fusion -o /dev/null 2>&1 | filecheck %s

// The thresholds of a kernel: what exceeds one costs time, and is named with its limit where an edge is cut or a kernel is chosen.

// CHECK: @registers on h100
// CHECK: over registers (144 registers, limit 128): +
func.func @registers(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>, %r: tensor<256x256xf32>, %s: tensor<256x256xf32>, %t: tensor<256x256xf32>, %u: tensor<256x256xf32>, %v: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
  %1 = ptir.add %0, %r : tensor<256x256xf32>
  %2 = ptir.add %1, %s : tensor<256x256xf32>
  %3 = ptir.add %2, %t : tensor<256x256xf32>
  %4 = ptir.add %3, %u : tensor<256x256xf32>
  %5 = ptir.add %4, %v : tensor<256x256xf32>
  func.return %5 : tensor<256x256xf32>
}

// -----

// CHECK: @tma_wgmma on h100
// CHECK: over tma_wgmma (2 computed operands, limit 1): +
func.func @tma_wgmma(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %a = ptir.cast %x : tensor<256x256xf32> -> tensor<256x256xbf16>
  %b = ptir.cast %y : tensor<256x256xf32> -> tensor<256x256xbf16>
  %0 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
  func.return %0 : tensor<256x256xf32>
}

// -----

// CHECK: @shared_memory on h100
// CHECK: over shared_memory (400000 bytes, limit {{[0-9]*}}): +
func.func @shared_memory(%x: tensor<4x100000xf32>) -> tensor<4x100000xf32> {
  %0 = ptir.reduce sum %x axes [1] keepdims accum f32 out f32 : tensor<4x100000xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x100000xf32>
  %2 = ptir.sub %x, %1 : tensor<4x100000xf32>
  func.return %2 : tensor<4x100000xf32>
}

// -----

// CHECK: @vector_width on h100
// CHECK: over vector_width (262144 bytes, limit 0): +
func.func @vector_width(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = ptir.transpose %x [1, 0] : tensor<256x256xf32> -> tensor<256x256xf32>
  %1 = ptir.add %0, %y : tensor<256x256xf32>
  func.return %1 : tensor<256x256xf32>
}
