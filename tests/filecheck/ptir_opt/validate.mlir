// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --validate-passes | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --validate-passes --validate-seed=3 --validate-samples=6 2>&1 | filecheck %s

// Every pass keeps the meaning, down to the emulator: no word of it, and the module as without the option.

// CHECK-NOT: warning
// CHECK:     gpu.module
// CHECK-NOT: warning
func.func @linear(%x: tensor<20x24xbf16>, %w: tensor<24x12xbf16>, %b: tensor<12xf32>) -> tensor<20x12xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<20x24xbf16>, tensor<24x12xbf16>) -> tensor<20x12xf32>
  %1 = ptir.broadcast_to %b : tensor<12xf32> -> tensor<20x12xf32>
  %2 = ptir.add %0, %1 : tensor<20x12xf32>
  func.return %2 : tensor<20x12xf32>
}
