// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// The rest of the vocabulary of pto-ir.md §4 and §6, one line an op: each prints as it is read.

// CHECK: func.func @scalars
func.func @scalars(%a: !pto.tile<16x64xf32>, %s: f32, %i: !pto.tile<16x64xsi32>, %k: i32, %m: !pto.tile<16x64xi1>, %n: index) {
  // CHECK-NEXT: %0 = pto.tile.adds %a, %s : tile<16x64xf32>, f32
  %0 = pto.tile.adds %a, %s : tile<16x64xf32>, f32
  // CHECK-NEXT: %1 = pto.tile.subs %a, %s : tile<16x64xf32>, f32
  %1 = pto.tile.subs %a, %s : tile<16x64xf32>, f32
  // CHECK-NEXT: %2 = pto.tile.subs %s, %a : f32, tile<16x64xf32>
  %2 = pto.tile.subs %s, %a : f32, tile<16x64xf32>
  // CHECK-NEXT: %3 = pto.tile.muls %i, %k : tile<16x64xsi32>, i32
  %3 = pto.tile.muls %i, %k : tile<16x64xsi32>, i32
  // CHECK-NEXT: %4 = pto.tile.divs %a, %s : tile<16x64xf32>, f32
  %4 = pto.tile.divs %a, %s : tile<16x64xf32>, f32
  // CHECK-NEXT: %5 = pto.tile.divs %s, %a {valid = [%n, 64]} : f32, tile<16x64xf32>
  %5 = pto.tile.divs %s, %a {valid = [%n, 64]} : f32, tile<16x64xf32>
  // CHECK-NEXT: %6 = pto.tile.mins %a, %s : tile<16x64xf32>, f32
  %6 = pto.tile.mins %a, %s : tile<16x64xf32>, f32
  // CHECK-NEXT: %7, %e7 = pto.tile.maxs %a, %s : tile<16x64xf32>, f32, !pto.event<producer = #pto.op<TMAXS>>
  %7, %e7 = pto.tile.maxs %a, %s : tile<16x64xf32>, f32, !pto.event<producer = #pto.op<TMAXS>>
  // CHECK-NEXT: %8 = pto.tile.expands %s : f32 wait(%e7) {valid = [3, 4]} : tile<16x64xf32>
  %8 = pto.tile.expands %s : f32 wait(%e7) {valid = [3, 4]} : tile<16x64xf32>
  // CHECK-NEXT: %9, %e9 = pto.tile.cmps %a, %s {cmpMode = #pto.cmp<GT>} : tile<16x64xf32>, f32 -> tile<16x64xi1>, !pto.event<producer = #pto.op<TCMPS>>
  %9, %e9 = pto.tile.cmps %a, %s {cmpMode = #pto.cmp<GT>} : tile<16x64xf32>, f32 -> tile<16x64xi1>, !pto.event<producer = #pto.op<TCMPS>>
  // CHECK-NEXT: %10 = pto.tile.sels %m, %a, %s wait(%e9) : tile<16x64xi1>, tile<16x64xf32>, f32
  %10 = pto.tile.sels %m, %a, %s wait(%e9) : tile<16x64xi1>, tile<16x64xf32>, f32
  // CHECK-NEXT: %11 = pto.tile.ci %k {descending} : i32 -> tile<1x64xi32>
  %11 = pto.tile.ci %k {descending} : i32 -> tile<1x64xi32>
  // CHECK-NEXT: %12 = pto.tile.ci %k {valid = [1, %n]} : i32 -> tile<1x64xui32>
  %12 = pto.tile.ci %k {valid = [1, %n]} : i32 -> tile<1x64xui32>
  func.return
}

// CHECK: func.func @elementwise
func.func @elementwise(%a: !pto.tile<16x64xf32>, %i: !pto.tile<16x64xi32>, %u: !pto.tile<16x64xui32>, %n: index) {
  // CHECK-NEXT: %0 = pto.tile.relu %a : tile<16x64xf32>
  %0 = pto.tile.relu %a : tile<16x64xf32>
  // CHECK-NEXT: %1 = pto.tile.not %i : tile<16x64xi32>
  %1 = pto.tile.not %i : tile<16x64xi32>
  // CHECK-NEXT: %2 = pto.tile.shr %u, %u : tile<16x64xui32>
  %2 = pto.tile.shr %u, %u : tile<16x64xui32>
  // CHECK-NEXT: %3 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_FLOOR>, valid = [%n, 8]} : tile<16x64xf32> -> tile<16x64xi32>
  %3 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_FLOOR>, valid = [%n, 8]} : tile<16x64xf32> -> tile<16x64xi32>
  // CHECK-NEXT: %4 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_NONE>} : tile<16x64xf32> -> tile<16x64xf64>
  %4 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_NONE>} : tile<16x64xf32> -> tile<16x64xf64>
  // CHECK-NEXT: %5 = pto.tile.partadd %a, %0 : tile<16x64xf32>
  %5 = pto.tile.partadd %a, %0 : tile<16x64xf32>
  // CHECK-NEXT: %6 = pto.tile.partmax %a, %0 : tile<16x64xf32>
  %6 = pto.tile.partmax %a, %0 : tile<16x64xf32>
  // CHECK-NEXT: %7 = pto.tile.partmin %a, %0 : tile<16x64xf32>
  %7 = pto.tile.partmin %a, %0 : tile<16x64xf32>
  func.return
}

