// RUN: ptir-opt %s --split-input-file -p 'plan-regions{arch=sm80},region-to-pto,pto-to-nv' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'plan-regions{arch=sm80},region-to-pto,pto-to-nv' -t cuda | filecheck %s --check-prefix=CUDA

// The launches of a group are one, of which blocks with another z have other arguments. An argument of all is passed once.
// CHECK: ^bb0(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %y_1: memref<64x64xf32>, %z: memref<64x64xf32>, %z_1: memref<64x64xf32>):
// CHECK: %member = "gpu.block_id"() <{dimension = #gpu<dim z>}>
// CHECK-NEXT: %this_y = nv.pick %member of %y, %y_1 : memref<64x64xf32>
// CHECK-NEXT: %this_z = nv.pick %member of %z, %z_1 : memref<64x64xf32>
// CHECK: outs(%this_z
// CHECK: nv.launch @kernels::@f grid [{{[0-9]+}}, {{[0-9]+}}, 2] {{.*}}(%a, %b, %c, %0, %1 :
// CHECK-NEXT: func.return
// CUDA: const float* __restrict__ const this_y = (int)blockIdx.z == 0 ? y : y1;
// CUDA: float* __restrict__ const this_z = (int)blockIdx.z == 0 ? z : z1;
region.kernel @f(%x: memref<64x64xf32> align 16, %y: memref<64x64xf32> align 16) -> (%z: memref<64x64xf32> align 256 gmem) {
  %0 = region.load %x : memref<64x64xf32> -> tensor<64x64xf32>
  %1 = region.load %y : memref<64x64xf32> -> tensor<64x64xf32>
  %2 = tiny.binary mul %0, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  region.yield %2 : tensor<64x64xf32>
}
func.func @host(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) -> (memref<64x64xf32>, memref<64x64xf32>) {
  %0 = memref.alloc() : memref<64x64xf32>
  region.launch @f group 0 ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%0 : memref<64x64xf32>)
  %1 = memref.alloc() : memref<64x64xf32>
  region.launch @f group 0 ins(%a, %c : memref<64x64xf32>, memref<64x64xf32>) outs(%1 : memref<64x64xf32>)
  func.return %0, %1 : memref<64x64xf32>, memref<64x64xf32>
}

// -----

// A copy between them may need what the first one wrote: both launches stay.
// CHECK-NOT: nv.pick
// CHECK: nv.launch @kernels::@f
// CHECK: memref.copy
// CHECK: nv.launch @kernels::@f
region.kernel @f(%x: memref<64x64xf32> align 16) -> (%y: memref<64x64xf32> align 256 gmem) {
  %0 = region.load %x : memref<64x64xf32> -> tensor<64x64xf32>
  %1 = tiny.unary exp %0 : tensor<64x64xf32> -> tensor<64x64xf32>
  region.yield %1 : tensor<64x64xf32>
}
func.func @host(%a: memref<64x64xf32>, %b: memref<64x64xf32>) -> memref<64x64xf32> {
  %0 = memref.alloc() : memref<64x64xf32>
  %1 = memref.alloc() : memref<64x64xf32>
  %2 = memref.alloc() : memref<64x64xf32>
  region.launch @f group 0 ins(%a : memref<64x64xf32>) outs(%0 : memref<64x64xf32>)
  "memref.copy"(%0, %1) : (memref<64x64xf32>, memref<64x64xf32>) -> ()
  region.launch @f group 0 ins(%b : memref<64x64xf32>) outs(%2 : memref<64x64xf32>)
  func.return %2 : memref<64x64xf32>
}
