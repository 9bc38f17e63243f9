// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto,pto-to-nv' | filecheck %s --check-prefix=NV
// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto,pto-to-nv' | filecheck %s --check-prefix=TMA

// The pages of keys and values are gathered in the kernel of the attention. Numbers of the table are clamped before.
// CHECK-LABEL: pto.kernel @paged_0(%table: memref<6xsi32> align 16) -> (%numbers: memref<6xsi32>
// CHECK-LABEL: pto.kernel @paged_1(%q: {{.*}}, %k: memref<8x16x64xbf16> align 16, %numbers: memref<6xsi32> align 256, %v:
// CHECK-SAME: attention = "online_softmax"
// CHECK: scf.for
// CHECK: %[[K:.*]] = pto.tile.load.map %numbers[%key, %{{.*}}] by <"{ [i0, i1] -> [(floor((i0)/16))] }"> in [96, 64]
// CHECK: pto.tile.load.map %k[%key, %{{.*}}] at(%[[K]] : {{.*}}) by <"{ [i0, i1, i2] -> [(i2), ((i0) mod 16), (i1)] }"> in [96, 64, 8] dims [1, 0]
// CHECK: %[[V:.*]] = pto.tile.load.map %numbers
// CHECK: pto.tile.load.map %v[%key, %{{.*}}] at(%[[V]] : {{.*}}) by <"{ [i0, i1, i2] -> [(i2), ((i0) mod 16), (i1)] }"> in [96, 64, 8] dims [0, 1]
// NV: "gpu.func"
// NV: nv.cp_async %k[{{.*}}] at(%numbers by <"{ [i0, i1] -> [(floor((i0)/16))] }"> : memref<6xsi32>) to %smem_k
// NV-SAME: bytes 16
// NV: nv.cp_async %v[{{.*}}] at(%numbers by

// A tile has 96 keys, six pages of 16: four at a time, of which the second time has two.
// TMA: nv.role producer
// TMA: %[[AT:.*]] = nv.ld_global %numbers[%page_row, %{{.*}}] at <"{ [i0, i1] -> [(floor((i0)/16))] }"> in [96, 64]{{.*}} : memref<6xsi32> -> i32
// TMA-NEXT: %[[PLACE:.*]] = arith.index_cast %[[AT]] : i32 to index
// TMA-COUNT-3: nv.ld_global %numbers
// TMA: nv.tma_load %map_k[
// TMA-COUNT-3: nv.tma_load %map_k
// TMA-COUNT-4: nv.ld_global %numbers
// TMA-COUNT-4: nv.tma_load %map_v
func.func @paged(%q: tensor<40x64xbf16>, %k: tensor<8x16x64xbf16>, %v: tensor<8x16x64xbf16>, %table: tensor<6xsi32>) -> tensor<40x64xf32> {
  %low = ptir.constant dense<0> : tensor<6xsi32>
  %high = ptir.constant dense<7> : tensor<6xsi32>
  %least = ptir.maximum %table, %low : tensor<6xsi32>
  %numbers = ptir.minimum %least, %high : tensor<6xsi32>
  %list = ptir.reshape %numbers : tensor<6xsi32> -> tensor<6x1x1xsi32>
  %at = ptir.broadcast_to %list : tensor<6x1x1xsi32> -> tensor<6x16x64xsi32>
  %k0 = ptir.gather %k, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %v0 = ptir.gather %v, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %k1 = ptir.reshape %k0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %v1 = ptir.reshape %v0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %s = ptir.dot_general %q, %k1 contract [1] x [1] accum f32 out f32 : (tensor<40x64xbf16>, tensor<96x64xbf16>) -> tensor<40x96xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<40x1xf32> -> tensor<40x96xf32>
  %d = ptir.sub %s, %maxes : tensor<40x96xf32>
  %e = ptir.exp %d : tensor<40x96xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<40x1xf32> -> tensor<40x96xf32>
  %p = ptir.div %e, %sums : tensor<40x96xf32>
  %w = ptir.cast %p : tensor<40x96xf32> -> tensor<40x96xbf16>
  %y = ptir.dot_general %w, %v1 contract [1] x [0] accum f32 out f32 : (tensor<40x96xbf16>, tensor<96x64xbf16>) -> tensor<40x64xf32>
  func.return %y : tensor<40x64xf32>
}
