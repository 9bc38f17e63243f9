// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the ops in vocabulary.mlir.

func.func @f(%a: !pto.tile<16x64xf32>, %s: f32) {
  // expected-error@+1 {{'pto.tile.adds' takes a tile and a scalar}}
  %0 = pto.tile.adds %s, %a : f32, tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'pto.tile.subs' takes a tile and a scalar, in either order}}
  %0 = pto.tile.subs %a, %a : tile<16x64xf32>, tile<16x64xf32>
  func.return
}

// -----

func.func @f(%s: f32) {
  // expected-error@+1 {{'pto.tile.divs' takes a tile and a scalar, in either order}}
  %0 = "pto.tile.divs"(%s, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (f32, f32) -> !pto.tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %s: f32) {
  // expected-error@+1 {{the result has shape !pto.tile<16x32xf32>, expected !pto.tile<16x64xf32>}}
  %0 = "pto.tile.muls"(%a, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!pto.tile<16x64xf32>, f32) -> !pto.tile<16x32xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %s: f16) {
  // expected-error@+1 {{the scalar has element type f16, expected f32}}
  %0 = pto.tile.maxs %a, %s : tile<16x64xf32>, f16
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xui8>, %s: i16) {
  // expected-error@+1 {{the scalar has element type i16, expected i8}}
  %0 = pto.tile.mins %a, %s : tile<16x64xui8>, i16
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xi1>, %s: i1) {
  // expected-error@+1 {{the element type is i1; add is defined on}}
  %0 = pto.tile.adds %a, %s : tile<16x64xi1>, i1
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32, #pto.tile_info<loc=Mat>>, %s: f32) {
  // expected-error@+1 {{'pto.tile.adds' computes with vector tiles (loc=Vec), got !pto.tile<16x64xf32, #pto.tile_info<loc=Mat>>}}
  %0 = pto.tile.adds %a, %s : tile<16x64xf32, #pto.tile_info<loc=Mat>>, f32
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32, #pto.tile_info<loc=Acc>>) {
  // expected-error@+1 {{'pto.tile.exp' computes with vector tiles (loc=Vec), got !pto.tile<16x64xf32, #pto.tile_info<loc=Acc>>}}
  %0 = pto.tile.exp %a : tile<16x64xf32, #pto.tile_info<loc=Acc>>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xi32>) {
  // expected-error@+1 {{the element type is i32; exp is defined on floats}}
  %0 = pto.tile.exp %a : tile<16x64xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the element type is f32; not is defined on}}
  %0 = pto.tile.not %a : tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the element type is f32; shift_right_arithmetic is defined on}}
  %0 = pto.tile.shr %a, %a : tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xi1>) {
  // expected-error@+1 {{the element type is i1; add is defined on}}
  %0 = pto.tile.partadd %a, %a : tile<16x64xi1>
  func.return
}

// -----

