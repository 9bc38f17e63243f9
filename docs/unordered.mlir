func.func @scale(%x: !pto.memref<16x64xf32>, %y: !pto.memref<16x64xf32>) {
  %c = pto.constant 2.0 : f32
  %a, %loaded = pto.tile.load %x[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %b, %scaled = pto.tile.muls %a, %c : tile<16x64xf32>, f32, !pto.event<producer = #pto.op<TMULS>>
  %stored = pto.tile.store %b, %y[0, 0] wait(%scaled) : pto.memref<16x64xf32>, tile<16x64xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}
