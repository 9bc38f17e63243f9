// Arrays: scans, sorting, reductions, matrices.

// The sums of the elements up to each one, of up to 128 elements, by one workgroup.
vyre.program @prefix_sum workgroup [128, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %sums = vyre.buffer "sums" count 128 : !vyre.buffer<u32, workgroup>
  %c0 = vyre.constant 0 : !vyre.u32
  %c7 = vyre.constant 7 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.position local x
  %1 = vyre.load %in[%0] : !vyre.buffer<u32, read_only> -> !vyre.u32
  vyre.store %1, %sums[%0] : !vyre.u32, !vyre.buffer<u32, workgroup>
  vyre.barrier
  vyre.for %k = %c0 to %c7 {
    %2 = vyre.binop shl %c1, %k : !vyre.u32
    %3 = vyre.compare ge %0, %2 : !vyre.u32
    %4 = vyre.binop sub %0, %2 : !vyre.u32
    %5 = vyre.load %sums[%4] : !vyre.buffer<u32, workgroup> -> !vyre.u32
    %6 = vyre.select %3, %5, %c0 : !vyre.u32
    %7 = vyre.load %sums[%0] : !vyre.buffer<u32, workgroup> -> !vyre.u32
    vyre.barrier
    %8 = vyre.binop add %7, %6 : !vyre.u32
    vyre.store %8, %sums[%0] : !vyre.u32, !vyre.buffer<u32, workgroup>
    vyre.barrier
  }
  %9 = vyre.load %sums[%0] : !vyre.buffer<u32, workgroup> -> !vyre.u32
  vyre.store %9, %out[%0] : !vyre.u32, !vyre.buffer<u32, read_write>
}

