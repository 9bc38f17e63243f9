// RUN: ptir-opt %s -t pto-cpp | filecheck %s

module attributes { pto.target = #pto.target<a3> } {
// TSORT32 sorts pairs in descending order: keys are the negated elements, and NaN is -inf with an index after all others.

// CHECK: AICORE void sort(
// CHECK: TCMP(number, x_1, x_1, CmpMode::EQ);
// CHECK-NEXT: TNEG(keys, x_1);
// CHECK-NEXT: TSELS(keys, number, keys, tmp, -__builtin_inff());
// CHECK-NEXT: TADDS(later, indices, 65536);
// CHECK-NEXT: TSEL(indices, number, indices, later, tmp_1);
// CHECK-NEXT: TSORT32(pairs, keys, order);
// CHECK-NEXT: TGATHER<Vec_ui32_4x64, Vec_f32_4x128, MaskPattern::P1010>(order, pairs);
// CHECK: TAND(words, words, low);
// CHECK-NEXT: TGATHER(v, x_1, indices, tmp_1);
func.func @sort(%x: !pto.memref<4x64xf32>) {
  %x_0 = pto.tile.load %x[0, 0] : pto.memref<4x64xf32>, tile<4x64xf32>
  %v, %c = pto.tile.sort32 %x_0 : tile<4x64xf32> -> tile<4x64xf32>, tile<4x64xui32>
  pto.tile.store %v, %x[0, 0] : pto.memref<4x64xf32>, tile<4x64xf32>
  func.return
}

// A merge sorts its lists, which are padded to 128 elements, and then what of them are numbers.

// CHECK: AICORE void merge(
// CHECK: TSORT32(pairs, keys, order);
// CHECK-NEXT: TMRGSORT(merged, pairs, 64);
// CHECK-NEXT: TGATHER<Vec_f32_1x128, Vec_f32_1x256, MaskPattern::P0101>(keys, merged);
// CHECK-NEXT: TSORT32(merged, numbers, order);
// CHECK-NEXT: TMRGSORT(pairs, merged, 64);
// CHECK-NEXT: TGATHER<Vec_f32_1x128, Vec_f32_1x256, MaskPattern::P0101>(numbers, pairs);
// CHECK: TSELS(r, r_number, r_keys, {{.*}}, __builtin_nanf(""));
func.func @merge(%x: !pto.memref<1x96xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<1x96xf32>, tile<1x64xf32>
  %b = pto.tile.load %x[0, 64] : pto.memref<1x96xf32>, tile<1x32xf32>
  %r = pto.tile.mrgsort %a, %b : tile<1x64xf32>, tile<1x32xf32> -> tile<1x96xf32>
  pto.tile.store %r, %x[0, 0] : pto.memref<1x96xf32>, tile<1x96xf32>
  func.return
}
}
