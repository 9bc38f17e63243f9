// Bits of words.

// The number of bits that are set.
vyre.op @popcount(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %cx55555555 = vyre.constant 1431655765 : !vyre.u32
  %cx33333333 = vyre.constant 858993459 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c4 = vyre.constant 4 : !vyre.u32
  %cxf0f0f0f = vyre.constant 252645135 : !vyre.u32
  %cx1010101 = vyre.constant 16843009 : !vyre.u32
  %c24 = vyre.constant 24 : !vyre.u32
  %0 = vyre.binop shr %x, %c1 : !vyre.u32
  %1 = vyre.binop and %0, %cx55555555 : !vyre.u32
  %2 = vyre.binop sub %x, %1 : !vyre.u32
  %3 = vyre.binop and %2, %cx33333333 : !vyre.u32
  %4 = vyre.binop shr %2, %c2 : !vyre.u32
  %5 = vyre.binop and %4, %cx33333333 : !vyre.u32
  %6 = vyre.binop add %3, %5 : !vyre.u32
  %7 = vyre.binop shr %6, %c4 : !vyre.u32
  %8 = vyre.binop add %6, %7 : !vyre.u32
  %9 = vyre.binop and %8, %cxf0f0f0f : !vyre.u32
  %10 = vyre.binop mul %9, %cx1010101 : !vyre.u32
  %11 = vyre.binop shr %10, %c24 : !vyre.u32
  vyre.return %11 : !vyre.u32
}

// The number of leading zeros; 32 for 0.
vyre.op @clz(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c4 = vyre.constant 4 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %0 = vyre.binop shr %x, %c1 : !vyre.u32
  %1 = vyre.binop or %x, %0 : !vyre.u32
  %2 = vyre.binop shr %1, %c2 : !vyre.u32
  %3 = vyre.binop or %1, %2 : !vyre.u32
  %4 = vyre.binop shr %3, %c4 : !vyre.u32
  %5 = vyre.binop or %3, %4 : !vyre.u32
  %6 = vyre.binop shr %5, %c8 : !vyre.u32
  %7 = vyre.binop or %5, %6 : !vyre.u32
  %8 = vyre.binop shr %7, %c16 : !vyre.u32
  %9 = vyre.binop or %7, %8 : !vyre.u32
  %10 = vyre.unop not %9 : !vyre.u32
  %11 = vyre.call @popcount(%10) : (!vyre.u32) -> !vyre.u32
  vyre.return %11 : !vyre.u32
}

// The number of trailing zeros; 32 for 0.
vyre.op @ctz(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.binop sub %x, %c1 : !vyre.u32
  %1 = vyre.unop not %x : !vyre.u32
  %2 = vyre.binop and %0, %1 : !vyre.u32
  %3 = vyre.call @popcount(%2) : (!vyre.u32) -> !vyre.u32
  vyre.return %3 : !vyre.u32
}

// Rotates to the left by an amount modulo 32.
vyre.op @rotl(%x: !vyre.u32, %by: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.binop shl %x, %by : !vyre.u32
  %1 = vyre.unop neg %by : !vyre.u32
  %2 = vyre.binop shr %x, %1 : !vyre.u32
  %3 = vyre.binop or %0, %2 : !vyre.u32
  vyre.return %3 : !vyre.u32
}

// Rotates to the right by an amount modulo 32.
vyre.op @rotr(%x: !vyre.u32, %by: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.binop shr %x, %by : !vyre.u32
  %1 = vyre.unop neg %by : !vyre.u32
  %2 = vyre.binop shl %x, %1 : !vyre.u32
  %3 = vyre.binop or %0, %2 : !vyre.u32
  vyre.return %3 : !vyre.u32
}

// Reverses the order of the bytes.
vyre.op @byte_swap(%x: !vyre.u32) -> !vyre.u32 {
  %c24 = vyre.constant 24 : !vyre.u32
  %c65280 = vyre.constant 65280 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %0 = vyre.binop shl %x, %c24 : !vyre.u32
  %1 = vyre.binop and %x, %c65280 : !vyre.u32
  %2 = vyre.binop shl %1, %c8 : !vyre.u32
  %3 = vyre.binop or %0, %2 : !vyre.u32
  %4 = vyre.binop shr %x, %c8 : !vyre.u32
  %5 = vyre.binop and %4, %c65280 : !vyre.u32
  %6 = vyre.binop shr %x, %c24 : !vyre.u32
  %7 = vyre.binop or %5, %6 : !vyre.u32
  %8 = vyre.binop or %3, %7 : !vyre.u32
  vyre.return %8 : !vyre.u32
}

// Reverses the order of the bits.
vyre.op @reverse_bits(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %cx55555555 = vyre.constant 1431655765 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %cx33333333 = vyre.constant 858993459 : !vyre.u32
  %c4 = vyre.constant 4 : !vyre.u32
  %cxf0f0f0f = vyre.constant 252645135 : !vyre.u32
  %0 = vyre.binop shr %x, %c1 : !vyre.u32
  %1 = vyre.binop and %0, %cx55555555 : !vyre.u32
  %2 = vyre.binop and %x, %cx55555555 : !vyre.u32
  %3 = vyre.binop shl %2, %c1 : !vyre.u32
  %4 = vyre.binop or %1, %3 : !vyre.u32
  %5 = vyre.binop shr %4, %c2 : !vyre.u32
  %6 = vyre.binop and %5, %cx33333333 : !vyre.u32
  %7 = vyre.binop and %4, %cx33333333 : !vyre.u32
  %8 = vyre.binop shl %7, %c2 : !vyre.u32
  %9 = vyre.binop or %6, %8 : !vyre.u32
  %10 = vyre.binop shr %9, %c4 : !vyre.u32
  %11 = vyre.binop and %10, %cxf0f0f0f : !vyre.u32
  %12 = vyre.binop and %9, %cxf0f0f0f : !vyre.u32
  %13 = vyre.binop shl %12, %c4 : !vyre.u32
  %14 = vyre.binop or %11, %13 : !vyre.u32
  %15 = vyre.call @byte_swap(%14) : (!vyre.u32) -> !vyre.u32
  vyre.return %15 : !vyre.u32
}