// The elements that are not 0, in order, of up to 128 elements, and after them their number, by one workgroup.
vyre.program @compact workgroup [128, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %sums = vyre.buffer "sums" count 128 : !vyre.buffer<u32, workgroup>
  %c0 = vyre.constant 0 : !vyre.u32
  %c7 = vyre.constant 7 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c127 = vyre.constant 127 : !vyre.u32
  %0 = vyre.position local x
  %1 = vyre.load %in[%0] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %2 = vyre.compare ne %1, %c0 : !vyre.u32
  %3 = vyre.cast %2 : !vyre.bool to !vyre.u32
  vyre.store %3, %sums[%0] : !vyre.u32, !vyre.buffer<u32, workgroup>
  vyre.barrier
  vyre.for %k = %c0 to %c7 {
    %4 = vyre.binop shl %c1, %k : !vyre.u32
    %5 = vyre.compare ge %0, %4 : !vyre.u32
    %6 = vyre.binop sub %0, %4 : !vyre.u32
    %7 = vyre.load %sums[%6] : !vyre.buffer<u32, workgroup> -> !vyre.u32
    %8 = vyre.select %5, %7, %c0 : !vyre.u32
    %9 = vyre.load %sums[%0] : !vyre.buffer<u32, workgroup> -> !vyre.u32
    vyre.barrier
    %10 = vyre.binop add %9, %8 : !vyre.u32
    vyre.store %10, %sums[%0] : !vyre.u32, !vyre.buffer<u32, workgroup>
    vyre.barrier
  }
  %11 = vyre.load %sums[%0] : !vyre.buffer<u32, workgroup> -> !vyre.u32
  vyre.if %2 {
    %12 = vyre.binop sub %11, %c1 : !vyre.u32
    vyre.store %1, %out[%12] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
  %13 = vyre.compare eq %0, %c127 : !vyre.u32
  vyre.if %13 {
    vyre.store %11, %out[%11] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
}

// Sorts 128 elements in ascending order, by one workgroup.
vyre.program @bitonic_sort workgroup [128, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %items = vyre.buffer "items" count 128 : !vyre.buffer<u32, workgroup>
  %c0 = vyre.constant 0 : !vyre.u32
  %c7 = vyre.constant 7 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.position local x
  %1 = vyre.load %in[%0] : !vyre.buffer<u32, read_only> -> !vyre.u32
  vyre.store %1, %items[%0] : !vyre.u32, !vyre.buffer<u32, workgroup>
  vyre.barrier
  vyre.for %k = %c0 to %c7 {
    %2 = vyre.binop add %k, %c1 : !vyre.u32
    vyre.for %k2 = %c0 to %2 {
      %3 = vyre.binop sub %k, %k2 : !vyre.u32
      %4 = vyre.binop shl %c1, %3 : !vyre.u32
      %5 = vyre.binop xor %0, %4 : !vyre.u32
      %6 = vyre.load %items[%0] : !vyre.buffer<u32, workgroup> -> !vyre.u32
      %7 = vyre.load %items[%5] : !vyre.buffer<u32, workgroup> -> !vyre.u32
      %8 = vyre.binop add %k, %c1 : !vyre.u32
      %9 = vyre.binop shr %0, %8 : !vyre.u32
      %10 = vyre.binop and %9, %c1 : !vyre.u32
      %11 = vyre.compare eq %10, %c0 : !vyre.u32
      vyre.barrier
      %12 = vyre.compare lt %0, %5 : !vyre.u32
      %13 = vyre.compare eq %12, %11 : !vyre.bool
      %14 = vyre.binop min %6, %7 : !vyre.u32
      %15 = vyre.binop max %6, %7 : !vyre.u32
      %16 = vyre.select %13, %14, %15 : !vyre.u32
      vyre.store %16, %items[%0] : !vyre.u32, !vyre.buffer<u32, workgroup>
      vyre.barrier
    }
  }
  %17 = vyre.load %items[%0] : !vyre.buffer<u32, workgroup> -> !vyre.u32
  vyre.store %17, %out[%0] : !vyre.u32, !vyre.buffer<u32, read_write>
}

// The sum of params[0] elements, added to the output.
vyre.program @reduce_sum workgroup [64, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.compare lt %0, %1 : !vyre.u32
  vyre.if %2 {
    %3 = vyre.load %in[%0] : !vyre.buffer<u32, read_only> -> !vyre.u32
    %4 = vyre.atomic add %out[%c0], %3 : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
  }
}

// The largest of params[0] elements and of the output.
vyre.program @reduce_max workgroup [64, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.compare lt %0, %1 : !vyre.u32
  vyre.if %2 {
    %3 = vyre.load %in[%0] : !vyre.buffer<u32, read_only> -> !vyre.u32
    %4 = vyre.atomic max %out[%c0], %3 : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
  }
}

// The params[0] elements in reverse order.
vyre.program @reverse workgroup [64, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.compare lt %0, %1 : !vyre.u32
  vyre.if %2 {
    %3 = vyre.binop sub %1, %c1 : !vyre.u32
    %4 = vyre.binop sub %3, %0 : !vyre.u32
    %5 = vyre.load %in[%4] : !vyre.buffer<u32, read_only> -> !vyre.u32
    vyre.store %5, %out[%0] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
}

// The transpose of a matrix of params[0] rows and params[1] columns.
vyre.program @transpose workgroup [64, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.load %params[%c1] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %3 = vyre.binop mul %1, %2 : !vyre.u32
  %4 = vyre.compare lt %0, %3 : !vyre.u32
  vyre.if %4 {
    %5 = vyre.binop rem %0, %1 : !vyre.u32
    %6 = vyre.binop mul %5, %2 : !vyre.u32
    %7 = vyre.binop div %0, %1 : !vyre.u32
    %8 = vyre.binop add %6, %7 : !vyre.u32
    %9 = vyre.load %in[%8] : !vyre.buffer<u32, read_only> -> !vyre.u32
    vyre.store %9, %out[%0] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
}

// The element of the table at each index; 0 where an index is out of bounds.
vyre.program @gather workgroup [64, 1, 1] convention <v2, lookup_binding = 3> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %table = vyre.buffer "table" binding 3 : !vyre.buffer<u32, read_only>
  %0 = vyre.position global x
  %1 = vyre.buf_len %in : !vyre.buffer<u32, read_only>
  %2 = vyre.compare lt %0, %1 : !vyre.u32
  vyre.if %2 {
    %3 = vyre.load %in[%0] : !vyre.buffer<u32, read_only> -> !vyre.u32
    %4 = vyre.load %table[%3] : !vyre.buffer<u32, read_only> -> !vyre.u32
    vyre.store %4, %out[%0] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
}

// The product of matrices of params[0] x params[1] and params[1] x params[2] elements, which are one after the other
// in the input, modulo 2 to the 32.
vyre.program @matmul workgroup [64, 1, 1] convention <v1> signature <(u32) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.load %params[%c1] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %3 = vyre.load %params[%c2] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %4 = vyre.binop div %0, %3 : !vyre.u32
  %5 = vyre.binop rem %0, %3 : !vyre.u32
  %6 = vyre.binop mul %1, %2 : !vyre.u32
  %7 = vyre.binop mul %1, %3 : !vyre.u32
  %8 = vyre.compare lt %0, %7 : !vyre.u32
  vyre.if %8 {
    %sum_out = vyre.for %k = %c0 to %2 iter (%sum = %c0) -> (!vyre.u32) {
      %9 = vyre.binop mul %4, %2 : !vyre.u32
      %10 = vyre.binop add %9, %k : !vyre.u32
      %11 = vyre.load %in[%10] : !vyre.buffer<u32, read_only> -> !vyre.u32
      %12 = vyre.binop mul %k, %3 : !vyre.u32
      %13 = vyre.binop add %6, %12 : !vyre.u32
      %14 = vyre.binop add %13, %5 : !vyre.u32
      %15 = vyre.load %in[%14] : !vyre.buffer<u32, read_only> -> !vyre.u32
      %16 = vyre.binop mul %11, %15 : !vyre.u32
      %17 = vyre.binop add %sum, %16 : !vyre.u32
      vyre.yield %17 : !vyre.u32
    }
    vyre.store %sum_out, %out[%0] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
}

// The sum of the products of two vectors of params[0] elements, one after the other in the input, modulo 2 to the 64.
vyre.program @dot workgroup [1, 1, 1] convention <v1> signature <(u32) -> u64> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u64, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %c0_u64 = vyre.constant 0 : !vyre.u64
  %0 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %sum_out = vyre.for %k = %c0 to %0 iter (%sum = %c0_u64) -> (!vyre.u64) {
    %1 = vyre.load %in[%k] : !vyre.buffer<u32, read_only> -> !vyre.u32
    %2 = vyre.cast %1 : !vyre.u32 to !vyre.u64
    %3 = vyre.binop add %0, %k : !vyre.u32
    %4 = vyre.load %in[%3] : !vyre.buffer<u32, read_only> -> !vyre.u32
    %5 = vyre.cast %4 : !vyre.u32 to !vyre.u64
    %6 = vyre.binop mul %2, %5 : !vyre.u64
    %7 = vyre.binop add %sum, %6 : !vyre.u64
    vyre.yield %7 : !vyre.u64
  }
  vyre.store %sum_out, %out[%c0] : !vyre.u64, !vyre.buffer<u64, read_write>
}
