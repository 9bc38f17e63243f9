// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each op prints as it is read, and its generic form reads as the same op.

// CHECK: pto.kernel @k(%x: memref<70x40xbf16> align 16, %w: memref<40x20xbf16> align 2) -> (%y: memref<70x20xf32> align 256 gmem) {
pto.kernel @k(%x: memref<70x40xbf16> align 16, %w: memref<40x20xbf16> align 2) -> (%y: memref<70x20xf32> align 256 gmem) {
  // CHECK-NEXT: pto.tiles (%m, %n) in [70, 20] step [64, 32] {
  pto.tiles (%m, %n) in [70, 20] step [64, 32] {
    // CHECK-NEXT: %ring = pto.channel : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    // CHECK-NEXT: %c0 = arith.constant 0 : index
    %c0 = arith.constant 0 : index
    // CHECK-NEXT: %c40 = arith.constant 40 : index
    %c40 = arith.constant 40 : index
    // CHECK-NEXT: %c32 = arith.constant 32 : index
    %c32 = arith.constant 32 : index
    // CHECK-NEXT: pto.process {
    pto.process {
      // CHECK-NEXT: scf.for %k = %c0 to %c40 step %c32 {
      scf.for %k = %c0 to %c40 step %c32 {
        // CHECK-NEXT: pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        // CHECK-NEXT: %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [70, 20, 40] dims [0, 2] : memref<70x40xbf16> -> tile<64x32xbf16, #pto.tile_info<loc=Mat>>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [70, 20, 40] dims [0, 2] : memref<70x40xbf16> -> tile<64x32xbf16, #pto.tile_info<loc=Mat>>
        // CHECK-NEXT: %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [70, 20, 40] dims [2, 1] : memref<40x20xbf16> -> tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [70, 20, 40] dims [2, 1] : memref<40x20xbf16> -> tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        // CHECK-NEXT: pto.channel.commit %ring, %a, %b : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      // CHECK-NEXT: }
      }
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: %zero = pto.tile.expands 0.000000e+00 : f32 : tile<64x32xf32, #pto.tile_info<loc=Acc>>
    %zero = pto.tile.expands 0.000000e+00 : f32 : tile<64x32xf32, #pto.tile_info<loc=Acc>>
    // CHECK-NEXT: %sum = scf.for %j = %c0 to %c40 step %c32 iter_args(%s = %zero) -> (!pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>) {
    %sum = scf.for %j = %c0 to %c40 step %c32 iter_args(%s = %zero) -> (!pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>) {
      // CHECK-NEXT: %p, %q = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %p, %q = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      // CHECK-NEXT: %l = pto.tile.mov.m2l %p : tile<64x32xbf16, #pto.tile_info<loc=Mat>> -> tile<64x32xbf16, #pto.tile_info<loc=Left>>
      %l = pto.tile.mov.m2l %p : tile<64x32xbf16, #pto.tile_info<loc=Mat>> -> tile<64x32xbf16, #pto.tile_info<loc=Left>>
      // CHECK-NEXT: %r = pto.tile.mov.m2r %q : tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<32x32xbf16, #pto.tile_info<loc=Right>>
      %r = pto.tile.mov.m2r %q : tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<32x32xbf16, #pto.tile_info<loc=Right>>
      // CHECK-NEXT: %t = pto.tile.matmul.acc %s, %l, %r : tile<64x32xf32, #pto.tile_info<loc=Acc>>, tile<64x32xbf16, #pto.tile_info<loc=Left>>, tile<32x32xbf16, #pto.tile_info<loc=Right>> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<64x32xf32, #pto.tile_info<loc=Acc>>, tile<64x32xbf16, #pto.tile_info<loc=Left>>, tile<32x32xbf16, #pto.tile_info<loc=Right>> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
      // CHECK-NEXT: pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      // CHECK-NEXT: scf.yield %t : !pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>
      scf.yield %t : !pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: %v = pto.tile.mov.a2v %sum : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
    %v = pto.tile.mov.a2v %sum : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
    // CHECK-NEXT: pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [70, 20] dims [0, 1] : tile<64x32xf32>, memref<70x20xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [70, 20] dims [0, 1] : tile<64x32xf32>, memref<70x20xf32>
  // CHECK-NEXT: }
  }
// CHECK-NEXT: }
}

// CHECK: pto.kernel @vectors(%x: memref<8xi32> align 16) -> () {
pto.kernel @vectors(%x: memref<8xi32> align 16) -> () {
  // CHECK-NEXT: pto.tiles (%m) in [8] step [4] {
  pto.tiles (%m) in [8] step [4] {
    // CHECK-NEXT: %one = pto.tile.expands 1 : i32 : tile<4xi32>
    %one = pto.tile.expands 1 : i32 : tile<4xi32>
    // CHECK-NEXT: %e = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [8] dims [0] : memref<8xi32> -> tile<4xi32>
    %e = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [8] dims [0] : memref<8xi32> -> tile<4xi32>
    // CHECK-NEXT: %add = pto.tile.add %e, %one : tile<4xi32>
    %add = pto.tile.add %e, %one : tile<4xi32>
    // CHECK-NEXT: %sub = pto.tile.sub %e, %one : tile<4xi32>
    %sub = pto.tile.sub %e, %one : tile<4xi32>
    // CHECK-NEXT: %mul = pto.tile.mul %e, %one : tile<4xi32>
    %mul = pto.tile.mul %e, %one : tile<4xi32>
    // CHECK-NEXT: %div = pto.tile.div %e, %one : tile<4xi32>
    %div = pto.tile.div %e, %one : tile<4xi32>
    // CHECK-NEXT: %max = pto.tile.max %e, %one : tile<4xi32>
    %max = pto.tile.max %e, %one : tile<4xi32>
    // CHECK-NEXT: %min = pto.tile.min %e, %one : tile<4xi32>
    %min = pto.tile.min %e, %one : tile<4xi32>
    // CHECK-NEXT: %rem = pto.tile.rem %e, %one : tile<4xi32>
    %rem = pto.tile.rem %e, %one : tile<4xi32>
    // CHECK-NEXT: %pow = pto.tile.pow %e, %one : tile<4xi32>
    %pow = pto.tile.pow %e, %one : tile<4xi32>
    // CHECK-NEXT: %and = pto.tile.and %e, %one : tile<4xi32>
    %and = pto.tile.and %e, %one : tile<4xi32>
    // CHECK-NEXT: %or = pto.tile.or %e, %one : tile<4xi32>
    %or = pto.tile.or %e, %one : tile<4xi32>
    // CHECK-NEXT: %xor = pto.tile.xor %e, %one : tile<4xi32>
    %xor = pto.tile.xor %e, %one : tile<4xi32>
    // CHECK-NEXT: %shl = pto.tile.shl %e, %one : tile<4xi32>
    %shl = pto.tile.shl %e, %one : tile<4xi32>
    // CHECK-NEXT: %shr = pto.tile.shr %e, %one : tile<4xi32>
    %shr = pto.tile.shr %e, %one : tile<4xi32>
    // CHECK-NEXT: %neg = pto.tile.neg %e : tile<4xi32>
    %neg = pto.tile.neg %e : tile<4xi32>
    // CHECK-NEXT: %abs = pto.tile.abs %e : tile<4xi32>
    %abs = pto.tile.abs %e : tile<4xi32>
    // CHECK-NEXT: %sign = pto.tile.sign %e : tile<4xi32>
    %sign = pto.tile.sign %e : tile<4xi32>
    // CHECK-NEXT: %z = pto.tile.expands [1.000000e+00 : f32, -2.000000e+00 : f32] : tile<4xcomplex<f32>>
    %z = pto.tile.expands [1.0 : f32, -2.0 : f32] : tile<4xcomplex<f32>>
    // CHECK-NEXT: %f = pto.tile.cvt %e : tile<4xi32> -> tile<4xf32>
    %f = pto.tile.cvt %e : tile<4xi32> -> tile<4xf32>
    // CHECK-NEXT: %bits = pto.tile.bitcast %f : tile<4xf32> -> tile<4xui32>
    %bits = pto.tile.bitcast %f : tile<4xf32> -> tile<4xui32>
    // CHECK-NEXT: %exp = pto.tile.exp %f : tile<4xf32>
    %exp = pto.tile.exp %f : tile<4xf32>
    // CHECK-NEXT: %log = pto.tile.log %f : tile<4xf32>
    %log = pto.tile.log %f : tile<4xf32>
    // CHECK-NEXT: %sqrt = pto.tile.sqrt %f : tile<4xf32>
    %sqrt = pto.tile.sqrt %f : tile<4xf32>
    // CHECK-NEXT: %rsqrt = pto.tile.rsqrt %f : tile<4xf32>
    %rsqrt = pto.tile.rsqrt %f : tile<4xf32>
    // CHECK-NEXT: %recip = pto.tile.recip %f : tile<4xf32>
    %recip = pto.tile.recip %f : tile<4xf32>
    // CHECK-NEXT: %tanh = pto.tile.tanh %f : tile<4xf32>
    %tanh = pto.tile.tanh %f : tile<4xf32>
    // CHECK-NEXT: %erf = pto.tile.erf %f : tile<4xf32>
    %erf = pto.tile.erf %f : tile<4xf32>
    // CHECK-NEXT: %sin = pto.tile.sin %f : tile<4xf32>
    %sin = pto.tile.sin %f : tile<4xf32>
    // CHECK-NEXT: %cos = pto.tile.cos %f : tile<4xf32>
    %cos = pto.tile.cos %f : tile<4xf32>
    // CHECK-NEXT: %floor = pto.tile.floor %f : tile<4xf32>
    %floor = pto.tile.floor %f : tile<4xf32>
    // CHECK-NEXT: %ceil = pto.tile.ceil %f : tile<4xf32>
    %ceil = pto.tile.ceil %f : tile<4xf32>
    // CHECK-NEXT: %round = pto.tile.round %f : tile<4xf32>
    %round = pto.tile.round %f : tile<4xf32>
    // CHECK-NEXT: %log1p = pto.tile.log1p %f : tile<4xf32>
    %log1p = pto.tile.log1p %f : tile<4xf32>
    // CHECK-NEXT: %expm1 = pto.tile.expm1 %f : tile<4xf32>
    %expm1 = pto.tile.expm1 %f : tile<4xf32>
    // CHECK-NEXT: %erfc = pto.tile.erfc %f : tile<4xf32>
    %erfc = pto.tile.erfc %f : tile<4xf32>
    // CHECK-NEXT: %tf32 = pto.tile.tf32 %f : tile<4xf32>
    %tf32 = pto.tile.tf32 %f : tile<4xf32>
    // CHECK-NEXT: %cmp = pto.tile.cmp %exp, %log {cmpMode = #pto.cmp<LT>} : tile<4xf32> -> tile<4xi1>
    %cmp = pto.tile.cmp %exp, %log {cmpMode = #pto.cmp<LT>} : tile<4xf32> -> tile<4xi1>
    // CHECK-NEXT: %sel = pto.tile.sel %cmp, %exp, %log : tile<4xi1>, tile<4xf32>
    %sel = pto.tile.sel %cmp, %exp, %log : tile<4xi1>, tile<4xf32>
    // CHECK-NEXT: %fma = pto.tile.fma %exp, %log, %sel : tile<4xf32>
    %fma = pto.tile.fma %exp, %log, %sel : tile<4xf32>
  // CHECK-NEXT: }
  }
// CHECK-NEXT: }
}

// What a tile reads of its points: a part of them, whether they are in it, and their coordinates.

// CHECK: pto.kernel @points(%x: memref<4x8xf32> align 16) -> () {
pto.kernel @points(%x: memref<4x8xf32> align 16) -> () {
  // CHECK-NEXT: pto.tiles (%m, %n) in [4, 9] step [4, 16] {
  pto.tiles (%m, %n) in [4, 9] step [4, 16] {
    // CHECK-NEXT: %part = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (-1 + i1)] }"> in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : memref<4x8xf32> -> tile<4x16xf32>
    %part = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (-1 + i1)] }"> in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : memref<4x8xf32> -> tile<4x16xf32>
    // CHECK-NEXT: %in = pto.tile.mask{{ ?}}[%m, %n] in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x16xi1>
    %in = pto.tile.mask [%m, %n] in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x16xi1>
    // CHECK-NEXT: %turned = pto.tile.mask{{ ?}}[%m, %n] in [4, 9] dims [1, 0] where <"{ [i0, i1] : i1 > i0 }"> : tile<16x4xi1>
    %turned = pto.tile.mask [%m, %n] in [4, 9] dims [1, 0] where <"{ [i0, i1] : i1 > i0 }"> : tile<16x4xi1>
    // CHECK-NEXT: %i = pto.tile.iota{{ ?}}[%m, %n] by <"{ [i0, i1] -> [(9i0 + i1)] }"> in [4, 9] dims [0, 1] : tile<4x16xi32>
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(9i0 + i1)] }"> in [4, 9] dims [0, 1] : tile<4x16xi32>
    // CHECK-NEXT: %j = pto.tile.iota{{ ?}}[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 9] dims [0, 1] : tile<4x16xui64>
    %j = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 9] dims [0, 1] : tile<4x16xui64>
  // CHECK-NEXT: }
  }