// 1 if an odd number of bits is set, else 0.
vyre.op @parity(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.call @popcount(%x) : (!vyre.u32) -> !vyre.u32
  %1 = vyre.binop and %0, %c1 : !vyre.u32
  vyre.return %1 : !vyre.u32
}

// Whether exactly one bit is set.
vyre.op @is_power_of_two(%x: !vyre.u32) -> !vyre.bool {
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.call @popcount(%x) : (!vyre.u32) -> !vyre.u32
  %1 = vyre.compare eq %0, %c1 : !vyre.u32
  vyre.return %1 : !vyre.bool
}

// The smallest power of two that is not less; 0 if it has 33 bits, and for 0.
vyre.op @next_power_of_two(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %cx80000000 = vyre.constant 2147483648 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %0 = vyre.binop sub %x, %c1 : !vyre.u32
  %1 = vyre.call @clz(%0) : (!vyre.u32) -> !vyre.u32
  %2 = vyre.unop neg %1 : !vyre.u32
  %3 = vyre.binop sub %x, %c1 : !vyre.u32
  %4 = vyre.compare ge %3, %cx80000000 : !vyre.u32
  %5 = vyre.compare eq %x, %c1 : !vyre.u32
  %6 = vyre.binop shl %c1, %2 : !vyre.u32
  %7 = vyre.select %5, %c1, %6 : !vyre.u32
  %8 = vyre.select %4, %c0, %7 : !vyre.u32
  vyre.return %8 : !vyre.u32
}

// The number of the highest bit that is set; 0 for 0.
vyre.op @log2_floor(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %c31 = vyre.constant 31 : !vyre.u32
  %0 = vyre.binop or %x, %c1 : !vyre.u32
  %1 = vyre.call @clz(%0) : (!vyre.u32) -> !vyre.u32
  %2 = vyre.binop sub %c31, %1 : !vyre.u32
  vyre.return %2 : !vyre.u32
}

// The Gray code of a number.
vyre.op @gray_encode(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.binop shr %x, %c1 : !vyre.u32
  %1 = vyre.binop xor %x, %0 : !vyre.u32
  vyre.return %1 : !vyre.u32
}

// The number of a Gray code.
vyre.op @gray_decode(%x: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c4 = vyre.constant 4 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %0 = vyre.binop shr %x, %c1 : !vyre.u32
  %1 = vyre.binop xor %x, %0 : !vyre.u32
  %2 = vyre.binop shr %1, %c2 : !vyre.u32
  %3 = vyre.binop xor %1, %2 : !vyre.u32
  %4 = vyre.binop shr %3, %c4 : !vyre.u32
  %5 = vyre.binop xor %3, %4 : !vyre.u32
  %6 = vyre.binop shr %5, %c8 : !vyre.u32
  %7 = vyre.binop xor %5, %6 : !vyre.u32
  %8 = vyre.binop shr %7, %c16 : !vyre.u32
  %9 = vyre.binop xor %7, %8 : !vyre.u32
  vyre.return %9 : !vyre.u32
}

// Moves bit i of the low 16 bits to bit 2i.
vyre.op @spread_bits(%x: !vyre.u32) -> !vyre.u32 {
  %c65535 = vyre.constant 65535 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %cxff00ff = vyre.constant 16711935 : !vyre.u32
  %c4 = vyre.constant 4 : !vyre.u32
  %cxf0f0f0f = vyre.constant 252645135 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %cx33333333 = vyre.constant 858993459 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %cx55555555 = vyre.constant 1431655765 : !vyre.u32
  %0 = vyre.binop and %x, %c65535 : !vyre.u32
  %1 = vyre.binop shl %0, %c8 : !vyre.u32
  %2 = vyre.binop or %0, %1 : !vyre.u32
  %3 = vyre.binop and %2, %cxff00ff : !vyre.u32
  %4 = vyre.binop shl %3, %c4 : !vyre.u32
  %5 = vyre.binop or %3, %4 : !vyre.u32
  %6 = vyre.binop and %5, %cxf0f0f0f : !vyre.u32
  %7 = vyre.binop shl %6, %c2 : !vyre.u32
  %8 = vyre.binop or %6, %7 : !vyre.u32
  %9 = vyre.binop and %8, %cx33333333 : !vyre.u32
  %10 = vyre.binop shl %9, %c1 : !vyre.u32
  %11 = vyre.binop or %9, %10 : !vyre.u32
  %12 = vyre.binop and %11, %cx55555555 : !vyre.u32
  vyre.return %12 : !vyre.u32
}

// The Morton code of two numbers of 16 bits: the bits of x are the even ones.
vyre.op @morton(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.call @spread_bits(%x) : (!vyre.u32) -> !vyre.u32
  %1 = vyre.call @spread_bits(%y) : (!vyre.u32) -> !vyre.u32
  %2 = vyre.binop shl %1, %c1 : !vyre.u32
  %3 = vyre.binop or %0, %2 : !vyre.u32
  vyre.return %3 : !vyre.u32
}