func.func @f(%s: f16) {
  // expected-error@+1 {{the scalar has element type f16, expected f32}}
  %0 = pto.tile.expands %s : f16 : tile<16x64xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'pto.tile.expands' takes either a number or a scalar}}
  %0 = "pto.tile.expands"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pto.tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %s: f32) {
  // expected-error@+1 {{the result has shape !pto.tile<16x64xi8>, expected an i1 tile of the operand's shape}}
  %0 = pto.tile.cmps %a, %s {cmpMode = #pto.cmp<GT>} : tile<16x64xf32>, f32 -> tile<16x64xi8>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %s: f16) {
  // expected-error@+1 {{the scalar has element type f16, expected f32}}
  %0 = pto.tile.cmps %a, %s {cmpMode = #pto.cmp<GT>} : tile<16x64xf32>, f16 -> tile<16x64xi1>
  func.return
}

// -----

func.func @f(%a: !pto.tile<4xcomplex<f32>>, %s: complex<f32>) {
  // expected-error@+1 {{the element type is complex<f32>; gt is defined on}}
  %0 = pto.tile.cmps %a, %s {cmpMode = #pto.cmp<GT>} : tile<4xcomplex<f32>>, complex<f32> -> tile<4xi1>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %s: f32, %m: !pto.tile<16x32xi1>) {
  // expected-error@+1 {{the mask has shape !pto.tile<16x32xi1>, expected an i1 tile of the result's shape}}
  %0 = pto.tile.sels %m, %a, %s : tile<16x32xi1>, tile<16x64xf32>, f32
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %s: i32, %m: !pto.tile<16x64xi1>) {
  // expected-error@+1 {{the scalar has element type i32, expected f32}}
  %0 = pto.tile.sels %m, %a, %s : tile<16x64xi1>, tile<16x64xf32>, i32
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'pto.round_mode' is 'CAST_UP'}}
  %0 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_UP>} : tile<16x64xf32> -> tile<16x64xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the result's element type is f16; it must represent every value of f32: CAST_NONE does not round}}
  %0 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_NONE>} : tile<16x64xf32> -> tile<16x64xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xi64>) {
  // expected-error@+1 {{the operand's element type is i64; types of 64 bits are rounded by CAST_RINT}}
  %0 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_FLOOR>} : tile<16x64xi64> -> tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the element type is i1; 'rmode' is for integers and floats}}
  %0 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_RINT>} : tile<16x64xf32> -> tile<16x64xi1>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the element type is complex<f32>; 'rmode' is for integers and floats}}
  %0 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_RINT>} : tile<16x64xf32> -> tile<16x64xcomplex<f32>>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %r: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{the second operand has shape !pto.tile<1x64xf32>, expected [16, 1] of f32}}
  %0 = pto.tile.rowexpandsub %a, %r : tile<16x64xf32>, tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %r: !pto.tile<1x64xf16>) {
  // expected-error@+1 {{the second operand has shape !pto.tile<1x64xf16>, expected [1, 64] of f32}}
  %0 = pto.tile.colexpandmul %a, %r : tile<16x64xf32>, tile<1x64xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xi1>, %r: !pto.tile<16x1xi1>) {
  // expected-error@+1 {{the element type is i1; div is defined on}}
  %0 = pto.tile.rowexpanddiv %a, %r : tile<16x64xi1>, tile<16x1xi1>
  func.return
}

// -----

func.func @f(%a: !pto.tile<2x3x4xf32>) {
  // expected-error@+1 {{the operand has shape !pto.tile<2x3x4xf32>, expected a matrix}}
  %0 = pto.tile.trans %a : tile<2x3x4xf32> -> tile<4x3x2xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<16x64xf32>, expected [64, 16]}}
  %0 = pto.tile.trans %a : tile<16x64xf32> -> tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = pto.tile.trans %a : tile<16x64xf32> -> tile<64x16xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<16x32xf32>, expected as many elements as !pto.tile<16x64xf32>}}
  %0 = pto.tile.reshape %a : tile<16x64xf32> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<?x64xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<?x64xf32>, expected as many elements as !pto.tile<?x64xf32>}}
  %0 = pto.tile.reshape %a : tile<?x64xf32> -> tile<?x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the result has element type i32, expected f32}}
  %0 = pto.tile.reshape %a : tile<16x64xf32> -> tile<64x16xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %i: !pto.tile<4x8xi32>) {
  // expected-error@+1 {{the result has shape !pto.tile<4x4xf32>, expected [4, 8]}}
  %0 = pto.tile.gather %a, %i : tile<16x64xf32>, tile<4x8xi32> -> tile<4x4xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %i: !pto.tile<4x8xi32>) {
  // expected-error@+1 {{the result has element type i32, expected f32}}
  %0 = pto.tile.gather %a, %i : tile<16x64xf32>, tile<4x8xi32> -> tile<4x8xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %i: !pto.tile<4x8xi64>) {
  // expected-error@+1 {{an index is i64; it is an integer of 16 or 32 bits}}
  %0 = pto.tile.gather %a, %i : tile<16x64xf32>, tile<4x8xi64> -> tile<4x8xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %i: !pto.tile<4x2xui32>) {
  // expected-error@+1 {{the result has shape !pto.tile<4x2xf32>, expected [4, 16]: 8 elements an offset}}
  %0 = pto.tile.gatherb %a, %i : tile<16x64xf32>, tile<4x2xui32> -> tile<4x2xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf64>, %i: !pto.tile<4x2xui32>) {
  // expected-error@+1 {{the element type is f64; it has 8, 16 or 32 bits}}
  %0 = pto.tile.gatherb %a, %i : tile<16x64xf64>, tile<4x2xui32> -> tile<4x8xf64>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %i: !pto.tile<4x64xi32>) {
  // expected-error@+1 {{the tile of indices has shape !pto.tile<4x64xi32>, expected [16, 64]}}
  %0 = pto.tile.scatter %a, %i : tile<16x64xf32>, tile<4x64xi32> -> tile<32x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>, %i: !pto.tile<16x64xi32>) {
  // expected-error@+1 {{the result has shape !pto.tile<32x32xf32>, expected the columns of !pto.tile<16x64xf32>}}
  %0 = pto.tile.scatter %a, %i : tile<16x64xf32>, tile<16x64xi32> -> tile<32x32xf32>
  func.return
}

