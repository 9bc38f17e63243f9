// Arithmetic on integers.

// The high word of the product.
vyre.op @mul_high(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %c32_u64 = vyre.constant 32 : !vyre.u64
  %0 = vyre.cast %x : !vyre.u32 to !vyre.u64
  %1 = vyre.cast %y : !vyre.u32 to !vyre.u64
  %2 = vyre.binop mul %0, %1 : !vyre.u64
  %3 = vyre.binop shr %2, %c32_u64 : !vyre.u64
  %4 = vyre.cast %3 : !vyre.u64 to !vyre.u32
  vyre.return %4 : !vyre.u32
}

// The sum, or the largest number.
vyre.op @add_saturating(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %cxffffffff = vyre.constant 4294967295 : !vyre.u32
  %0 = vyre.binop add %x, %y : !vyre.u32
  %1 = vyre.compare lt %0, %x : !vyre.u32
  %2 = vyre.select %1, %cxffffffff, %0 : !vyre.u32
  vyre.return %2 : !vyre.u32
}

// The distance of two numbers.
vyre.op @abs_diff(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.binop max %x, %y : !vyre.u32
  %1 = vyre.binop min %x, %y : !vyre.u32
  %2 = vyre.binop sub %0, %1 : !vyre.u32
  vyre.return %2 : !vyre.u32
}

// Half of the exact sum, rounded down.
vyre.op @average_floor(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.binop and %x, %y : !vyre.u32
  %1 = vyre.binop xor %x, %y : !vyre.u32
  %2 = vyre.binop shr %1, %c1 : !vyre.u32
  %3 = vyre.binop add %0, %2 : !vyre.u32
  vyre.return %3 : !vyre.u32
}

// The nearest number from low to high, where low is not above high.
vyre.op @clamp(%x: !vyre.i32, %low: !vyre.i32, %high: !vyre.i32) -> !vyre.i32 {
  %0 = vyre.binop max %x, %low : !vyre.i32
  %1 = vyre.binop min %0, %high : !vyre.i32
  vyre.return %1 : !vyre.i32
}

// The largest number whose square is not greater.
vyre.op @isqrt(%x: !vyre.u32) -> !vyre.u32 {
  %c0 = vyre.constant 0 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %c32768 = vyre.constant 32768 : !vyre.u32
  %root_out = vyre.for %k = %c0 to %c16 iter (%root = %c0) -> (!vyre.u32) {
    %0 = vyre.binop shr %c32768, %k : !vyre.u32
    %1 = vyre.binop or %root, %0 : !vyre.u32
    %2 = vyre.binop mul %1, %1 : !vyre.u32
    %3 = vyre.compare le %2, %x : !vyre.u32
    %4 = vyre.select %3, %1, %root : !vyre.u32
    vyre.yield %4 : !vyre.u32
  }
  vyre.return %root_out : !vyre.u32
}

// The greatest common divisor; that of 0 and x is x.
vyre.op @gcd(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %c0 = vyre.constant 0 : !vyre.u32
  %c47 = vyre.constant 47 : !vyre.u32
  %a_out, %b_out = vyre.for %k = %c0 to %c47 iter (%a = %x, %b = %y) -> (!vyre.u32, !vyre.u32) {
    %0 = vyre.compare eq %b, %c0 : !vyre.u32
    %1 = vyre.select %0, %a, %b : !vyre.u32
    %2 = vyre.binop rem %a, %b : !vyre.u32
    %3 = vyre.select %0, %b, %2 : !vyre.u32
    vyre.yield %1, %3 : !vyre.u32, !vyre.u32
  }
  vyre.return %a_out : !vyre.u32
}

// x to the power of n, modulo 2 to the 32.
vyre.op @power(%x: !vyre.u32, %n: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c32 = vyre.constant 32 : !vyre.u32
  %r_out, %s_out = vyre.for %k = %c0 to %c32 iter (%r = %c1, %s = %x) -> (!vyre.u32, !vyre.u32) {
    %0 = vyre.binop shr %n, %k : !vyre.u32
    %1 = vyre.binop and %0, %c1 : !vyre.u32
    %2 = vyre.compare ne %1, %c0 : !vyre.u32
    %3 = vyre.binop mul %r, %s : !vyre.u32
    %4 = vyre.select %2, %3, %r : !vyre.u32
    %5 = vyre.binop mul %s, %s : !vyre.u32
    vyre.yield %4, %5 : !vyre.u32, !vyre.u32
  }
  vyre.return %r_out : !vyre.u32
}

// A permutation of the numbers of 32 bits that looks random (Jarzynski and Olano, 2020).
vyre.op @pcg_hash(%x: !vyre.u32) -> !vyre.u32 {
  %cx2c9277b5 = vyre.constant 747796405 : !vyre.u32
  %cxac564b05 = vyre.constant 2891336453 : !vyre.u32
  %c28 = vyre.constant 28 : !vyre.u32
  %c4 = vyre.constant 4 : !vyre.u32
  %cx108ef2d9 = vyre.constant 277803737 : !vyre.u32
  %c22 = vyre.constant 22 : !vyre.u32
  %0 = vyre.binop mul %x, %cx2c9277b5 : !vyre.u32
  %1 = vyre.binop add %0, %cxac564b05 : !vyre.u32
  %2 = vyre.binop shr %1, %c28 : !vyre.u32
  %3 = vyre.binop add %2, %c4 : !vyre.u32
  %4 = vyre.binop shr %1, %3 : !vyre.u32
  %5 = vyre.binop xor %4, %1 : !vyre.u32
  %6 = vyre.binop mul %5, %cx108ef2d9 : !vyre.u32
  %7 = vyre.binop shr %6, %c22 : !vyre.u32
  %8 = vyre.binop xor %7, %6 : !vyre.u32
  vyre.return %8 : !vyre.u32
}
