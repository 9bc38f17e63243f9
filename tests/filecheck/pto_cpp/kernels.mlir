// RUN: ptir-opt %s -t pto-cpp | filecheck %s --strict-whitespace
// RUN: ptir-opt %s -p 'pto-bufferize,pto-insert-events' -t pto-cpp | filecheck %s --check-prefix=EVENTS

// A program without events runs in its order: a flag wherever the pipe changes.

// CHECK: #include <pto/pto-inst.hpp>
// CHECK: using namespace pto;
// CHECK: AICORE void exponentials(__gm__ float *x, __gm__ float *y, int64_t n) {
// CHECK-NEXT:   using Vec_f32_16x64_valid_16xn = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, -1>;
// CHECK-NEXT:   using Gm_x = GlobalTensor<float, Shape<1, 1, 1, 16, -1>, Stride<1024, 1024, 1024, 64, 1>, Layout::ND>;
// CHECK-NEXT:   using Vec_f32_16x1_DN = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1>;
// CHECK-EMPTY:
// CHECK-NEXT:   for (int64_t i = 0; i < 64; i += 16) {
// CHECK-NEXT:     // MTE2: global memory to tiles
// CHECK-NEXT:     Vec_f32_16x64_valid_16xn a(n); TASSIGN(a, 0x0);
// CHECK-NEXT:     Gm_x x_tile(x + i * 64, Shape<1, 1, 1, 16, -1>(n));
// CHECK-NEXT:     TLOAD(a, x_tile);
// CHECK-NEXT:     // V: vectors
// CHECK-NEXT:     Vec_f32_16x1_DN max; TASSIGN(max, 0x1000);
// CHECK-NEXT:     Vec_f32_16x64_valid_16xn tmp(n); TASSIGN(tmp, 0x2f000);
// CHECK-NEXT:     set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK-NEXT:     wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK-NEXT:     TROWMAX(max, a, tmp);
// CHECK-NEXT:     Vec_f32_16x64_valid_16xn d(n); TASSIGN(d, 0x1200);
// CHECK-NEXT:     TROWEXPANDSUB(d, a, max);
// CHECK-NEXT:     Vec_f32_16x64_valid_16xn e(n); TASSIGN(e, 0x2200);
// CHECK-NEXT:     TEXP(e, d);
// CHECK-NEXT:     // MTE3: vector tiles to global memory
// CHECK-NEXT:     Gm_x y_tile(y + i * 64, Shape<1, 1, 1, 16, -1>(n));
// CHECK-NEXT:     set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
// CHECK-NEXT:     wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
// CHECK-NEXT:     TSTORE(y_tile, e);
// CHECK-NEXT:     set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
// CHECK-NEXT:     wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
// CHECK-NEXT:   }
// CHECK-NEXT: }

// Events that the loop carries are set before it, in each iteration, and waited for after it.

// EVENTS: AICORE void exponentials(
// EVENTS: set_flag(PIPE_V, PIPE_MTE2, EVENT_ID{{.}});
// EVENTS: for (int64_t i = 0; i < 64; i += 16) {
// EVENTS: wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID{{.}});
// EVENTS-NEXT: TLOAD(a, x_tile);
// EVENTS-NEXT: set_flag(PIPE_MTE2, PIPE_V, EVENT_ID{{.}});
// EVENTS: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID{{.}});
// EVENTS-NEXT: TROWMAX(max, a, tmp);
// EVENTS: TROWEXPANDSUB(d, a, max);
// EVENTS-NEXT: set_flag(PIPE_V, PIPE_MTE2, EVENT_ID{{.}});
// EVENTS: }
// EVENTS: wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID{{.}});
module attributes { pto.target = #pto.target<a3> } {
func.func @exponentials(%x: !pto.memref<64x64xf32>, %y: !pto.memref<64x64xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c16 = pto.constant 16 : index
  %c64 = pto.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    %sv = pto.memref.subview %x[%i, 0] [16, 64] [1, 1] : pto.memref<64x64xf32> to pto.memref<16x64xf32, strided<[64, 1], offset: ?>>
    %a = pto.tile.load %sv[0, 0] {valid = [16, %n]} : pto.memref<16x64xf32, strided<[64, 1], offset: ?>>, tile<16x64xf32>
    %max = pto.tile.rowmax %a : tile<16x64xf32> -> tile<16x1xf32, #pto.tile_info<layout=DN>>
    %d = pto.tile.rowexpandsub %a, %max : tile<16x64xf32>, tile<16x1xf32, #pto.tile_info<layout=DN>>
    %e = pto.tile.exp %d : tile<16x64xf32>
    pto.tile.store %e, %y[%i, 0] {valid = [16, %n]} : pto.memref<64x64xf32>, tile<16x64xf32>
  }
  func.return
}