// -----

func.func @f(%s: i32) {
  // expected-error@+1 {{the result has shape !pto.tile<2x64xi32>, expected one row}}
  %0 = pto.tile.ci %s : i32 -> tile<2x64xi32>
  func.return
}

// -----

func.func @f(%s: i8) {
  // expected-error@+1 {{the element type is i8; it is an integer of 16 or 32 bits}}
  %0 = pto.tile.ci %s : i8 -> tile<1x64xi8>
  func.return
}

// -----

func.func @f(%s: i16) {
  // expected-error@+1 {{the scalar has element type i16, expected i32}}
  %0 = pto.tile.ci %s : i16 -> tile<1x64xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<4x64xi32>) {
  // expected-error@+1 {{the element type is i32; f16 and f32 are sorted}}
  %0, %1 = pto.tile.sort32 %a : tile<4x64xi32> -> tile<4x64xi32>, tile<4x64xui32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<4x48xf32>) {
  // expected-error@+1 {{the operand has shape !pto.tile<4x48xf32>, expected a multiple of 32 columns}}
  %0, %1 = pto.tile.sort32 %a : tile<4x48xf32> -> tile<4x48xf32>, tile<4x48xui32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<4x64xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<4x32xf32>, expected [4, 64] of f32}}
  %0, %1 = pto.tile.sort32 %a : tile<4x64xf32> -> tile<4x32xf32>, tile<4x64xui32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<4x64xf32>) {
  // expected-error@+1 {{the tile of columns has shape !pto.tile<4x64xi32>, expected [4, 64] of ui32}}
  %0, %1 = pto.tile.sort32 %a : tile<4x64xf32> -> tile<4x64xf32>, tile<4x64xi32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'lists' takes one to four tiles, got 0}}
  %0 = "pto.tile.mrgsort"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pto.tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{'blockLen' is missing}}
  %0 = pto.tile.mrgsort %a : tile<1x64xf32> -> tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{'blockLen' is 16}}
  %0 = pto.tile.mrgsort %a, %a {blockLen = 16} : tile<1x64xf32>, tile<1x64xf32> -> tile<1x128xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{'blockLen' is 32}}
  %0 = pto.tile.mrgsort %a {blockLen = 32} : tile<1x64xf32> -> tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{'blockLen' is 0}}
  %0 = pto.tile.mrgsort %a {blockLen = 0} : tile<1x64xf32> -> tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>, %b: !pto.tile<2x64xf32>) {
  // expected-error@+1 {{a list has shape !pto.tile<2x64xf32>, expected one row of f32}}
  %0 = pto.tile.mrgsort %a, %b : tile<1x64xf32>, tile<2x64xf32> -> tile<1x128xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{'valid' is 0}}
  %0 = pto.tile.mrgsort %a, %a {valid = [1, 0]} : tile<1x64xf32>, tile<1x64xf32> -> tile<1x128xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>, %b: !pto.tile<1x64xf16>) {
  // expected-error@+1 {{a list has shape !pto.tile<1x64xf16>, expected one row of f32}}
  %0 = pto.tile.mrgsort %a, %b : tile<1x64xf32>, tile<1x64xf16> -> tile<1x128xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xi32>) {
  // expected-error@+1 {{the element type is i32; f16 and f32 are sorted}}
  %0 = pto.tile.mrgsort %a, %a : tile<1x64xi32>, tile<1x64xi32> -> tile<1x128xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x64xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<1x64xf32>, expected [1, 128]}}
  %0 = pto.tile.mrgsort %a, %a : tile<1x64xf32>, tile<1x64xf32> -> tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<64x64xf16>) {
  // expected-error@+1 {{'offsets' is 49}}
  %0 = pto.tile.extract %a[0, 49] : tile<64x64xf16> -> tile<16x16xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<64x64xf16>) {
  // expected-error@+1 {{'offsets' is -1}}
  %0 = pto.tile.extract %a[-1, 0] : tile<64x64xf16> -> tile<16x16xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<64x64xf16>) {
  // expected-error@+1 {{'offsets' takes one index for each axis (2), got 1}}
  %0 = pto.tile.extract %a[0] : tile<64x64xf16> -> tile<16x16xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<64x64xf16>) {
  // expected-error@+1 {{the part has shape !pto.tile<16xf16>, expected rank 2, like !pto.tile<64x64xf16>}}
  %0 = pto.tile.extract %a[0, 0] : tile<64x64xf16> -> tile<16xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<64x64xf16>) {
  // expected-error@+1 {{the part has element type f32, expected f16}}
  %0 = pto.tile.extract %a[0, 0] : tile<64x64xf16> -> tile<16x16xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x16xf16>, %b: !pto.tile<32x16xf16>) {
  // expected-error@+1 {{'offsets' is 17}}
  %0 = pto.tile.insert %a, %b[17, 0] : tile<16x16xf16>, tile<32x16xf16>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32, #pto.tile_info<loc=Bias>>) {
  // expected-error@+1 {{'pto.tile.mov.fp' takes Acc and Scale tiles, got Vec, Bias}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf32>, tile<1x32xf32, #pto.tile_info<loc=Bias>> -> tile<16x32xf16>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf16>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{the accumulator's element type is f16; it is f32 or i32}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf16>, tile<1x32xf32> -> tile<16x32xf16>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf32>, %s: !pto.tile<16x32xf32>) {
  // expected-error@+1 {{the tile of scales has shape !pto.tile<16x32xf32>, expected [1, 32] of f32}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf32>, tile<16x32xf32> -> tile<16x32xf16>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{the element type is f32; it is f16, bf16, or an integer of 8 bits}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf32>, tile<1x32xf32> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{moves Acc to Vec, got Mat}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf32>, tile<1x32xf32> -> tile<16x32xi8, #pto.tile_info<loc=Mat>>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<16x16xi8>, expected [16, 32]}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf32>, tile<1x32xf32> -> tile<16x16xi8>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>, %acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{the element type is f32; it is f16, bf16, or an integer of 8 bits}}
  pto.tile.store.fp %acc, %s, %x[0, 0] : pto.memref<64x64xf32>, tile<16x32xf32>, tile<1x32xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xi8>, %acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{'offsets' is 49}}
  pto.tile.store.fp %acc, %s, %x[49, 0] : pto.memref<64x64xi8>, tile<16x32xf32>, tile<1x32xf32>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x48xf8E4M3FN>, %r: !pto.tile<48x32xf8E5M2>, %ls: !pto.tile<16x1xf8E8M0FNU>, %rs: !pto.tile<1x32xf8E8M0FNU>) {
  // expected-error@+1 {{a has shape !pto.tile<16x48xf8E4M3FN>, expected a multiple of 32 columns}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x48xf8E4M3FN>, tile<16x1xf8E8M0FNU>, tile<48x32xf8E5M2>, tile<1x32xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x64xf16>, %r: !pto.tile<64x32xf8E5M2>, %ls: !pto.tile<16x2xf8E8M0FNU>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  // expected-error@+1 {{an operand's element type is f16; it is a type of fp8}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf16>, tile<16x2xf8E8M0FNU>, tile<64x32xf8E5M2>, tile<2x32xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x64xf8E5M2>, %r: !pto.tile<64x32xf8E5M2>, %ls: !pto.tile<16x2xf8E8M0FNU>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  // expected-error@+1 {{the result's element type is f16; it is f32}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf8E5M2>, tile<16x2xf8E8M0FNU>, tile<64x32xf8E5M2>, tile<2x32xf8E8M0FNU> -> tile<16x32xf16>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x64xf8E5M2>, %r: !pto.tile<64x32xf8E5M2>, %ls: !pto.tile<16x2xui8>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  // expected-error@+1 {{a_scale has shape !pto.tile<16x2xui8>, expected [16, 2] of f8E8M0FNU}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf8E5M2>, tile<16x2xui8>, tile<64x32xf8E5M2>, tile<2x32xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x64xf8E5M2>, %r: !pto.tile<64x32xf8E5M2>, %ls: !pto.tile<16x2xf8E8M0FNU>, %rs: !pto.tile<32x2xf8E8M0FNU>) {
  // expected-error@+1 {{b_scale has shape !pto.tile<32x2xf8E8M0FNU>, expected [2, 32] of f8E8M0FNU}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf8E5M2>, tile<16x2xf8E8M0FNU>, tile<64x32xf8E5M2>, tile<32x2xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x64xf8E5M2>, %r: !pto.tile<64x32xf8E5M2>, %ls: !pto.tile<16x2xf8E8M0FNU, #pto.tile_info<loc=Bias>>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  // expected-error@+1 {{takes scales from Scale, got Bias}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf8E5M2>, tile<16x2xf8E8M0FNU, #pto.tile_info<loc=Bias>>, tile<64x32xf8E5M2>, tile<2x32xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%l: !pto.tile<16x64xf8E5M2>, %r: !pto.tile<32x32xf8E5M2>, %ls: !pto.tile<16x2xf8E8M0FNU>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  // expected-error@+1 {{acc has shape [16, 32], expected the product of [16, 64] and [32, 32]}}
  %0 = pto.tile.matmul.mx %l, %ls, %r, %rs : tile<16x64xf8E5M2>, tile<16x2xf8E8M0FNU>, tile<32x32xf8E5M2>, tile<2x32xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xi8>) {
  // expected-error@+1 {{'pto.tile.prefetch' has no tile, and thus no valid region}}
  pto.tile.prefetch %x {valid = [4, 4]} : pto.memref<64x64xi8>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'address' is -32}}
  %0 = pto.tile.assign %a at [-32] : tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'address' takes one index, got 2}}
  %0 = pto.tile.assign %a at [0, 32] : tile<16x64xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'pto.sync.op' waits for vector instructions, but TLOAD runs on pipe MTE2}}
  pto.sync.op #pto.op<TLOAD>
  func.return
}