// CHECK: func.func @broadcasts
func.func @broadcasts(%a: !pto.tile<16x64xf32>, %r: !pto.tile<16x1xf32>, %c: !pto.tile<1x64xf32>) {
  // CHECK-NEXT: %0 = pto.tile.rowexpandadd %a, %r : tile<16x64xf32>, tile<16x1xf32>
  %0 = pto.tile.rowexpandadd %a, %r : tile<16x64xf32>, tile<16x1xf32>
  // CHECK-NEXT: %1 = pto.tile.rowexpandsub %a, %r : tile<16x64xf32>, tile<16x1xf32>
  %1 = pto.tile.rowexpandsub %a, %r : tile<16x64xf32>, tile<16x1xf32>
  // CHECK-NEXT: %2 = pto.tile.rowexpandmul %a, %r : tile<16x64xf32>, tile<16x1xf32>
  %2 = pto.tile.rowexpandmul %a, %r : tile<16x64xf32>, tile<16x1xf32>
  // CHECK-NEXT: %3, %e3 = pto.tile.rowexpanddiv %a, %r {valid = [3, 4]} : tile<16x64xf32>, tile<16x1xf32>, !pto.event<producer = #pto.op<TROWEXPANDDIV>>
  %3, %e3 = pto.tile.rowexpanddiv %a, %r {valid = [3, 4]} : tile<16x64xf32>, tile<16x1xf32>, !pto.event<producer = #pto.op<TROWEXPANDDIV>>
  // CHECK-NEXT: %4 = pto.tile.colexpandadd %a, %c wait(%e3) : tile<16x64xf32>, tile<1x64xf32>
  %4 = pto.tile.colexpandadd %a, %c wait(%e3) : tile<16x64xf32>, tile<1x64xf32>
  // CHECK-NEXT: %5 = pto.tile.colexpandsub %a, %c : tile<16x64xf32>, tile<1x64xf32>
  %5 = pto.tile.colexpandsub %a, %c : tile<16x64xf32>, tile<1x64xf32>
  // CHECK-NEXT: %6 = pto.tile.colexpandmul %a, %c : tile<16x64xf32>, tile<1x64xf32>
  %6 = pto.tile.colexpandmul %a, %c : tile<16x64xf32>, tile<1x64xf32>
  // CHECK-NEXT: %7, %e7 = pto.tile.colexpanddiv %a, %c : tile<16x64xf32>, tile<1x64xf32>, !pto.event<producer = #pto.op<TCOLEXPANDDIV>>
  %7, %e7 = pto.tile.colexpanddiv %a, %c : tile<16x64xf32>, tile<1x64xf32>, !pto.event<producer = #pto.op<TCOLEXPANDDIV>>
  // CHECK-NEXT: %8 = pto.tile.colsum %a {isBinary, valid = [1, 8]} : tile<16x64xf32> -> tile<1x64xf32>
  %8 = pto.tile.colsum %a {isBinary, valid = [1, 8]} : tile<16x64xf32> -> tile<1x64xf32>
  func.return
}

