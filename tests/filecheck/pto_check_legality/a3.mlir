// RUN: not ptir-opt %s -p 'pto-check-legality' 2>&1 | filecheck %s

// All rules of a3, each with its place. A program that breaks none is at the end.

module attributes { pto.target = #pto.target<a3> } {

// CHECK: error[PTIR0269]: !pto.tile<8xf32> must be a matrix of static sizes on a3
func.func @rank(%a: !pto.tile<8xf32>) { func.return }

// CHECK: error[PTIR0269]: !pto.tile<?x8xf32> must be a matrix of static sizes on a3
func.func @sizes(%a: !pto.tile<?x8xf32>) { func.return }

func.func @memories(%x: !pto.memref<512x512xf32>, %l: !pto.tile<512x512xf16, #pto.tile_info<loc=Mat>>, %a: !pto.tile<256x16xf16, #pto.tile_info<loc=Left>>, %b: !pto.tile<16x256xf16, #pto.tile_info<loc=Right>>) {
  // CHECK: error[PTIR0260]: !pto.tile<512x128xf32> takes 262,144 bytes, but Vec of a3 has 196,608
  %0 = pto.tile.load %x[0, 0] : pto.memref<512x512xf32>, tile<512x128xf32>
  // CHECK: error[PTIR0260]: !pto.tile<512x512xf32, #pto.tile_info<loc=Mat>> takes 1,048,576 bytes, but Mat of a3 has 524,288
  %1 = pto.tile.load %x[0, 0] : pto.memref<512x512xf32>, tile<512x512xf32, #pto.tile_info<loc=Mat>>
  // CHECK: error[PTIR0260]: !pto.tile<512x512xf16, #pto.tile_info<loc=Left>> takes 524,288 bytes, but Left of a3 has 65,536
  %2 = pto.tile.mov.m2l %l : tile<512x512xf16, #pto.tile_info<loc=Mat>> -> tile<512x512xf16, #pto.tile_info<loc=Left>>
  // CHECK: error[PTIR0260]: !pto.tile<512x512xf16, #pto.tile_info<loc=Right>> takes 524,288 bytes, but Right of a3 has 65,536
  %3 = pto.tile.mov.m2r %l : tile<512x512xf16, #pto.tile_info<loc=Mat>> -> tile<512x512xf16, #pto.tile_info<loc=Right>>
  // CHECK: error[PTIR0260]: !pto.tile<256x256xf32, #pto.tile_info<loc=Acc>> takes 262,144 bytes, but Acc of a3 has 131,072
  %4 = pto.tile.matmul %a, %b : tile<256x16xf16, #pto.tile_info<loc=Left>>, tile<16x256xf16, #pto.tile_info<loc=Right>> -> tile<256x256xf32, #pto.tile_info<loc=Acc>>
  func.return
}

func.func @alignment(%x: !pto.memref<64x64xf32>, %h: !pto.memref<64x64xf16>) {
  // CHECK: error[PTIR0261]: !pto.tile<16x10xf32> in layout ND must have a multiple of 1 rows and of 8 columns on a3
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<16x10xf32>
  // CHECK: error[PTIR0261]: !pto.tile<12x1xf32, #pto.tile_info<layout=DN>> in layout DN must have a multiple of 8 rows and of 1 columns on a3
  %1 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<12x1xf32, #pto.tile_info<layout=DN>>
  // CHECK: error[PTIR0261]: !pto.tile<24x16xf16, #pto.tile_info<loc=Mat>> in layout Nz must have a multiple of 16 rows and of 16 columns on a3
  %2 = pto.tile.load %h[0, 0] : pto.memref<64x64xf16>, tile<24x16xf16, #pto.tile_info<loc=Mat>>
  func.return
}

func.func @fractals(%m: !pto.tile<16x16xf32, #pto.tile_info<loc=Mat, layout=ND>>) {
  // CHECK: error[PTIR0262]: !pto.tile<16x16xf32, #pto.tile_info<loc=Left, layout=Nz>> has layout Nz, but a3 has only Zz in Left
  %0 = pto.tile.mov.m2l %m : tile<16x16xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<16x16xf32, #pto.tile_info<loc=Left, layout=Nz>>
  // CHECK: error[PTIR0262]: !pto.tile<16x16xf32, #pto.tile_info<loc=Right, layout=Zz>> has layout Zz, but a3 has only Zn in Right
  %1 = pto.tile.mov.m2r %m : tile<16x16xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<16x16xf32, #pto.tile_info<loc=Right, layout=Zz>>
  func.return
}

func.func @products(%a: !pto.tile<16x16xf8e5m2, #pto.tile_info<loc=Left>>, %b: !pto.tile<16x16xf8e5m2, #pto.tile_info<loc=Right>>, %l: !pto.tile<16x4096xf16, #pto.tile_info<loc=Left>>, %r: !pto.tile<4096x16xf16, #pto.tile_info<loc=Right>>) {
  // CHECK: error[PTIR0261]: !pto.tile<16x16xf8E5M2, #pto.tile_info<loc=Left>> in layout Zz
  // CHECK: error[PTIR0260]: !pto.tile<16x4096xf16, #pto.tile_info<loc=Left>> takes 131,072 bytes, but Left of a3 has 65,536
  // CHECK: error[PTIR0263]: a3 does not multiply f8E5M2 and f8E5M2 into f32
  %0 = pto.tile.matmul %a, %b : tile<16x16xf8e5m2, #pto.tile_info<loc=Left>>, tile<16x16xf8e5m2, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  // CHECK-NOT: PTIR0263
  // CHECK: error[PTIR0264]: k is 4096, but a matmul of a3 takes 1 to 4095
  %1 = pto.tile.matmul %l, %r : tile<16x4096xf16, #pto.tile_info<loc=Left>>, tile<4096x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  func.return
}

// A tile is reported for its elements and for its rows.
func.func @elements(%x: !pto.memref<16x6xf64>, %b: !pto.tile<16x16xbf16>) {
  // CHECK: error[PTIR0267]: !pto.tile<16x6xf64>: a3 has no vector tile of f64
  // CHECK: error[PTIR0261]: !pto.tile<16x6xf64> in layout ND must have a multiple of 1 rows and of 4 columns on a3
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x6xf64>, tile<16x6xf64>
  // CHECK: error[PTIR0267]: !pto.tile<16x16xbf16>: a3 has no 'pto.tile.exp' of bf16
  %1 = pto.tile.exp %b : tile<16x16xbf16>
  func.return
}

// Integers are found to be equal; a comparison with another mode would do the same.
func.func @comparisons(%a: !pto.tile<16x16xi32>, %b: i32) {
  // CHECK-NOT: EQ
  %0 = pto.tile.cmp %a, %a {cmpMode = #pto.cmp<EQ>} : tile<16x16xi32> -> tile<16x16xi1>
  // CHECK: error[PTIR0275]: !pto.tile<16x16xi32>: a3 finds equal numbers of i32 only, not LT
  %1 = pto.tile.cmp %a, %a {cmpMode = #pto.cmp<LT>} : tile<16x16xi32> -> tile<16x16xi1>
  // CHECK: error[PTIR0275]: !pto.tile<16x16xi32>: a3 finds equal numbers of i32 only, not NE
  %2 = pto.tile.cmps %a, %b {cmpMode = #pto.cmp<NE>} : tile<16x16xi32>, i32 -> tile<16x16xi1>
  func.return
}

func.func @transfers(%x: !pto.memref<64x64xf32>, %t: !pto.memref<64x64xf32, {layout = #pto.layout<DN>}>, %s: !pto.memref<16x16xf32, strided<[64, 2]>>, %l: !pto.tile<16x16xf32, #pto.tile_info<loc=Left>>) {
  // CHECK: error[PTIR0273]: 'loc' is #pto.loc<Mat> at this op, but not in the type of its tile
  // CHECK: help: run pto-infer-tile-info, which writes it there
  %0 = pto.tile.load %x[0, 0] {loc = #pto.loc<Mat>} : pto.memref<64x64xf32>, tile<16x16xf32>
  // CHECK: error[PTIR0272]: a3 does not load !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
  // CHECK: help: it loads only tiles in Vec, Mat; pto.tile.mov moves tiles between memories
  %1 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<16x16xf32, #pto.tile_info<loc=Acc>>
  // CHECK: error[PTIR0272]: a3 does not store !pto.tile<16x16xf32, #pto.tile_info<loc=Left>>
  pto.tile.store %l, %x[0, 0] : pto.memref<64x64xf32>, tile<16x16xf32, #pto.tile_info<loc=Left>>
  // CHECK: error[PTIR0272]: a3 does not load !pto.tile<16x16xf32> in layout ND, as adjacent columns of the array are 64 elements apart
  // CHECK: help: give the tile layout DN
  %2 = pto.tile.load %t[0, 0] : pto.memref<64x64xf32, {layout = #pto.layout<DN>}>, tile<16x16xf32>
  // CHECK: error[PTIR0272]: a3 does not load !pto.tile<16x16xf32, #pto.tile_info<loc=Mat>> in layout Nz, as adjacent columns of the array are 64
  // CHECK: help: give the tile layout Zn
  %3 = pto.tile.load %t[0, 0] : pto.memref<64x64xf32, {layout = #pto.layout<DN>}>, tile<16x16xf32, #pto.tile_info<loc=Mat>>
  // CHECK: error[PTIR0272]: a3 does not load !pto.tile<16x1xf32, #pto.tile_info<layout=DN>> in layout DN, as adjacent rows of the array are 64
  // CHECK: help: copy the array first, so that the elements of an axis are contiguous
  %4 = pto.tile.load %s[0, 0] : pto.memref<16x16xf32, strided<[64, 2]>>, tile<16x1xf32, #pto.tile_info<layout=DN>>
  // CHECK-NOT: PTIR0272
  %5 = pto.tile.load %t[0, 0] : pto.memref<64x64xf32, {layout = #pto.layout<DN>}>, tile<16x16xf32, #pto.tile_info<loc=Mat, layout=Zn>>
  %6 = pto.tile.load %t[0, 0] : pto.memref<64x64xf32, {layout = #pto.layout<DN>}>, tile<16x1xf32, #pto.tile_info<layout=DN>>
  pto.tile.store %6, %x[0, 0] : pto.memref<64x64xf32>, tile<16x1xf32, #pto.tile_info<layout=DN>>
  func.return
}

func.func @rows(%x: !pto.memref<5000x8xf32>) {
  // CHECK: error[PTIR0265]: loads 4,096 rows into Vec, but a3 loads at most 4,095 at a time
  %0 = pto.tile.load %x[0, 0] : pto.memref<5000x8xf32>, tile<4096x8xf32>
  // CHECK-NOT: PTIR0265
  %1 = pto.tile.load %x[0, 0] {valid = [4095, 8]} : pto.memref<5000x8xf32>, tile<4096x8xf32>
  func.return
}

func.func @addresses(%x: !pto.memref<64x64xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<64x64xf32>
  // CHECK: error[PTIR0270]: !pto.tile<64x64xf32> at address 184,320 ends at 200,704, but Vec of a3 has 196,608 bytes
  %1 = pto.tile.assign %0 at [184320] : tile<64x64xf32>
  // CHECK: error[PTIR0271]: address 40 is no multiple of 32 bytes
  %2 = pto.tile.assign %0 at [40] : tile<64x64xf32>
  func.return
}

func.func @constants(%x: !pto.memref<16x32xf32>) {
  %c0 = pto.constant 0 : index
  %c32 = pto.constant 32 : index
  %c33 = pto.constant 33 : index
  %t = pto.tile.load %x[0, 0] {valid = [16, %c32]} : pto.memref<16x32xf32>, tile<16x32xf32>
  // CHECK: error[PTIR0101]: 'valid' is 33
  %u = pto.tile.load %x[0, 0] {valid = [16, %c33]} : pto.memref<16x32xf32>, tile<16x32xf32>
  // CHECK: error[PTIR0101]: 'valid' is 0
  %v = pto.tile.load %x[0, 0] {valid = [%c0, 32]} : pto.memref<16x32xf32>, tile<16x32xf32>
  func.return
}

func.func @unwritten(%a: !pto.tile<16x16xf32>) {
  %l = pto.tile.mov.m2l %a : tile<16x16xf32> -> tile<16x16xf32>
  %r = pto.tile.mov.m2r %a : tile<16x16xf32> -> tile<16x16xf32>
  %p = pto.tile.matmul %l, %r : tile<16x16xf32>, tile<16x16xf32> -> tile<16x16xf32>
  func.return
}

func.func @in_place(%x: !pto.memref<16x16xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %a = pto.tile.assign %t at [0] : tile<16x16xf32>
  // CHECK: error[PTIR0274]: 'pto.tile.recip' reads !pto.tile<16x16xf32> after it has begun to write !pto.tile<16x16xf32>; both are at address 0 of Vec
  // CHECK: help: give the two tiles addresses of their own, or run pto-bufferize
  %r = pto.tile.recip %a : tile<16x16xf32>
  %b = pto.tile.assign %r at [0] : tile<16x16xf32>
  // CHECK: error[PTIR0274]: 'pto.tile.trans' reads {{.*}}; both are at address 512 of Vec
  %s = pto.tile.trans %b : tile<16x16xf32> -> tile<16x16xf32>
  %c = pto.tile.assign %s at [512] : tile<16x16xf32>
  %u = pto.tile.exp %c : tile<16x16xf32>
  %d = pto.tile.assign %u at [512] : tile<16x16xf32>
  %v = pto.tile.trans %d : tile<16x16xf32> -> tile<16x16xf32>
  %e = pto.tile.assign %v at [2048] : tile<16x16xf32>
  pto.tile.store %e, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

func.func @ops(%v: !pto.tile<16x16xf32>, %d: index) {
  // CHECK: error[PTIR0266]: a3 has no 'pto.tile.erf'
  %0 = pto.tile.erf %v : tile<16x16xf32>
  // CHECK: error[PTIR0266]: a3 has no 'pto.tile.mov.v2l'
  %1 = pto.tile.mov.v2l %v : tile<16x16xf32> -> tile<16x16xf32, #pto.tile_info<loc=Left>>
  // CHECK: error[PTIR0268]: 'pto.tile.add' has tiles of which some know the valid rows statically (16), and others do not
  %3 = pto.tile.add %v, %v {valid = [%d, 16]} : tile<16x16xf32>
  // CHECK: error[PTIR0267]: !pto.tile<16x16xf64>: a3 has no vector tile of f64
  %5 = pto.tile.cvt %v : tile<16x16xf32> -> tile<16x16xf64>
  %i = pto.tile.cvt %v : tile<16x16xf32> -> tile<16x16xi32>
  // CHECK: error[PTIR0267]: !pto.tile<16x16xi32>: a3 has no 'pto.tile.rowmax' of i32
  %8 = pto.tile.rowmax %i : tile<16x16xi32> -> tile<16x1xi32, #pto.tile_info<layout=DN>>
  // CHECK: error[PTIR0267]: !pto.tile<16x16xi16>: a3 has no 'pto.tile.cmp' of i16
  // CHECK: help: convert the elements first; legal types: f16, f32, i32
  %j = pto.tile.cvt %v : tile<16x16xf32> -> tile<16x16xi16>
  %10 = pto.tile.cmp %j, %j {cmpMode = #pto.cmp<EQ>} : tile<16x16xi16> -> tile<16x16xi1>
  // CHECK: error[PTIR0267]: !pto.tile<16x16xbf16>: a3 has no 'pto.tile.sqrt' of bf16
  %k = pto.tile.cvt %v : tile<16x16xf32> -> tile<16x16xbf16>
  %11 = pto.tile.sqrt %k : tile<16x16xbf16>
  // CHECK-NOT: error
  %12 = pto.tile.colmax %i : tile<16x16xi32> -> tile<1x16xi32>
  %9 = pto.tile.rowmax %v : tile<16x16xf32> -> tile<16x1xf32, #pto.tile_info<layout=DN>>
  %6 = pto.tile.add %v, %v : tile<16x16xf32>
  %7 = pto.tile.exp %6 : tile<16x16xf32>
  func.return
}
}