// -----

func.func @f(%i: i32) {
  // expected-error@+1 {{operand 'waits' at position 0 does not verify}}
  "pto.sync"(%i) : (i32) -> ()
  func.return
}

// -----

func.func @f(%s: f32) {
  // expected-error@+1 {{the element type is f32; it is an integer of 16 or 32 bits}}
  %0 = pto.tile.ci %s : f32 -> tile<1x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{an index is f32; it is an integer of 16 or 32 bits}}
  %0 = pto.tile.gather %a, %a : tile<16x64xf32>, tile<16x64xf32> -> tile<16x64xf32>
  func.return
}

// -----

func.func @f(%s: i32) {
  // expected-error@+1 {{the result has shape !pto.tile<1x1x64xi32>, expected one row}}
  %0 = pto.tile.ci %s : i32 -> tile<1x1x64xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x1x64xf32>) {
  // expected-error@+1 {{a list has shape !pto.tile<1x1x64xf32>, expected one row of f32}}
  %0 = pto.tile.mrgsort %a, %a : tile<1x1x64xf32>, tile<1x1x64xf32> -> tile<1x128xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<2x8x64xf32>, %i: !pto.tile<2x8x64xi32>) {
  // expected-error@+1 {{the result has shape !pto.tile<2x8x64xf32>, expected the columns of !pto.tile<2x8x64xf32>}}
  %0 = pto.tile.scatter %a, %i : tile<2x8x64xf32>, tile<2x8x64xi32> -> tile<2x8x64xf32>
  func.return
}