// CHECK: func.func @rearrangements
func.func @rearrangements(%a: !pto.tile<16x64xf32>, %i: !pto.tile<16x64xi32>, %b: !pto.tile<4x2xui32>, %o: index,
    %l: !pto.tile<1x512xf32>, %p: !pto.tile<1x32xf32>, %mat: !pto.tile<64x64xf16, #pto.tile_info<loc=Mat, layout=Nz>>) {
  // CHECK-NEXT: %0 = pto.tile.trans %a : tile<16x64xf32> -> tile<64x16xf32>
  %0 = pto.tile.trans %a : tile<16x64xf32> -> tile<64x16xf32>
  // CHECK-NEXT: %rows = pto.tile.rowxor %a by 8 : tile<16x64xf32>
  %rows = pto.tile.rowxor %a by 8 : tile<16x64xf32>
  // CHECK-NEXT: %1 = pto.tile.reshape %a : tile<16x64xf32> -> tile<1024xf32>
  %1 = pto.tile.reshape %a : tile<16x64xf32> -> tile<1024xf32>
  // CHECK-NEXT: %2 = pto.tile.gather %a, %i : tile<16x64xf32>, tile<16x64xi32> -> tile<16x64xf32>
  %2 = pto.tile.gather %a, %i : tile<16x64xf32>, tile<16x64xi32> -> tile<16x64xf32>
  // CHECK-NEXT: %3 = pto.tile.gatherb %a, %b : tile<16x64xf32>, tile<4x2xui32> -> tile<4x16xf32>
  %3 = pto.tile.gatherb %a, %b : tile<16x64xf32>, tile<4x2xui32> -> tile<4x16xf32>
  // CHECK-NEXT: %4 = pto.tile.scatter %a, %i : tile<16x64xf32>, tile<16x64xi32> -> tile<32x64xf32>
  %4 = pto.tile.scatter %a, %i : tile<16x64xf32>, tile<16x64xi32> -> tile<32x64xf32>
  // CHECK-NEXT: %5, %6, %e6 = pto.tile.sort32 %a : tile<16x64xf32> -> tile<16x64xf32>, tile<16x64xui32>, !pto.event<producer = #pto.op<TSORT32>>
  %5, %6, %e6 = pto.tile.sort32 %a : tile<16x64xf32> -> tile<16x64xf32>, tile<16x64xui32>, !pto.event<producer = #pto.op<TSORT32>>
  // CHECK-NEXT: %7, %e7 = pto.tile.mrgsort %l wait(%e6) {blockLen = 64} : tile<1x512xf32> -> tile<1x512xf32>, !pto.event<producer = #pto.op<TMRGSORT>>
  %7, %e7 = pto.tile.mrgsort %l wait(%e6) {blockLen = 64} : tile<1x512xf32> -> tile<1x512xf32>, !pto.event<producer = #pto.op<TMRGSORT>>
  // CHECK-NEXT: %8 = pto.tile.mrgsort %l, %p wait(%e7) : tile<1x512xf32>, tile<1x32xf32> -> tile<1x544xf32>
  %8 = pto.tile.mrgsort %l, %p wait(%e7) : tile<1x512xf32>, tile<1x32xf32> -> tile<1x544xf32>
  // CHECK-NEXT: %9 = pto.tile.extract %mat[%o, 16] : tile<64x64xf16, #pto.tile_info<loc=Mat, layout=Nz>> -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
  %9 = pto.tile.extract %mat[%o, 16]
      : tile<64x64xf16, #pto.tile_info<loc=Mat, layout=Nz>>
     -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
  // CHECK-NEXT: %10 = pto.tile.insert %a, %4[%o, 0] : tile<16x64xf32>, tile<32x64xf32>
  %10 = pto.tile.insert %a, %4[%o, 0] : tile<16x64xf32>, tile<32x64xf32>
  func.return
}

