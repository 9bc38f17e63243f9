// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// Kernels of other levels, and launches of them, stay; a module called @kernels does too.

// CHECK: "gpu.module"() <{sym_name = "kernels_"}>
// CHECK: "gpu.module"() <{sym_name = "kernels"}>
// CHECK: region.kernel @other
// CHECK: nv.launch @kernels_::@f_0
// CHECK: region.launch @other outs(%x : memref<4xf32>)
pto.kernel @f_0() -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}, predicate_tail = ["n.i.i"]}> {
  pto.tiles (%m, %n) in [1, 4] step [1, 8] {
    %0 = pto.tile.expands 1.000000e+00 : f32 : tile<1x8xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 4] dims [0, 1] : tile<1x8xf32>, memref<4xf32>
  }
}
"gpu.module"() <{sym_name = "kernels"}> ({
^bb0:
}) : () -> ()
region.kernel @other() -> (%y: memref<4xf32> align 16 gmem) {
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}
func.func @f(%x: memref<4xf32>) {
  region.launch @f_0 outs(%x : memref<4xf32>)
  region.launch @other outs(%x : memref<4xf32>)
  func.return
}