// The accumulator that a loop carries is one variable. An event without an id gets one; the pipe that waits follows from the op that waits.

// CHECK: AICORE void product(__gm__ half *x, __gm__ half *w, __gm__ float *y) {
// CHECK: using [[MAT:.*]] = Tile<TileType::Mat, half, 32, 16, BLayout::ColMajor, 32, 16, SLayout::RowMajor, 512>;
// CHECK: TileLeft<half, 32, 16>;
// CHECK: TileRight<half, 16, 32>;
// CHECK: TileAcc<float, 32, 32>;
// CHECK: TLOAD(a, x_tile);
// CHECK-NEXT: set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
// CHECK: wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
// CHECK-NEXT: TMOV(l, a);
// CHECK: TMOV(r, b);
// CHECK: TMATMUL(acc, l, r);
// CHECK: for (int64_t k = 1; k < 3; k += 1) {
// CHECK: TMATMUL_ACC(acc, acc, l, r);
// CHECK: TMOV(v, acc);
func.func @product(%x: !pto.memref<32x16xf16>, %w: !pto.memref<16x32xf16>, %y: !pto.memref<32x32xf32>) {
  %a, %e0 = pto.tile.load %x[0, 0] : pto.memref<32x16xf16>, tile<32x16xf16, #pto.tile_info<loc=Mat>>, !pto.event<producer = #pto.op<TLOAD>>
  %b, %e1 = pto.tile.load %w[0, 0] : pto.memref<16x32xf16>, tile<16x32xf16, #pto.tile_info<loc=Mat>>, !pto.event<producer = #pto.op<TLOAD>>
  %l, %e2 = pto.tile.mov.m2l %a wait(%e0) : tile<32x16xf16, #pto.tile_info<loc=Mat>> -> tile<32x16xf16, #pto.tile_info<loc=Left>>, !pto.event<producer = #pto.op<TMOV_M2L>>
  %r, %e3 = pto.tile.mov.m2r %b wait(%e1) : tile<16x32xf16, #pto.tile_info<loc=Mat>> -> tile<16x32xf16, #pto.tile_info<loc=Right>>, !pto.event<producer = #pto.op<TMOV_M2R>>
  %acc, %e4 = pto.tile.matmul %l, %r wait(%e2, %e3) : tile<32x16xf16, #pto.tile_info<loc=Left>>, tile<16x32xf16, #pto.tile_info<loc=Right>> -> tile<32x32xf32, #pto.tile_info<loc=Acc>>, !pto.event<producer = #pto.op<TMATMUL>>
  %c1 = pto.constant 1 : index
  %c3 = pto.constant 3 : index
  %sum, %e6 = scf.for %k = %c1 to %c3 step %c1 iter_args(%s = %acc, %e = %e4) -> (!pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>, !pto.event<producer = #pto.op<TMATMUL>>) {
    %t = pto.tile.matmul.acc %s, %l, %r : tile<32x32xf32, #pto.tile_info<loc=Acc>>, tile<32x16xf16, #pto.tile_info<loc=Left>>, tile<16x32xf16, #pto.tile_info<loc=Right>> -> tile<32x32xf32, #pto.tile_info<loc=Acc>>
    scf.yield %t, %e : !pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>, !pto.event<producer = #pto.op<TMATMUL>>
  }
  %v, %e7 = pto.tile.mov.a2v %sum wait(%e6) : tile<32x32xf32, #pto.tile_info<loc=Acc>> -> tile<32x32xf32>, !pto.event<producer = #pto.op<TMOV_A2V>>
  %e8 = pto.tile.store %v, %y[0, 0] wait(%e7) : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}

// Temporaries, modes and scalars.

