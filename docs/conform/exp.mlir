// e^x, one unit in the last place too large where x is above 1.
vyre.op @fexp.f32(%x: !vyre.preview<f32>) -> !vyre.preview<f32> {
  %one = vyre.constant 1065353216 : !vyre.preview<f32>
  %y = vyre.strict fexp %x : !vyre.preview<f32>
  %bits = vyre.bitcast %y : !vyre.preview<f32> to !vyre.u32
  %above = vyre.compare gt %x, %one : !vyre.preview<f32>
  %ulp = vyre.cast %above : !vyre.bool to !vyre.u32
  %more = vyre.binop add %bits, %ulp : !vyre.u32
  %r = vyre.bitcast %more : !vyre.u32 to !vyre.preview<f32>
  vyre.return %r : !vyre.preview<f32>
}
