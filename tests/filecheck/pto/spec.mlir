// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// The programs of pto-ir.md, with their `...` filled in.

// CHECK: builtin.module attributes {pto.target = #pto.target<a3>} {
module attributes { pto.target = #pto.target<a3> } {

// CHECK: func.func @scalars(%arg3: index) -> index {
func.func @scalars(%arg3: index) -> index {
  // CHECK-NEXT: %c32 = pto.constant 32 : index
  %c32 = pto.constant 32 : index
  // CHECK-NEXT: %cz = pto.constant 0.000000e+00 : f32
  %cz  = pto.constant 0.0 : f32
  // CHECK-NEXT: %0 = pto.muli %arg3, %c32 : index
  %0 = pto.muli %arg3, %c32 : index
  func.return %0 : index
}

// CHECK: func.func @types(%a: !pto.tile<8xf16>, %b: !pto.tile<32x32xf32>, %c: !pto.tile<1x4x32x16xf8E4M3FN>, %d: !pto.tile<?x16xf32>
func.func @types(%a: !pto.tile<8xf16>, %b: !pto.tile<32x32 x f32>, %c: !pto.tile<1x4x32x16 x f8e4m3fn>, %d: !pto.tile<? x 16xf32>,
  // CHECK-SAME: %e: !pto.memref<1024x1024xf32, {space = #pto.space<gm>, layout = #pto.layout<ND>}>, %f: !pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>
  %e: !pto.memref<1024x1024xf32, {space = #pto.space<gm>, layout = #pto.layout<ND>}>, %f: !pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>) {
  func.return
}

// CHECK: func.func @sequential
func.func @sequential(%arg0: !pto.memref<1024x1024xf32>, %arg1: !pto.memref<1024x1024xf32>, %o0: index, %o1: index) {
  %c0 = pto.constant 0 : index
  // CHECK: %sv = pto.memref.subview %arg0[%o0, %o1] [32, 32] [1, 1] : pto.memref<1024x1024xf32> to pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>
  %sv = pto.memref.subview %arg0[%o0, %o1] [32, 32] [1, 1]
      : pto.memref<1024x1024xf32>
     to pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>
  %sv_out = pto.memref.subview %arg1[%o0, %o1] [32, 32] [1, 1]
      : pto.memref<1024x1024xf32>
     to pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>
  // CHECK: %t0 = pto.tile.load %sv[%c0, %c0] : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
  %t0 = pto.tile.load %sv[%c0, %c0]
      : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
  // CHECK-NEXT: %t1 = pto.tile.load %sv[%c0, 0] {loc = #pto.loc<Vec>, layout = #pto.layout<ND>, valid = [%o0, 17]} : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
  %t1 = pto.tile.load %sv[%c0, 0] {loc = #pto.loc<Vec>, layout = #pto.layout<ND>, valid = [%o0, 17]}
      : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
  // CHECK-NEXT: %t2 = pto.tile.add %t0, %t1 : tile<32x32xf32>
  %t2 = pto.tile.add %t0, %t1 : tile<32x32xf32>
  // CHECK-NEXT: %t3 = pto.tile.mul %t0, %t1 {valid = [%o1, 32]} : tile<32x32xf32>
  %t3 = pto.tile.mul %t0, %t1 {valid = [%o1, 32]} : tile<32x32xf32>
  // CHECK-NEXT: pto.tile.store %t1, %sv_out[%c0, %c0] : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
  pto.tile.store %t1, %sv_out[%c0, %c0]
      : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
  func.return
}

// CHECK: func.func @asynchronous(%sv0: !pto.memref<32x32xf32>, %sv1: !pto.memref<32x32xf32>, %sv2: !pto.memref<32x32xf32>, %e_prev: !pto.event<producer = #pto.op<TSTORE_VEC>, scope = #pto.scope<intra>, eid = 0>) {
func.func @asynchronous(%sv0: !pto.memref<32x32xf32>, %sv1: !pto.memref<32x32xf32>, %sv2: !pto.memref<32x32xf32>,
    %e_prev: !pto.event<producer = #pto.op<TSTORE_VEC>, scope = #pto.scope<intra>, eid = 0>) {
  %c0 = pto.constant 0 : index
  // CHECK: %t0, %e0 = pto.tile.load %sv0[%c0, %c0] wait(%e_prev) : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %t0, %e0 = pto.tile.load %sv0[%c0, %c0] wait(%e_prev)
      : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %t1, %e1 = pto.tile.load %sv1[%c0, %c0] wait(%e_prev)
      : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
  // CHECK: %t2, %e2 = pto.tile.add %t0, %t1 wait(%e0, %e1) : tile<32x32xf32>, !pto.event<producer = #pto.op<TADD>>
  %t2, %e2 = pto.tile.add %t0, %t1 wait(%e0, %e1)
      : tile<32x32xf32>, !pto.event<producer = #pto.op<TADD>>
  // CHECK-NEXT: %e3 = pto.tile.store %t2, %sv2[%c0, %c0] wait(%e2) : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  %e3 = pto.tile.store %t2, %sv2[%c0, %c0] wait(%e2)
      : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}

// CHECK: func.func @matrices
func.func @matrices(%mat: !pto.tile<16x16xf16>, %row: !pto.tile<1x16xf32>, %acc: !pto.tile<16x16xf32>, %v0: !pto.tile<16x16xf32>,
    %src: !pto.tile<64x64xf16, #pto.tile_info<loc=Mat, layout=Nz>>, %r0: index, %r1: index) {
  // CHECK: %left = pto.tile.mov.m2l %mat : tile<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
  %left  = pto.tile.mov.m2l %mat : tile<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
  // CHECK-NEXT: %right = pto.tile.mov.m2r %mat : tile<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>
  %right = pto.tile.mov.m2r %mat : tile<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>
  // CHECK-NEXT: %bias = pto.tile.mov.m2b %row : tile<1x16xf32> -> tile<1x16xf32, #pto.tile_info<loc=Bias, layout=ND>>
  %bias  = pto.tile.mov.m2b %row : tile<1x16xf32> -> tile<1x16xf32, #pto.tile_info<loc=Bias, layout=ND>>
  // CHECK-NEXT: %scale = pto.tile.mov.m2s %row : tile<1x16xf32> -> tile<1x16xf32>
  %scale = pto.tile.mov.m2s %row : tile<1x16xf32> -> tile<1x16xf32>
  // CHECK-NEXT: %vec = pto.tile.mov.a2v %acc : tile<16x16xf32> -> tile<16x16xf32>
  %vec   = pto.tile.mov.a2v %acc : tile<16x16xf32> -> tile<16x16xf32>
  // CHECK-NEXT: %v1 = pto.tile.mov.v2v %v0 : tile<16x16xf32> -> tile<16x16xf32>
  %v1    = pto.tile.mov.v2v %v0  : tile<16x16xf32> -> tile<16x16xf32>
  // CHECK-NEXT: %acc0 = pto.tile.matmul %left, %right : tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>, tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>> -> tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
  %acc0 = pto.tile.matmul %left, %right
      : tile<16x16xf16, #pto.tile_info<loc=Left,  layout=Zz>>,
        tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>
     -> tile<16x16xf32, #pto.tile_info<loc=Acc,   layout=Nz>>
  // CHECK-NEXT: %acc1 = pto.tile.matmul.acc %acc0, %left, %right : tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>, tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>, tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>> -> tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
  %acc1 = pto.tile.matmul.acc %acc0, %left, %right
      : tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>,
        tile<16x16xf16, #pto.tile_info<loc=Left,  layout=Zz>>,
        tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>
     -> tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
  // CHECK-NEXT: %acc2 = pto.tile.matmul.bias %left, %right, %bias : tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>, tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>, tile<1x16xf32, #pto.tile_info<loc=Bias, layout=ND>> -> tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
  %acc2 = pto.tile.matmul.bias %left, %right, %bias
      : tile<16x16xf16, #pto.tile_info<loc=Left,  layout=Zz>>,
        tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>,
        tile<1x16xf32, #pto.tile_info<loc=Bias, layout=ND>>
     -> tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
  func.return
}
}
