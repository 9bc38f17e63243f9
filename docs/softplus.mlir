// log(1 + e^x) of each number, the same bits on every backend.
vyre.program @softplus workgroup [64, 1, 1] {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %x = vyre.load %in[%i] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
  %e = vyre.strict fexp %x : !vyre.preview<f32>
  %y = vyre.strict flog1p %e : !vyre.preview<f32>
  vyre.store %y, %out[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}
