// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80},nv-check-kernels' | filecheck %s --check-prefix=SM80
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm90},nv-check-kernels' | filecheck %s --check-prefix=SM90

// Lowered kernels satisfy the rules, with and without roles; the pass changes nothing.

// SM80-NOT: nv.role
// SM80: nv.mma_sync
// SM90: nv.role
// SM90: nv.wgmma
func.func @f(%x: tensor<256x64xf16>, %w: tensor<64x256xf16>) -> tensor<256x256xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
    : (tensor<256x64xf16>, tensor<64x256xf16>) -> tensor<256x256xf32>
  %1 = ptir.exp %0 : tensor<256x256xf32>
  func.return %1 : tensor<256x256xf32>
}