// CHECK: func.func @fixpipe
func.func @fixpipe(%x: !pto.memref<64x64xi8>, %o: index, %acc: !pto.tile<16x32xi32, #pto.tile_info<loc=Acc>>,
    %s: !pto.tile<1x32xf32, #pto.tile_info<loc=Scale>>, %l: !pto.tile<16x64xf8E4M3FN, #pto.tile_info<loc=Left>>,
    %r: !pto.tile<64x32xf8E5M2, #pto.tile_info<loc=Right>>, %ls: !pto.tile<16x2xf8E8M0FNU>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  // CHECK-NEXT: %0 = pto.tile.mov.fp %acc, %s : tile<16x32xi32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>> -> tile<16x32xf16>
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xi32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>> -> tile<16x32xf16>
  // CHECK-NEXT: %e = pto.tile.store.fp %acc, %s, %x[%o, 0] {valid = [4, 8]} : pto.memref<64x64xi8>, tile<16x32xi32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>>, !pto.event<producer = #pto.op<TSTORE_FP>>
  %e = pto.tile.store.fp %acc, %s, %x[%o, 0] {valid = [4, 8]}
      : pto.memref<64x64xi8>, tile<16x32xi32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>>, !pto.event<producer = #pto.op<TSTORE_FP>>
  // CHECK-NEXT: %1 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<16x2xf8E8M0FNU>, tile<64x32xf8E5M2, #pto.tile_info<loc=Right>>, tile<2x32xf8E8M0FNU> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
  %1 = pto.tile.matmul.mx %l, %ls, %r, %rs
      : tile<16x64xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<16x2xf8E8M0FNU>, tile<64x32xf8E5M2, #pto.tile_info<loc=Right>>, tile<2x32xf8E8M0FNU>
     -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
  // CHECK-NEXT: %e1 = pto.tile.prefetch %x wait(%e) : pto.memref<64x64xi8>, !pto.event<producer = #pto.op<TPREFETCH>>
  %e1 = pto.tile.prefetch %x wait(%e) : pto.memref<64x64xi8>, !pto.event<producer = #pto.op<TPREFETCH>>
  // CHECK-NEXT: %2 = pto.tile.assign %0 at [1024] : tile<16x32xf16>
  %2 = pto.tile.assign %0 at [1024] : tile<16x32xf16>
  // CHECK-NEXT: %3 = pto.tile.assign %0 at [%o] : tile<16x32xf16>
  %3 = pto.tile.assign %0 at [%o] : tile<16x32xf16>
  // CHECK-NEXT: pto.sync wait(%e, %e1)
  pto.sync wait(%e, %e1)
  // CHECK-NEXT: pto.sync{{$}}
  pto.sync
  // CHECK-NEXT: pto.sync.op #pto.op<TADD>
  pto.sync.op #pto.op<TADD>
  func.return
}

// The words of §2.1, §3.1 and §5.1.