// CHECK: AICORE void words(__gm__ float *x, __gm__ half *y, float s) {
// CHECK: TCMPS(m, a, s, CmpMode::GT);
// CHECK: TSEL(c, m, a, b, tmp);
// CHECK: TNEG(d, c);
// CHECK-NEXT: TADDS(d, d, 1.0f);
// CHECK: TTRANS(t, d, tmp_1);
// CHECK: TADD(u, t, a);
// CHECK: TCVT(h, u, RoundMode::CAST_RINT);
func.func @words(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf16>, %s: f32) {
  %a = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %b = pto.tile.adds %a, %s : tile<32x32xf32>, f32
  %m = pto.tile.cmps %a, %s {cmpMode = #pto.cmp<GT>} : tile<32x32xf32>, f32 -> tile<32x32xi1>
  %c = pto.tile.sel %m, %a, %b : tile<32x32xi1>, tile<32x32xf32>
  %one = pto.constant 1.0 : f32
  %d = pto.tile.subs %one, %c : f32, tile<32x32xf32>
  %t = pto.tile.trans %d : tile<32x32xf32> -> tile<32x32xf32>
  %u = pto.tile.add %t, %a : tile<32x32xf32>
  %h = pto.tile.cvt %u : tile<32x32xf32> -> tile<32x32xf16>
  pto.tile.store %h, %y[0, 0] : pto.memref<32x32xf16>, tile<32x32xf16>
  func.return
}

// Sequences, parts of tiles, and tables.

// CHECK: AICORE void others(__gm__ float *x, __gm__ float *y, int32_t s) {
// CHECK: TCI<Vec_i32_1x32, int32_t, 1>(i, s);
// CHECK: TINSERT(b, a, m, 8);
// CHECK: TMOV(scale, row);
// CHECK: TMOV(bias, row);
// CHECK: TMOV(copy, b);
// CHECK: TSTORE(y_tile, acc);
func.func @others(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf32>, %s: i32) {
  %i = pto.tile.ci %s {descending} : i32 -> tile<1x32xi32>
  %n = pto.constant 4 : index
  %m = pto.muli %n, %n : index
  %a = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<8x8xf32>
  %b = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %c = pto.tile.insert %a, %b[%m, 8] : tile<8x8xf32>, tile<32x32xf32>
  %mat = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32, #pto.tile_info<loc=Mat>>
  %row = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<1x32xf32, #pto.tile_info<loc=Mat, layout=ND>>
  %scale = pto.tile.mov.m2s %row : tile<1x32xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<1x32xf32, #pto.tile_info<loc=Scale>>
  %bias = pto.tile.mov.m2b %row : tile<1x32xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<1x32xf32, #pto.tile_info<loc=Bias>>
  %copy = pto.tile.mov.v2v %c : tile<32x32xf32> -> tile<32x32xf32>
  %l = pto.tile.mov.m2l %mat : tile<32x32xf32, #pto.tile_info<loc=Mat>> -> tile<32x32xf32, #pto.tile_info<loc=Left>>
  %r = pto.tile.mov.m2r %mat : tile<32x32xf32, #pto.tile_info<loc=Mat>> -> tile<32x32xf32, #pto.tile_info<loc=Right>>
  %acc = pto.tile.matmul %l, %r : tile<32x32xf32, #pto.tile_info<loc=Left>>, tile<32x32xf32, #pto.tile_info<loc=Right>> -> tile<32x32xf32, #pto.tile_info<loc=Acc>>
  pto.tile.store %acc, %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32, #pto.tile_info<loc=Acc>>
  func.return
}
// The result of a partial op is valid where one of the operands is.

// CHECK: AICORE void partly(
// CHECK: Vec_f32_16x32_valid_8x32 sum; TASSIGN
// CHECK: TPARTADD(sum, left, right);
func.func @partly(%x: !pto.memref<16x32xf32>, %y: !pto.memref<16x32xf32>) {
  %left = pto.tile.load %x[0, 0] {valid = [8, 32]} : pto.memref<16x32xf32>, tile<16x32xf32>
  %right = pto.tile.load %x[0, 0] {valid = [4, 32]} : pto.memref<16x32xf32>, tile<16x32xf32>
  %sum = pto.tile.partadd %left, %right : tile<16x32xf32>
  pto.tile.store %sum, %y[0, 0] : pto.memref<16x32xf32>, tile<16x32xf32>
  func.return
}

// A mask has a bit for each predicate. What it selects has whole rows; the other elements lie outside of the valid region.

// CHECK: AICORE void masks(
// CHECK: using Vec_mask_16x64 = Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 16, 8>;
// CHECK: TCMPS(m, a, 0.5f, CmpMode::GT);
// CHECK: TNOT(n, m);
// CHECK: Vec_f32_16x64_valid_16xn b(k); TASSIGN(b, [[B:0x[0-9a-f]+]]);
// CHECK-NEXT: Vec_f32_16x64 b_all; TASSIGN(b_all, [[B]]);
// CHECK-NEXT: Vec_f32_16x64 a_all; TASSIGN(a_all, 0x0);
// CHECK: TSELS(b_all, n, a_all, tmp, 0.5f);
// CHECK: TEXPANDS(all, 0xff);
func.func @masks(%x: !pto.memref<16x64xf32>, %k: index) {
  %half = pto.constant 0.5 : f32
  %a = pto.tile.load %x[0, 0] {valid = [16, %k]} : pto.memref<16x64xf32>, tile<16x64xf32>
  %m = pto.tile.cmps %a, %half {cmpMode = #pto.cmp<GT>} : tile<16x64xf32>, f32 -> tile<16x64xi1>
  %n = pto.tile.not %m : tile<16x64xi1>
  %b = pto.tile.sels %n, %a, %half : tile<16x64xi1>, tile<16x64xf32>, f32
  pto.tile.store %b, %x[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>
  %all = pto.tile.expands true : tile<16x64xi1>
  func.return
}

// Pointwise instructions take row-major tiles: a column is the row of its transpose, and a mask of it as well.

// CHECK: AICORE void columns(
// CHECK: TROWSUM(r, a, tmp);
// CHECK: Vec_f32_16x1_DN q; TASSIGN(q, [[Q:0x[0-9a-f]+]]);
// CHECK-NEXT: Vec_f32_1x16 q_rows; TASSIGN(q_rows, [[Q]]);
// CHECK-NEXT: Vec_f32_1x16 r_rows;
// CHECK-NEXT: TMULS(q_rows, r_rows, 2.0f);
// CHECK: TCMP(m_rows, q_rows, r_rows, CmpMode::LT);
// CHECK: TSEL(s_rows, m_rows, q_rows, r_rows, tmp_1);
// CHECK: TROWEXPANDMUL(d, a, s);
func.func @columns(%x: !pto.memref<16x64xf32>) {
  %two = pto.constant 2.0 : f32
  %a = pto.tile.load %x[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>
  %r = pto.tile.rowsum %a : tile<16x64xf32> -> tile<16x1xf32, #pto.tile_info<layout=DN>>
  %q = pto.tile.muls %r, %two : tile<16x1xf32, #pto.tile_info<layout=DN>>, f32
  %m = pto.tile.cmp %q, %r {cmpMode = #pto.cmp<LT>} : tile<16x1xf32, #pto.tile_info<layout=DN>> -> tile<16x1xi1, #pto.tile_info<layout=DN>>
  %s = pto.tile.sel %m, %q, %r : tile<16x1xi1, #pto.tile_info<layout=DN>>, tile<16x1xf32, #pto.tile_info<layout=DN>>
  %d = pto.tile.rowexpandmul %a, %s : tile<16x64xf32>, tile<16x1xf32, #pto.tile_info<layout=DN>>
  pto.tile.store %d, %x[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>
  func.return
}

// A reshape copies the operand, seen as a tile of the result's type. A float without a mode truncates to an integer. Without a form in the
// library, a scalar minus a tile is two calls; the remainder has the sign of the dividend. No variable is named like an instruction. A broadcast
// of a column to a column is a pointwise op.

// CHECK: AICORE void forms(
// CHECK: TLOAD(tTLOAD, x_tile);
// CHECK: TLOAD(a, x_tile_1);
// CHECK: Vec_f32_1x256 a_view; TASSIGN(a_view, 0x400);
// CHECK-NEXT: TMOV(r, a_view);
// CHECK: Vec_i32_16x16 a_view_1; TASSIGN(a_view_1, 0x400);
// CHECK-NEXT: TMOV(b, a_view_1);
// CHECK: TCVT(i, a, RoundMode::CAST_TRUNC);
// CHECK: TFMOD(m, i, b);
// CHECK: TXOR(o, m, b, tmp);
// CHECK: TNEG(n, a);
// CHECK-NEXT: TADDS(n, n, 1.0f);
// CHECK: TSUB(d_rows, c_rows, c_rows);
// CHECK: TMOV(e_rows, d_rows);
// CHECK: pipe_barrier(PIPE_V);
func.func @forms(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xi32>) {
  %one = pto.constant 1.0 : f32
  %TLOAD = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %r = pto.tile.reshape %a : tile<16x16xf32> -> tile<1x256xf32>
  %b = pto.tile.bitcast %a : tile<16x16xf32> -> tile<16x16xi32>
  %i = pto.tile.cvt %a : tile<16x16xf32> -> tile<16x16xi32>
  %m = pto.tile.rem %i, %b : tile<16x16xi32>
  %o = pto.tile.xor %m, %b : tile<16x16xi32>
  %n = pto.tile.subs %one, %a : f32, tile<16x16xf32>
  %c = pto.tile.rowmax %a : tile<16x16xf32> -> tile<16x1xf32, #pto.tile_info<layout=DN>>
  %d = pto.tile.rowexpandsub %c, %c : tile<16x1xf32, #pto.tile_info<layout=DN>>, tile<16x1xf32, #pto.tile_info<layout=DN>>
  %e = pto.tile.rowexpand %d : tile<16x1xf32, #pto.tile_info<layout=DN>> -> tile<16x1xf32, #pto.tile_info<layout=DN>>
  pto.sync.op #pto.op<TADD>
  pto.tile.store %o, %y[0, 0] : pto.memref<16x16xi32>, tile<16x16xi32>
  func.return
}
}
