vyre.program @shift workgroup [8, 1, 1] {
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %one = vyre.constant 1 : !vyre.u32
  %next = vyre.binop add %i, %one : !vyre.u32
  %x = vyre.load %y[%i] : !vyre.buffer<u32, read_write> -> !vyre.u32
  vyre.store %x, %y[%next] : !vyre.u32, !vyre.buffer<u32, read_write>
}