// -----

func.func @f(%acc: !pto.tile<16x32xf32>, %s: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{the element type is i16; it is f16, bf16, or an integer of 8 bits}}
  %0 = pto.tile.mov.fp %acc, %s : tile<16x32xf32>, tile<1x32xf32> -> tile<16x32xi16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xi64>) {
  %0 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_RINT>} : tile<16x64xi64> -> tile<16x64xf32>
  %1 = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_FLOOR>} : tile<16x64xi64> -> tile<16x64xi64>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'by' is 3}}
  %0 = pto.tile.rowxor %a by 3 : tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'by' is 16}}
  %0 = pto.tile.rowxor %a by 16 : tile<16x64xf32>
  func.return
}

// -----

func.func @twice(%x: !pto.memref<16x32xf32>) {
  // expected-error@+1 {{'valid' is written twice}}
  %0 = pto.tile.load %x[0, 0] {valid = [16, 32], valid = [8, 32]} : pto.memref<16x32xf32>, tile<16x32xf32>
  func.return
}

// -----

func.func @no_value(%x: !pto.tile<16x32xf32>) {
  // expected-error@+1 {{expected '='}}
  %0 = pto.tile.exp %x {valid} : tile<16x32xf32>
  func.return
}

// -----

func.func @misspelled(%x: !pto.tile<16x32xf32>) {
  // expected-error@+1 {{'vald' is no attribute of this op}}
  %0 = pto.tile.exp %x {vald = [8, 8]} : tile<16x32xf32>
  func.return
}

