module attributes {pto.target = #pto.target<sm80>} {
  func.func @softmax(%x: !pto.memref<16x64xf32>, %n: index, %y: !pto.memref<16x64xf32>) {
    %a = pto.tile.load %x[0, 0] {valid = [16, %n]} : pto.memref<16x64xf32>, tile<16x64xf32>
    %m = pto.tile.rowmax %a : tile<16x64xf32> -> tile<16x1xf32>
    %b = pto.tile.rowexpandsub %a, %m : tile<16x64xf32>, tile<16x1xf32>
    %e = pto.tile.exp %b : tile<16x64xf32>
    %s = pto.tile.rowsum %e : tile<16x64xf32> -> tile<16x1xf32>
    %p = pto.tile.rowexpanddiv %e, %s : tile<16x64xf32>, tile<16x1xf32>
    pto.tile.store %p, %y[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>
    func.return
  }
}
