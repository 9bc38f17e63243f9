// RUN: ptir-opt %s --dump=poly_core | filecheck %s

// What Poly Core answers for each edge between tiny values, in tiles of 32 by 32 along the consumer's last axes.

// CHECK:      // -----// poly_core //----- //
// CHECK-NEXT: @centred on sm80
// CHECK-NEXT:   arg0 to v0, tile i1=32: refused (PTIR0253); gmem, 8192 bytes
// CHECK-NEXT:     v0 is not affine: 'ptir.custom_call' has no index rule: store its operands and its result.
// CHECK:        v2 to v3, tile i1=32: ok, halo 0 bytes; smem_ring of 3 slots, 192 bytes
// CHECK-NEXT:     v3 reads v2 at [i0, i1] -> [i0, 0]. A tile of i1=32 reads at most 16 x 1. There is no halo. 4 tiles need the same elements: they differ along axes that the read does not depend on.
// CHECK:        v4 to v5, tile i1=32: ok, halo 0 bytes; reg, 2048 bytes
// CHECK-NEXT:     v5 reads v4 at [i0, i1] -> [i0, i1]. A tile of i1=32 reads at most 16 x 32. There is no halo.
// CHECK-NEXT:   fusable: [v1, v2, v3, v4, v5]

func.func @centred(%x: tensor<16x128xf32>, %i: tensor<16xsi32>) -> tensor<16x128xf32> {
  %0 = ptir.custom_call "acme.f.v1"(%x, %i) : (tensor<16x128xf32>, tensor<16xsi32>) -> tensor<16x128xf32>
  %1 = ptir.reduce max %0 axes [1] : tensor<16x128xf32> -> tensor<16xf32>
  %2 = ptir.reshape %1 : tensor<16xf32> -> tensor<16x1xf32>
  %3 = ptir.broadcast_to %2 : tensor<16x1xf32> -> tensor<16x128xf32>
  %4 = ptir.sub %0, %3 : tensor<16x128xf32>
  %5 = ptir.exp %4 : tensor<16x128xf32>
  func.return %5 : tensor<16x128xf32>
}