// -----

func.func @event_of_a_tile(%x: !pto.tile<16x32xf32>) {
  // expected-error@+1 {{%x is !pto.tile<16x32xf32>, but ops wait for events}}
  %0 = pto.tile.exp %x wait(%x) : tile<16x32xf32>
  func.return
}

// -----

// expected-error@+1 {{expected an attribute such as `#pto.op<TLOAD>`, got #pto.loc<Vec>}}
func.func private @f(!pto.event<producer = #pto.loc<Vec>>) -> ()

// -----

// expected-error@+1 {{expected an attribute such as `#pto.space<gm>`, got #pto.layout<ND>}}
func.func private @f(!pto.memref<8xf32, {space = #pto.layout<ND>}>) -> ()

// -----

// expected-error@+1 {{expected an attribute such as `strided<[1024, 1], offset: ?>`, got #pto.loc<Vec>}}
func.func private @f(!pto.memref<8xf32, #pto.loc<Vec>>) -> ()

// -----

// expected-error@+1 {{expected an attribute such as `#pto.tile_info<loc=Vec, layout=ND>`, got #pto.loc<Vec>}}
func.func private @f(!pto.tile<8xf32, #pto.loc<Vec>>) -> ()

// -----

// expected-error@+1 {{expected '{'}}
func.func private @f(!pto.memref<8xf32, strided<[1]>, strided<[1]>>) -> ()

// -----

// expected-error@+1 {{the element type of a tile is index; an element is an integer of}}
func.func private @f(!pto.tile<8xindex>) -> ()

// -----

// expected-error@+1 {{the element type of a tile is f80; an element is an integer of}}
func.func private @f(!pto.tile<8xf80>) -> ()

// -----

// expected-error@+1 {{the element type of a memref is i24; an element is an integer of}}
func.func private @f(!pto.memref<8xi24>) -> ()

// -----

// expected-error@+1 {{the element type of a memref is f80; an element is}}
func.func private @f(!pto.memref<8xf80>) -> ()

// -----

// expected-error@+1 {{the element type of a tile is complex<i32>; an element is an integer of}}
func.func private @f(!pto.tile<8xcomplex<i32>>) -> ()

// -----

// expected-error@+1 {{'tile' has shape []}}
func.func private @f(!pto.tile<f32>) -> ()

// -----

// expected-error@+1 {{'memref' has shape []}}
func.func private @f(!pto.memref<f32>) -> ()

// -----

// 2^63 elements are one too many.
func.func private @most(!pto.tile<2147483648x2147483648xf32>) -> ()
// expected-error@+1 {{'tile' has shape [2147483648, 4294967296]}}
func.func private @f(!pto.tile<2147483648x4294967296xf32>) -> ()

// -----

func.func private @most(!pto.memref<2x2xf32, strided<[9223372036854775800, 1], offset: 6>>) -> ()
// expected-error@+1 {{'memref' has shape [2, 2]}}
func.func private @f(!pto.memref<2x2xf32, strided<[9223372036854775800, 1], offset: 7>>) -> ()

// -----

// expected-error@+1 {{'strided' is strided<[-4, 1]>}}
func.func private @f(!pto.memref<4x4xf32, strided<[-4, 1]>>) -> ()

// -----

// expected-error@+1 {{'strided' is strided<[4, 1], offset: -1>}}
func.func private @f(!pto.memref<4x4xf32, strided<[4, 1], offset: -1>>) -> ()

// -----

func.func @space(%x: !pto.memref<16x32xf32, {space = #pto.space<ub>}>) {
  // expected-error@+1 {{'space' of the array is #pto.space<ub>}}
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x32xf32, {space = #pto.space<ub>}>, tile<16x32xf32>
  func.return
}

// -----

func.func @blocks(%x: !pto.memref<16x32xf32, {layout = #pto.layout<Nz>}>, %t: !pto.tile<16x32xf32>) {
  // expected-error@+1 {{'layout' of the array is #pto.layout<Nz>}}
  pto.tile.store %t, %x[0, 0] : pto.memref<16x32xf32, {layout = #pto.layout<Nz>}>, tile<16x32xf32>
  func.return
}

// -----

func.func @product(%a: f32) {
  // expected-error@+1 {{an integer here is signless or of type index}}
  %0 = pto.muli %a, %a : f32
  func.return
}

// -----

func.func @signed() {
  // expected-error@+1 {{an integer here is signless or of type index}}
  %0 = pto.constant 3 : si32
  func.return
}

// -----

func.func @imaginary(%a: !pto.tile<8xcomplex<f32>>) {
  // expected-error@+1 {{the conversion is complex<f32> to f32; complex numbers are cast to complex numbers only}}
  %0 = pto.tile.cvt %a : tile<8xcomplex<f32>> -> tile<8xf32>
  func.return
}

// -----

func.func @places(%a: !pto.tile<64x64xf16, #pto.tile_info<loc=Acc>>) {
  // expected-error@+1 {{'pto.tile.extract' copies Mat to Left or Right, or Vec to Vec, got Acc to Left}}
  %0 = pto.tile.extract %a[0, 0] : tile<64x64xf16, #pto.tile_info<loc=Acc>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
  func.return
}

// -----

func.func @places(%a: !pto.tile<64x64xf16, #pto.tile_info<loc=Mat>>, %b: !pto.tile<64x64xf16>, %v: !pto.tile<64x64xf16, #pto.tile_info<loc=Vec>>) {
  %0 = pto.tile.extract %a[0, 0] : tile<64x64xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
  %1 = pto.tile.extract %a[0, 0] : tile<64x64xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16>
  %2 = pto.tile.extract %b[0, 0] : tile<64x64xf16> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
  // expected-error@+1 {{copies Mat to Left or Right, or Vec to Vec, got Vec to Left}}
  %3 = pto.tile.extract %v[0, 0] : tile<64x64xf16, #pto.tile_info<loc=Vec>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
  func.return
}

// -----

func.func @rank(%a: !pto.tile<2x64x64xf16>) {
  %0 = pto.tile.extract %a[0, 0, 0] : tile<2x64x64xf16> -> tile<1x16x16xf16>
  // expected-error@+1 {{the part has shape !pto.tile<1x16x16xf16, #pto.tile_info<loc=Left>>, expected a matrix}}
  %1 = pto.tile.extract %a[0, 0, 0] : tile<2x64x64xf16> -> tile<1x16x16xf16, #pto.tile_info<loc=Left>>
  func.return
}

// -----

func.func @rank(%a: !pto.tile<2x64x64xf16>) {
  %0 = pto.tile.mov.v2v %a : tile<2x64x64xf16> -> tile<2x64x64xf16>
  // expected-error@+1 {{the result has shape !pto.tile<2x64x64xf16>, expected a matrix}}
  %1 = pto.tile.mov.m2r %a : tile<2x64x64xf16> -> tile<2x64x64xf16>
  func.return
}

// -----

func.func @digits(%a: tensor<4xf32>) {
  // expected-error@+1 {{unexpected character: ٣}}
  %0 = pto.tile.exp %a : tile<٣xf32>
  func.return
}

// -----

func.func @event_of_an_extract(%v: !pto.tile<32x16xf16>) {
  // expected-error@+1 {{returns an event of TEXTRACT, but is itself a TEXTRACT_V2V}}
  %q, %e = pto.tile.extract %v[0, 0] : tile<32x16xf16> -> tile<16x16xf16>, !pto.event<producer = #pto.op<TEXTRACT>>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'by' is 0}}
  %0 = pto.tile.rowxor %a by 0 : tile<16x64xf32>
  func.return
}

// -----

func.func @sizes_that_are_not_known(%a: !pto.tile<?x64xf32>, %b: !pto.tile<8x?xf32>) {
  %0 = pto.tile.extract %a[60, 0] : tile<?x64xf32> -> tile<8x64xf32>
  %1 = pto.tile.extract %a[60, 8] : tile<?x64xf32> -> tile<8x?xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>) {
  // expected-error@+1 {{'pto.tile.mov.v2v' moves Vec to Vec, got Mat to Vec}}
  %0 = pto.tile.mov.v2v %a : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<?x?x1024xf32>) {
  // expected-error@+1 {{the result has shape !pto.tile<16x64xf32>, expected as many elements as}}
  %0 = pto.tile.reshape %a : tile<?x?x1024xf32> -> tile<16x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<?x64xf32>, %b: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{the result has shape}}
  %0 = pto.tile.reshape %b : tile<16x64xf32> -> tile<?x?x1024xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'other.word' is written twice}}
  %0 = pto.tile.abs %a {other.word = 1 : i32, valid = [8, 8], other.word = 2 : i32} : tile<16x64xf32>
  func.return
}

// -----

func.func @accepted(%x: !pto.memref<16x32xf32>, %a: !pto.tile<1x32xf32>, %i: !pto.tile<1x32xi16>, %r: !pto.tile<16x64xf32>,
    %d: !pto.tile<?x64xf32>, %l: !pto.tile<4x33xf32>,
  %h: !pto.tile<4x32xf16>, %j: !pto.tile<4x2xi32>, %p: !pto.tile<32x8xf32>, %q: !pto.tile<1x8xf32>) {
  %0 = pto.tile.mrgsort %a, %a, %a, %a : tile<1x32xf32>, tile<1x32xf32>, tile<1x32xf32>, tile<1x32xf32> -> tile<1x128xf32>
  %1 = pto.tile.gather %a, %i : tile<1x32xf32>, tile<1x32xi16> -> tile<1x32xf32>
  %6 = pto.tile.mrgsort %a {blockLen = 1} : tile<1x32xf32> -> tile<1x32xf32>
  %8 = pto.tile.gatherb %h, %j : tile<4x32xf16>, tile<4x2xi32> -> tile<4x32xf16>
  %9 = pto.tile.matmul.bias %a, %p, %q : tile<1x32xf32>, tile<32x8xf32>, tile<1x8xf32> -> tile<1x8xf32>
  %7 = pto.tile.rowmax %l : tile<4x33xf32> -> tile<4x1xf32>
  %2 = pto.tile.rowxor %r by 1 : tile<16x64xf32>
  %3 = pto.tile.load %x[0, 0] {valid = [8, 32], loc = #pto.loc<Mat>, layout = #pto.layout<Nz>}
    : pto.memref<16x32xf32>, tile<16x32xf32, #pto.tile_info<loc=Mat, layout=Nz>>
  %4 = pto.tile.abs %r {valid = [8, 8], other.word} : tile<16x64xf32>
  %5 = pto.tile.abs %d {valid = [99, 8]} : tile<?x64xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<1x32xf32>) {
  // expected-error@+1 {{'lists' takes one to four tiles, got 5}}
  %0 = pto.tile.mrgsort %a, %a, %a, %a, %a
    : tile<1x32xf32>, tile<1x32xf32>, tile<1x32xf32>, tile<1x32xf32>, tile<1x32xf32> -> tile<1x160xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf16>, %b: !pto.tile<64x32xf16>) {
  // expected-error@+1 {{the product is f16 x f16 into i32}}
  %0 = pto.tile.matmul %a, %b : tile<16x64xf16>, tile<64x32xf16> -> tile<16x32xi32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<12x64xf16>) {
  // expected-error@+1 {{'by' is 3}}
  %0 = pto.tile.rowxor %a by 3 : tile<12x64xf16>
  func.return
}

// -----

func.func @f(%a: !pto.tile<16x64xf32>) {
  // expected-error@+1 {{'cmpMode' is written twice}}
  %0 = pto.tile.cmp %a, %a {cmpMode = #pto.cmp<GT>, cmpMode = #pto.cmp<GT>} : tile<16x64xf32> -> tile<16x64xi1>
  func.return
}
