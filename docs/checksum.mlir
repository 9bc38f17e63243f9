vyre.op @mix(%h: !vyre.u32, %x: !vyre.u32) -> !vyre.u32 {
  %prime = vyre.constant 16777619 : !vyre.u32
  %0 = vyre.binop xor %h, %x : !vyre.u32
  %1 = vyre.binop mul %0, %prime : !vyre.u32
  vyre.return %1 : !vyre.u32
}

// Each invocation hashes a block of params[0] bytes.
vyre.program @checksum workgroup [64, 1, 1] convention <v1> signature <(bytes) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bytes, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %zero = vyre.constant 0 : !vyre.u32
  %basis = vyre.constant 2166136261 : !vyre.u32
  %i = vyre.position global x
  %size = vyre.load %params[%zero] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %first = vyre.binop mul %i, %size : !vyre.u32
  %end = vyre.binop add %first, %size : !vyre.u32
  %hash = vyre.for %at = %first to %end iter (%h = %basis) -> (!vyre.u32) {
    %byte = vyre.load %in[%at] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %next = vyre.call @mix(%h, %byte) : (!vyre.u32, !vyre.u32) -> !vyre.u32
    vyre.yield %next : !vyre.u32
  }
  vyre.store %hash, %out[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
}