// CHECK-NEXT: }
}

// An empty body keeps its arguments on the outside.

// CHECK: pto.kernel @empty() -> () {
// CHECK-NEXT: pto.tiles (%m) in [8] step [4] {
// CHECK-NEXT: }
pto.kernel @empty() -> () {
  pto.tiles (%m) in [8] step [4] {
  }
}

// CHECK: pto.tiles (%m) in [8] step [4] attributes {note = "a tile"} {
pto.kernel @noted() -> () {
  pto.tiles (%m) in [8] step [4] attributes {note = "a tile"} {
  }
}

// What matmul.acc multiplies.

// CHECK: pto.kernel @products() -> () {
pto.kernel @products() -> () {
  pto.tiles (%m) in [8] step [4] {
    %c0, %l0, %r0 = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xf16, #pto.tile_info<loc=Left>>, !pto.tile<8x4xf16, #pto.tile_info<loc=Right>>)
    // CHECK: %t0 = pto.tile.matmul.acc %c0, %l0, %r0 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf16, #pto.tile_info<loc=Left>>, tile<8x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %t0 = pto.tile.matmul.acc %c0, %l0, %r0 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf16, #pto.tile_info<loc=Left>>, tile<8x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %c1, %l1, %r1 = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xf32, #pto.tile_info<loc=Left>>, !pto.tile<8x4xf32, #pto.tile_info<loc=Right>>)
    // CHECK: %t1 = pto.tile.matmul.acc %c1, %l1, %r1 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf32, #pto.tile_info<loc=Left>>, tile<8x4xf32, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %t1 = pto.tile.matmul.acc %c1, %l1, %r1 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf32, #pto.tile_info<loc=Left>>, tile<8x4xf32, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %c2, %l2, %r2 = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xf32, #pto.tile_info<loc=Left>>, !pto.tile<8x4xf32, #pto.tile_info<loc=Right>>)
    // CHECK: %t2 = pto.tile.matmul.acc %c2, %l2, %r2 precision tf32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf32, #pto.tile_info<loc=Left>>, tile<8x4xf32, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %t2 = pto.tile.matmul.acc %c2, %l2, %r2 precision tf32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf32, #pto.tile_info<loc=Left>>, tile<8x4xf32, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %c3, %l3, %r3 = "test.op"() : () -> (!pto.tile<4x4xf64, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xf64, #pto.tile_info<loc=Left>>, !pto.tile<8x4xf64, #pto.tile_info<loc=Right>>)
    // CHECK: %t3 = pto.tile.matmul.acc %c3, %l3, %r3 : tile<4x4xf64, #pto.tile_info<loc=Acc>>, tile<4x8xf64, #pto.tile_info<loc=Left>>, tile<8x4xf64, #pto.tile_info<loc=Right>> -> tile<4x4xf64, #pto.tile_info<loc=Acc>>
    %t3 = pto.tile.matmul.acc %c3, %l3, %r3 : tile<4x4xf64, #pto.tile_info<loc=Acc>>, tile<4x8xf64, #pto.tile_info<loc=Left>>, tile<8x4xf64, #pto.tile_info<loc=Right>> -> tile<4x4xf64, #pto.tile_info<loc=Acc>>
    %c4, %l4, %r4 = "test.op"() : () -> (!pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xi8, #pto.tile_info<loc=Left>>, !pto.tile<8x4xi8, #pto.tile_info<loc=Right>>)
    // CHECK: %t4 = pto.tile.matmul.acc %c4, %l4, %r4 : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x8xi8, #pto.tile_info<loc=Left>>, tile<8x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
    %t4 = pto.tile.matmul.acc %c4, %l4, %r4 : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x8xi8, #pto.tile_info<loc=Left>>, tile<8x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
    %c5, %l5, %r5 = "test.op"() : () -> (!pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xui8, #pto.tile_info<loc=Left>>, !pto.tile<8x4xi8, #pto.tile_info<loc=Right>>)
    // CHECK: %t5 = pto.tile.matmul.acc %c5, %l5, %r5 : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x8xui8, #pto.tile_info<loc=Left>>, tile<8x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
    %t5 = pto.tile.matmul.acc %c5, %l5, %r5 : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x8xui8, #pto.tile_info<loc=Left>>, tile<8x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
    %c6, %l6, %r6 = "test.op"() : () -> (!pto.tile<4x4xsi32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xsi8, #pto.tile_info<loc=Left>>, !pto.tile<8x4xui8, #pto.tile_info<loc=Right>>)
    // CHECK: %t6 = pto.tile.matmul.acc %c6, %l6, %r6 : tile<4x4xsi32, #pto.tile_info<loc=Acc>>, tile<4x8xsi8, #pto.tile_info<loc=Left>>, tile<8x4xui8, #pto.tile_info<loc=Right>> -> tile<4x4xsi32, #pto.tile_info<loc=Acc>>
    %t6 = pto.tile.matmul.acc %c6, %l6, %r6 : tile<4x4xsi32, #pto.tile_info<loc=Acc>>, tile<4x8xsi8, #pto.tile_info<loc=Left>>, tile<8x4xui8, #pto.tile_info<loc=Right>> -> tile<4x4xsi32, #pto.tile_info<loc=Acc>>
    %c7, %l7, %r7 = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xf8E4M3FN, #pto.tile_info<loc=Left>>, !pto.tile<8x4xf8E4M3FN, #pto.tile_info<loc=Right>>)
    // CHECK: %t7 = pto.tile.matmul.acc %c7, %l7, %r7 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<8x4xf8E4M3FN, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %t7 = pto.tile.matmul.acc %c7, %l7, %r7 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<8x4xf8E4M3FN, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %c8, %l8, %r8 = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x8xf8E5M2, #pto.tile_info<loc=Left>>, !pto.tile<8x4xf8E4M3FN, #pto.tile_info<loc=Right>>)
    // CHECK: %t8 = pto.tile.matmul.acc %c8, %l8, %r8 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf8E5M2, #pto.tile_info<loc=Left>>, tile<8x4xf8E4M3FN, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %t8 = pto.tile.matmul.acc %c8, %l8, %r8 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf8E5M2, #pto.tile_info<loc=Left>>, tile<8x4xf8E4M3FN, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// Ops that compute an operand in the prologue.

// CHECK: pto.kernel @prologue() -> () {
pto.kernel @prologue() -> () {
  pto.tiles (%m) in [8] step [4] {
    %q = "test.op"() : () -> !pto.tile<8x4xsi8, #pto.tile_info<loc=Mat, layout=DN>>
    // CHECK: %v = pto.tile.mov.m2v %q : tile<8x4xsi8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<8x4xsi8>
    %v = pto.tile.mov.m2v %q : tile<8x4xsi8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<8x4xsi8>
    // CHECK: %l = pto.tile.mov.v2l %v : tile<8x4xsi8> -> tile<8x4xsi8, #pto.tile_info<loc=Left>>
    %l = pto.tile.mov.v2l %v : tile<8x4xsi8> -> tile<8x4xsi8, #pto.tile_info<loc=Left>>
    // CHECK: %r = pto.tile.mov.v2r %v : tile<8x4xsi8> -> tile<8x4xsi8, #pto.tile_info<loc=Right>>
    %r = pto.tile.mov.v2r %v : tile<8x4xsi8> -> tile<8x4xsi8, #pto.tile_info<loc=Right>>
    // CHECK: %a = pto.tile.mov.v2a %v : tile<8x4xsi8> -> tile<8x4xsi8, #pto.tile_info<loc=Acc>>
    %a = pto.tile.mov.v2a %v : tile<8x4xsi8> -> tile<8x4xsi8, #pto.tile_info<loc=Acc>>
  }
}

// CHECK: pto.kernel @reports() -> (%status: memref<1xi32> align 16 status) {
pto.kernel @reports() -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 9] step [4, 16] {
    // CHECK: %i = pto.tile.iota
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 9] dims [0, 1] : tile<4x16xi32>
    %zero = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x16xi32> -> tile<4x16xi1>
    // CHECK: %j = pto.tile.report division %i if %zero number 2 to %status[%m, %n] in [4, 9] dims [0, 1] : tile<4x16xi32>, tile<4x16xi1>, memref<1xi32>
    %j = pto.tile.report division %i if %zero number 2 to %status [%m, %n] in [4, 9] dims [0, 1] : tile<4x16xi32>, tile<4x16xi1>, memref<1xi32>
    // CHECK-NEXT: %k = pto.tile.report division %j if %zero number 1 to %status[%m, %n] in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x16xi32>, tile<4x16xi1>, memref<1xi32>
    %k = pto.tile.report division %j if %zero number 1 to %status [%m, %n] in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x16xi32>, tile<4x16xi1>, memref<1xi32>
  }
}

// Positions: axes of the space whose coordinates are the elements of tiles.

// CHECK: pto.kernel @positions(%x: memref<9x8xf32> align 16) -> (%status: memref<1xi32> align 16 status) {
pto.kernel @positions(%x: memref<9x8xf32> align 16) -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 8] step [4, 8] {
    %p, %q, %out = "test.op"() : () -> (!pto.tile<4x1xsi32>, !pto.tile<4x8xi64>, !pto.tile<4x1xi1>)
    // CHECK: %i = pto.tile.report index %p if %out number 3 to %status[%m, %n] in [4, 8] dims [0, 1] : tile<4x1xsi32>, tile<4x1xi1>, memref<1xi32>
    %i = pto.tile.report index %p if %out number 3 to %status [%m, %n] in [4, 8] dims [0, 1] : tile<4x1xsi32>, tile<4x1xi1>, memref<1xi32>
    // CHECK-NEXT: %a = pto.tile.load.map %x[%m, %n] at(%i : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 8, 9] dims [0, 1] : memref<9x8xf32> -> tile<4x8xf32>
    %a = pto.tile.load.map %x[%m, %n] at (%i : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 8, 9] dims [0, 1] : memref<9x8xf32> -> tile<4x8xf32>
    // CHECK-NEXT: %b = pto.tile.load.map %x[%m, %n] at(%i, %q : tile<4x1xsi32>, tile<4x8xi64>) by <"{ [i0, i1, i2, i3] -> [(i2), (i3)] }"> in [4, 8, 9, 8] dims [0, 1] where <"{ [i0, i1, i2, i3] : i3 > 0 }"> : memref<9x8xf32> -> tile<4x8xf32>
    %b = pto.tile.load.map %x[%m, %n] at (%i, %q : tile<4x1xsi32>, tile<4x8xi64>) by <"{ [i0, i1, i2, i3] -> [(i2), (i3)] }"> in [4, 8, 9, 8] dims [0, 1] where <"{ [i0, i1, i2, i3] : i3 > 0 }"> : memref<9x8xf32> -> tile<4x8xf32>
    // CHECK-NEXT: %c = pto.tile.mask[%m, %n] at(%i : tile<4x1xsi32>) in [4, 8, 9] dims [0, 1] where <"{ [i0, i1, i2] : i2 > 3 }"> : tile<4x8xi1>
    %c = pto.tile.mask [%m, %n] at (%i : tile<4x1xsi32>) in [4, 8, 9] dims [0, 1] where <"{ [i0, i1, i2] : i2 > 3 }"> : tile<4x8xi1>
    // CHECK-NEXT: %d = pto.tile.iota[%m, %n] at(%i : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i1 + i2)] }"> in [4, 8, 9] dims [0, 1] : tile<4x8xi32>
    %d = pto.tile.iota [%m, %n] at (%i : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i1 + i2)] }"> in [4, 8, 9] dims [0, 1] : tile<4x8xi32>
    // CHECK-NEXT: %e = pto.tile.report division %d if %c number 2 to %status[%m, %n] at(%i : tile<4x1xsi32>) in [4, 8, 9] dims [0, 1] : tile<4x8xi32>, tile<4x8xi1>, memref<1xi32>
    %e = pto.tile.report division %d if %c number 2 to %status [%m, %n] at (%i : tile<4x1xsi32>) in [4, 8, 9] dims [0, 1] : tile<4x8xi32>, tile<4x8xi1>, memref<1xi32>
  }
}