// CHECK: func.func @words(%0: !pto.tile<8xi8>, %1: !pto.tile<8xi16>, %2: !pto.tile<8xi32>, %3: !pto.tile<8xi64>, %4: !pto.tile<8xf16>, %5: !pto.tile<8xf32>, %6: !pto.tile<8xbf16>, %7: !pto.tile<8xf8E4M3FN>, %8: !pto.tile<8xf8E5M2>,
func.func @words(%0: !pto.tile<8xi8>, %1: !pto.tile<8xi16>, %2: !pto.tile<8xi32>, %3: !pto.tile<8xi64>, %4: !pto.tile<8xf16>, %5: !pto.tile<8xf32>, %6: !pto.tile<8xbf16>, %7: !pto.tile<8xf8e4m3fn>, %8: !pto.tile<8xf8e5m2>,
  // CHECK-SAME: %9: !pto.tile<8x8xf32, #pto.tile_info<loc=Vec, layout=ND>>, %10: !pto.tile<8x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, %11: !pto.tile<8x8xf32, #pto.tile_info<loc=Left, layout=Zz>>, %12: !pto.tile<8x8xf32, #pto.tile_info<loc=Right, layout=Zn>>,
  %9: !pto.tile<8x8xf32, #pto.tile_info<loc=Vec, layout=ND>>, %10: !pto.tile<8x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, %11: !pto.tile<8x8xf32, #pto.tile_info<loc=Left, layout=Zz>>, %12: !pto.tile<8x8xf32, #pto.tile_info<loc=Right, layout=Zn>>,
  // CHECK-SAME: %13: !pto.tile<8x8xf32, #pto.tile_info<loc=Acc, layout=Nz>>, %14: !pto.tile<8x8xf32, #pto.tile_info<loc=Bias, layout=Nn>>, %15: !pto.tile<8x8xf32, #pto.tile_info<loc=Scale>>, %16: !pto.tile<?x?xf32>,
  %13: !pto.tile<8x8xf32, #pto.tile_info<loc=Acc, layout=Nz>>, %14: !pto.tile<8x8xf32, #pto.tile_info<loc=Bias, layout=Nn>>, %15: !pto.tile<8x8xf32, #pto.tile_info<loc=Scale>>, %16: !pto.tile<?x?xf32>,
  // CHECK-SAME: %17: !pto.memref<8xf32, {space = #pto.space<ub>}>, %18: !pto.memref<8x?xf32, {layout = #pto.layout<DN>}>, %19: !pto.event<producer = #pto.op<TLOAD>, scope = #pto.scope<inter>, eid = 7>) {
  %17: !pto.memref<8xf32, {space = #pto.space<ub>}>, %18: !pto.memref<8x?xf32, {layout = #pto.layout<DN>}>, %19: !pto.event<producer = #pto.op<TLOAD>, scope = #pto.scope<inter>, eid = 7>) {
  // CHECK-NEXT: %20 = pto.constant 1 : i8
  %20 = pto.constant 1 : i8
  // CHECK-NEXT: %21 = pto.constant -1 : i64
  %21 = pto.constant -1 : i64
  // CHECK-NEXT: %22 = pto.constant 1.500000e+00 : bf16
  %22 = pto.constant 1.5 : bf16
  func.return
}

// CHECK: func.func @views
func.func @views(%x: !pto.memref<64x64xf32>, %n: index) {
  // CHECK-NEXT: %0 = pto.memref.subview %x[%n, 0] [%n, 8] [1, %n] : pto.memref<64x64xf32> to pto.memref<?x8xf32, strided<[64, ?], offset: ?>>
  %0 = pto.memref.subview %x[%n, 0] [%n, 8] [1, %n] : pto.memref<64x64xf32> to pto.memref<?x8xf32, strided<[64, ?], offset: ?>>
  // CHECK-NEXT: %1 = pto.memref.subview %0[0, 1] [4, 4] [2, 1] : pto.memref<?x8xf32, strided<[64, ?], offset: ?>> to pto.memref<4x4xf32, strided<[128, ?], offset: ?>>
  %1 = pto.memref.subview %0[0, 1] [4, 4] [2, 1] : pto.memref<?x8xf32, strided<[64, ?], offset: ?>> to pto.memref<4x4xf32, strided<[128, ?], offset: ?>>
  func.return
}
