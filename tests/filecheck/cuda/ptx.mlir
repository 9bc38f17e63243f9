// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm90}' -t 'ptx{arch=sm90}' | filecheck %s
// RUN: not ptir-opt %s -p 'ptir-to-cuda{arch=sm90}' -t 'ptx{arch=sm35}' 2>&1 | filecheck %s --check-prefix=ERROR
// RUN: not ptir-opt %s -t ptx 2>&1 | filecheck %s --check-prefix=LEVEL

// CHECK: .target sm_90a
// CHECK: .visible .entry f_0(
// ERROR: sm35
// LEVEL: error[PTIR0211]: 'ptir.add' does not belong in the input of the CUDA printer
func.func @f(%x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = ptir.add %x, %x : tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
