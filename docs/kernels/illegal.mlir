module attributes { pto.target = #pto.target<a3> } {
func.func @product(%x: !pto.memref<512x512xbf16>, %l: !pto.tile<128x64xf16, #pto.tile_info<loc=Left>>, %r: !pto.tile<64x512xf16, #pto.tile_info<loc=Right>>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<512x512xbf16>, tile<512x512xbf16>
  %1 = pto.tile.matmul %l, %r : tile<128x64xf16, #pto.tile_info<loc=Left>>, tile<64x512xf16, #pto.tile_info<loc=Right>> -> tile<128x512xf32, #pto.tile_info<loc=Acc>>
  func.return
}
}
