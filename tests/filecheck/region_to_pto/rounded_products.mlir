// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto{target=a3}' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' | filecheck %s --check-prefix WIDE

// A sum in f32 adds products of f32, which are exact in f64, where there is no f64: on a PTO target.

// CHECK-LABEL: pto.kernel @single
// CHECK-NOT: f64
// CHECK: %[[PRODUCT:.*]] = pto.tile.mul %{{.*}}, %{{.*}} : tile<{{.*}}xf32>
// WIDE-LABEL: pto.kernel @single
// WIDE: pto.tile.mul %{{.*}}, %{{.*}} : tile<{{.*}}xf64>
func.func @single(%x: tensor<3x40xf32>, %w: tensor<3x40xf32>) -> tensor<3xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<3x40xf32>, tensor<3x40xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// A sum in f64 stays one.

// CHECK-LABEL: pto.kernel @double
// CHECK: pto.tile.mul %{{.*}}, %{{.*}} : tile<{{.*}}xf64>
// CHECK: pto.tile.rowsum %{{.*}} : tile<{{.*}}xf64> -> tile<{{.*}}xf64>
func.func @double(%x: tensor<3x40xf32>, %w: tensor<3x40xf32>) -> tensor<3xf64> {
  %a = ptir.cast %x : tensor<3x40xf32> -> tensor<3x40xf64>
  %b = ptir.cast %w : tensor<3x40xf32> -> tensor<3x40xf64>
  %p = ptir.mul %a, %b : tensor<3x40xf64>
  %s = ptir.reduce sum %p axes [1] : tensor<3x40xf64> -> tensor<3xf64>
  func.return %s : tensor<3xf64>
}
