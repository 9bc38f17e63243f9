// Bytes as text.

// Whether the first n bytes are valid UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF.
vyre.op @utf8_validate(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32) -> !vyre.bool {
  %c0_bool = vyre.constant 0 : !vyre.bool
  %c0 = vyre.constant 0 : !vyre.u32
  %c128 = vyre.constant 128 : !vyre.u32
  %c191 = vyre.constant 191 : !vyre.u32
  %c194 = vyre.constant 194 : !vyre.u32
  %c223 = vyre.constant 223 : !vyre.u32
  %c240 = vyre.constant 240 : !vyre.u32
  %c224 = vyre.constant 224 : !vyre.u32
  %c244 = vyre.constant 244 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c3 = vyre.constant 3 : !vyre.u32
  %c144 = vyre.constant 144 : !vyre.u32
  %c160 = vyre.constant 160 : !vyre.u32
  %c237 = vyre.constant 237 : !vyre.u32
  %c143 = vyre.constant 143 : !vyre.u32
  %c159 = vyre.constant 159 : !vyre.u32
  %bad_out, %need_out, %low_out, %high_out = vyre.for %k = %c0 to %n iter (%bad = %c0_bool, %need = %c0, %low = %c128, %high = %c191) -> (!vyre.bool, !vyre.u32, !vyre.u32, !vyre.u32) {
    %0 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %1 = vyre.compare eq %need, %c0 : !vyre.u32
    %2 = vyre.compare ge %0, %c194 : !vyre.u32
    %3 = vyre.compare le %0, %c223 : !vyre.u32
    %4 = vyre.binop and %2, %3 : !vyre.bool
    %5 = vyre.binop and %0, %c240 : !vyre.u32
    %6 = vyre.compare eq %5, %c224 : !vyre.u32
    %7 = vyre.compare ge %0, %c240 : !vyre.u32
    %8 = vyre.compare le %0, %c244 : !vyre.u32
    %9 = vyre.binop and %7, %8 : !vyre.bool
    %10 = vyre.select %4, %c1, %c0 : !vyre.u32
    %11 = vyre.select %6, %c2, %10 : !vyre.u32
    %12 = vyre.select %9, %c3, %11 : !vyre.u32
    %13 = vyre.compare eq %12, %c0 : !vyre.u32
    %14 = vyre.compare ge %0, %c128 : !vyre.u32
    %15 = vyre.binop and %13, %14 : !vyre.bool
    %16 = vyre.compare lt %0, %low : !vyre.u32
    %17 = vyre.compare gt %0, %high : !vyre.u32
    %18 = vyre.binop or %16, %17 : !vyre.bool
    %19 = vyre.select %1, %15, %18 : !vyre.bool
    %20 = vyre.binop or %bad, %19 : !vyre.bool
    %21 = vyre.binop sub %need, %c1 : !vyre.u32
    %22 = vyre.select %1, %12, %21 : !vyre.u32
    %23 = vyre.compare eq %0, %c224 : !vyre.u32
    %24 = vyre.compare eq %0, %c240 : !vyre.u32
    %25 = vyre.select %24, %c144, %c128 : !vyre.u32
    %26 = vyre.select %23, %c160, %25 : !vyre.u32
    %27 = vyre.compare eq %0, %c237 : !vyre.u32
    %28 = vyre.compare eq %0, %c244 : !vyre.u32
    %29 = vyre.select %28, %c143, %c191 : !vyre.u32
    %30 = vyre.select %27, %c159, %29 : !vyre.u32
    %31 = vyre.select %1, %26, %c128 : !vyre.u32
    %32 = vyre.select %1, %30, %c191 : !vyre.u32
    vyre.yield %20, %22, %31, %32 : !vyre.bool, !vyre.u32, !vyre.u32, !vyre.u32
  }
  %33 = vyre.unop not %bad_out : !vyre.bool
  %34 = vyre.compare eq %need_out, %c0 : !vyre.u32
  %35 = vyre.binop and %33, %34 : !vyre.bool
  vyre.return %35 : !vyre.bool
}

// The lower case of an ASCII letter; other bytes stay.
vyre.op @to_lower(%x: !vyre.u32) -> !vyre.u32 {
  %c65 = vyre.constant 65 : !vyre.u32
  %c90 = vyre.constant 90 : !vyre.u32
  %c32 = vyre.constant 32 : !vyre.u32
  %0 = vyre.compare ge %x, %c65 : !vyre.u32
  %1 = vyre.compare le %x, %c90 : !vyre.u32
  %2 = vyre.binop and %0, %1 : !vyre.bool
  %3 = vyre.binop or %x, %c32 : !vyre.u32
  %4 = vyre.select %2, %3, %x : !vyre.u32
  vyre.return %4 : !vyre.u32
}

// Whether a byte is a space, or one of the bytes 9 to 13.
vyre.op @is_space(%x: !vyre.u32) -> !vyre.bool {
  %c32 = vyre.constant 32 : !vyre.u32
  %c9 = vyre.constant 9 : !vyre.u32
  %c13 = vyre.constant 13 : !vyre.u32
  %0 = vyre.compare eq %x, %c32 : !vyre.u32
  %1 = vyre.compare ge %x, %c9 : !vyre.u32
  %2 = vyre.compare le %x, %c13 : !vyre.u32
  %3 = vyre.binop and %1, %2 : !vyre.bool
  %4 = vyre.binop or %0, %3 : !vyre.bool
  vyre.return %4 : !vyre.bool
}

// The ASCII code of a digit from 0 to 15.
vyre.op @hex_digit(%x: !vyre.u32) -> !vyre.u32 {
  %c15 = vyre.constant 15 : !vyre.u32
  %c9 = vyre.constant 9 : !vyre.u32
  %c87 = vyre.constant 87 : !vyre.u32
  %c48 = vyre.constant 48 : !vyre.u32
  %0 = vyre.binop and %x, %c15 : !vyre.u32
  %1 = vyre.compare gt %0, %c9 : !vyre.u32
  %2 = vyre.select %1, %c87, %c48 : !vyre.u32
  %3 = vyre.binop add %0, %2 : !vyre.u32
  vyre.return %3 : !vyre.u32
}

// The value of a hexadecimal digit; 255 for other bytes.
vyre.op @hex_value(%x: !vyre.u32) -> !vyre.u32 {
  %c32 = vyre.constant 32 : !vyre.u32
  %c48 = vyre.constant 48 : !vyre.u32
  %c57 = vyre.constant 57 : !vyre.u32
  %c97 = vyre.constant 97 : !vyre.u32
  %c102 = vyre.constant 102 : !vyre.u32
  %c87 = vyre.constant 87 : !vyre.u32
  %c255 = vyre.constant 255 : !vyre.u32
  %0 = vyre.binop or %x, %c32 : !vyre.u32
  %1 = vyre.compare ge %x, %c48 : !vyre.u32
  %2 = vyre.compare le %x, %c57 : !vyre.u32
  %3 = vyre.binop and %1, %2 : !vyre.bool
  %4 = vyre.binop sub %x, %c48 : !vyre.u32
  %5 = vyre.compare ge %0, %c97 : !vyre.u32
  %6 = vyre.compare le %0, %c102 : !vyre.u32
  %7 = vyre.binop and %5, %6 : !vyre.bool
  %8 = vyre.binop sub %0, %c87 : !vyre.u32
  %9 = vyre.select %7, %8, %c255 : !vyre.u32
  %10 = vyre.select %3, %4, %9 : !vyre.u32
  vyre.return %10 : !vyre.u32
}

// The first position of a byte among the first n, or n.
vyre.op @find_byte(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32, %byte: !vyre.u32) -> !vyre.u32 {
  %c0 = vyre.constant 0 : !vyre.u32
  %at_out = vyre.for %k = %c0 to %n iter (%at = %n) -> (!vyre.u32) {
    %0 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %1 = vyre.compare eq %0, %byte : !vyre.u32
    %2 = vyre.compare eq %at, %n : !vyre.u32
    %3 = vyre.binop and %1, %2 : !vyre.bool
    %4 = vyre.select %3, %k, %at : !vyre.u32
    vyre.yield %4 : !vyre.u32
  }
  vyre.return %at_out : !vyre.u32
}

// The hexadecimal digits of bytes. An invocation writes the two words of four digits of one input word.
vyre.program @hex_encode workgroup [64, 1, 1] convention <v1> signature <(bytes) -> bytes> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bytes, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<bytes, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c4 = vyre.constant 4 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %c24 = vyre.constant 24 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c3 = vyre.constant 3 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.buf_len %in : !vyre.buffer<bytes, read_only>
  %2 = vyre.compare lt %0, %1 : !vyre.u32
  vyre.if %2 {
    %3 = vyre.binop mul %0, %c4 : !vyre.u32
    %4 = vyre.binop add %3, %c0 : !vyre.u32
    %5 = vyre.load %in[%4] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %6 = vyre.binop shr %5, %c4 : !vyre.u32
    %7 = vyre.call @hex_digit(%6) : (!vyre.u32) -> !vyre.u32
    %8 = vyre.binop shl %7, %c0 : !vyre.u32
    %9 = vyre.call @hex_digit(%5) : (!vyre.u32) -> !vyre.u32
    %10 = vyre.binop shl %9, %c8 : !vyre.u32
    %11 = vyre.binop or %8, %10 : !vyre.u32
    %12 = vyre.binop mul %0, %c4 : !vyre.u32
    %13 = vyre.binop add %12, %c1 : !vyre.u32
    %14 = vyre.load %in[%13] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %15 = vyre.binop shr %14, %c4 : !vyre.u32
    %16 = vyre.call @hex_digit(%15) : (!vyre.u32) -> !vyre.u32
    %17 = vyre.binop shl %16, %c16 : !vyre.u32
    %18 = vyre.binop or %11, %17 : !vyre.u32
    %19 = vyre.call @hex_digit(%14) : (!vyre.u32) -> !vyre.u32
    %20 = vyre.binop shl %19, %c24 : !vyre.u32
    %21 = vyre.binop or %18, %20 : !vyre.u32
    %22 = vyre.binop mul %0, %c2 : !vyre.u32
    %23 = vyre.binop add %22, %c0 : !vyre.u32
    vyre.store_word %21, %out[%23] : !vyre.buffer<bytes, read_write>
    %24 = vyre.binop mul %0, %c4 : !vyre.u32
    %25 = vyre.binop add %24, %c2 : !vyre.u32
    %26 = vyre.load %in[%25] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %27 = vyre.binop shr %26, %c4 : !vyre.u32
    %28 = vyre.call @hex_digit(%27) : (!vyre.u32) -> !vyre.u32
    %29 = vyre.binop shl %28, %c0 : !vyre.u32
    %30 = vyre.call @hex_digit(%26) : (!vyre.u32) -> !vyre.u32
    %31 = vyre.binop shl %30, %c8 : !vyre.u32
    %32 = vyre.binop or %29, %31 : !vyre.u32
    %33 = vyre.binop mul %0, %c4 : !vyre.u32
    %34 = vyre.binop add %33, %c3 : !vyre.u32
    %35 = vyre.load %in[%34] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %36 = vyre.binop shr %35, %c4 : !vyre.u32
    %37 = vyre.call @hex_digit(%36) : (!vyre.u32) -> !vyre.u32
    %38 = vyre.binop shl %37, %c16 : !vyre.u32
    %39 = vyre.binop or %32, %38 : !vyre.u32
    %40 = vyre.call @hex_digit(%35) : (!vyre.u32) -> !vyre.u32
    %41 = vyre.binop shl %40, %c24 : !vyre.u32
    %42 = vyre.binop or %39, %41 : !vyre.u32
    %43 = vyre.binop mul %0, %c2 : !vyre.u32
    %44 = vyre.binop add %43, %c1 : !vyre.u32
    vyre.store_word %42, %out[%44] : !vyre.buffer<bytes, read_write>
  }
}

// Decodes base64 (RFC 4648) without line breaks. An invocation decodes 16 digits to three words. The table has the value of each
// byte; those of the padding are 0, and the host knows the length of the result.
vyre.program @base64_decode workgroup [64, 1, 1] convention <v2, lookup_binding = 3> signature <(bytes) -> bytes> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bytes, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<bytes, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %table = vyre.buffer "table" binding 3 : !vyre.buffer<u32, read_only>
  %c4 = vyre.constant 4 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c255 = vyre.constant 255 : !vyre.u32
  %c18 = vyre.constant 18 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c12 = vyre.constant 12 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %c6 = vyre.constant 6 : !vyre.u32
  %c24 = vyre.constant 24 : !vyre.u32
  %c65280 = vyre.constant 65280 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c3 = vyre.constant 3 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.binop mul %0, %c4 : !vyre.u32
  %2 = vyre.binop add %1, %c0 : !vyre.u32
  %3 = vyre.load_word %in[%2] : !vyre.buffer<bytes, read_only>
  %4 = vyre.binop shr %3, %c0 : !vyre.u32
  %5 = vyre.binop and %4, %c255 : !vyre.u32
  %6 = vyre.load %table[%5] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %7 = vyre.binop shl %6, %c18 : !vyre.u32
  %8 = vyre.binop shr %3, %c8 : !vyre.u32
  %9 = vyre.binop and %8, %c255 : !vyre.u32
  %10 = vyre.load %table[%9] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %11 = vyre.binop shl %10, %c12 : !vyre.u32
  %12 = vyre.binop or %7, %11 : !vyre.u32
  %13 = vyre.binop shr %3, %c16 : !vyre.u32
  %14 = vyre.binop and %13, %c255 : !vyre.u32
  %15 = vyre.load %table[%14] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %16 = vyre.binop shl %15, %c6 : !vyre.u32
  %17 = vyre.binop or %12, %16 : !vyre.u32
  %18 = vyre.binop shr %3, %c24 : !vyre.u32
  %19 = vyre.binop and %18, %c255 : !vyre.u32
  %20 = vyre.load %table[%19] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %21 = vyre.binop shl %20, %c0 : !vyre.u32
  %22 = vyre.binop or %17, %21 : !vyre.u32
  %23 = vyre.binop shr %22, %c16 : !vyre.u32
  %24 = vyre.binop and %23, %c255 : !vyre.u32
  %25 = vyre.binop and %22, %c65280 : !vyre.u32
  %26 = vyre.binop or %24, %25 : !vyre.u32
  %27 = vyre.binop and %22, %c255 : !vyre.u32
  %28 = vyre.binop shl %27, %c16 : !vyre.u32
  %29 = vyre.binop or %26, %28 : !vyre.u32
  %30 = vyre.binop add %1, %c1 : !vyre.u32
  %31 = vyre.load_word %in[%30] : !vyre.buffer<bytes, read_only>
  %32 = vyre.binop shr %31, %c0 : !vyre.u32
  %33 = vyre.binop and %32, %c255 : !vyre.u32
  %34 = vyre.load %table[%33] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %35 = vyre.binop shl %34, %c18 : !vyre.u32
  %36 = vyre.binop shr %31, %c8 : !vyre.u32
  %37 = vyre.binop and %36, %c255 : !vyre.u32
  %38 = vyre.load %table[%37] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %39 = vyre.binop shl %38, %c12 : !vyre.u32
  %40 = vyre.binop or %35, %39 : !vyre.u32
  %41 = vyre.binop shr %31, %c16 : !vyre.u32
  %42 = vyre.binop and %41, %c255 : !vyre.u32
  %43 = vyre.load %table[%42] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %44 = vyre.binop shl %43, %c6 : !vyre.u32
  %45 = vyre.binop or %40, %44 : !vyre.u32
  %46 = vyre.binop shr %31, %c24 : !vyre.u32
  %47 = vyre.binop and %46, %c255 : !vyre.u32
  %48 = vyre.load %table[%47] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %49 = vyre.binop shl %48, %c0 : !vyre.u32
  %50 = vyre.binop or %45, %49 : !vyre.u32
  %51 = vyre.binop shr %50, %c16 : !vyre.u32
  %52 = vyre.binop and %51, %c255 : !vyre.u32
  %53 = vyre.binop and %50, %c65280 : !vyre.u32
  %54 = vyre.binop or %52, %53 : !vyre.u32
  %55 = vyre.binop and %50, %c255 : !vyre.u32
  %56 = vyre.binop shl %55, %c16 : !vyre.u32
  %57 = vyre.binop or %54, %56 : !vyre.u32
  %58 = vyre.binop add %1, %c2 : !vyre.u32
  %59 = vyre.load_word %in[%58] : !vyre.buffer<bytes, read_only>
  %60 = vyre.binop shr %59, %c0 : !vyre.u32
  %61 = vyre.binop and %60, %c255 : !vyre.u32
  %62 = vyre.load %table[%61] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %63 = vyre.binop shl %62, %c18 : !vyre.u32
  %64 = vyre.binop shr %59, %c8 : !vyre.u32
  %65 = vyre.binop and %64, %c255 : !vyre.u32
  %66 = vyre.load %table[%65] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %67 = vyre.binop shl %66, %c12 : !vyre.u32
  %68 = vyre.binop or %63, %67 : !vyre.u32
  %69 = vyre.binop shr %59, %c16 : !vyre.u32
  %70 = vyre.binop and %69, %c255 : !vyre.u32
  %71 = vyre.load %table[%70] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %72 = vyre.binop shl %71, %c6 : !vyre.u32
  %73 = vyre.binop or %68, %72 : !vyre.u32
  %74 = vyre.binop shr %59, %c24 : !vyre.u32
  %75 = vyre.binop and %74, %c255 : !vyre.u32
  %76 = vyre.load %table[%75] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %77 = vyre.binop shl %76, %c0 : !vyre.u32
  %78 = vyre.binop or %73, %77 : !vyre.u32
  %79 = vyre.binop shr %78, %c16 : !vyre.u32
  %80 = vyre.binop and %79, %c255 : !vyre.u32
  %81 = vyre.binop and %78, %c65280 : !vyre.u32
  %82 = vyre.binop or %80, %81 : !vyre.u32
  %83 = vyre.binop and %78, %c255 : !vyre.u32
  %84 = vyre.binop shl %83, %c16 : !vyre.u32
  %85 = vyre.binop or %82, %84 : !vyre.u32
  %86 = vyre.binop add %1, %c3 : !vyre.u32
  %87 = vyre.load_word %in[%86] : !vyre.buffer<bytes, read_only>
  %88 = vyre.binop shr %87, %c0 : !vyre.u32
  %89 = vyre.binop and %88, %c255 : !vyre.u32
  %90 = vyre.load %table[%89] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %91 = vyre.binop shl %90, %c18 : !vyre.u32
  %92 = vyre.binop shr %87, %c8 : !vyre.u32
  %93 = vyre.binop and %92, %c255 : !vyre.u32
  %94 = vyre.load %table[%93] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %95 = vyre.binop shl %94, %c12 : !vyre.u32
  %96 = vyre.binop or %91, %95 : !vyre.u32
  %97 = vyre.binop shr %87, %c16 : !vyre.u32
  %98 = vyre.binop and %97, %c255 : !vyre.u32
  %99 = vyre.load %table[%98] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %100 = vyre.binop shl %99, %c6 : !vyre.u32
  %101 = vyre.binop or %96, %100 : !vyre.u32
  %102 = vyre.binop shr %87, %c24 : !vyre.u32
  %103 = vyre.binop and %102, %c255 : !vyre.u32
  %104 = vyre.load %table[%103] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %105 = vyre.binop shl %104, %c0 : !vyre.u32
  %106 = vyre.binop or %101, %105 : !vyre.u32
  %107 = vyre.binop shr %106, %c16 : !vyre.u32
  %108 = vyre.binop and %107, %c255 : !vyre.u32
  %109 = vyre.binop and %106, %c65280 : !vyre.u32
  %110 = vyre.binop or %108, %109 : !vyre.u32
  %111 = vyre.binop and %106, %c255 : !vyre.u32
  %112 = vyre.binop shl %111, %c16 : !vyre.u32
  %113 = vyre.binop or %110, %112 : !vyre.u32
  %114 = vyre.binop mul %0, %c3 : !vyre.u32
  %115 = vyre.buf_len %in : !vyre.buffer<bytes, read_only>
  %116 = vyre.compare lt %1, %115 : !vyre.u32
  vyre.if %116 {
    %117 = vyre.binop shl %57, %c24 : !vyre.u32
    %118 = vyre.binop or %29, %117 : !vyre.u32
    vyre.store_word %118, %out[%114] : !vyre.buffer<bytes, read_write>
    %119 = vyre.binop add %114, %c1 : !vyre.u32
    %120 = vyre.binop shr %57, %c8 : !vyre.u32
    %121 = vyre.binop shl %85, %c16 : !vyre.u32
    %122 = vyre.binop or %120, %121 : !vyre.u32
    vyre.store_word %122, %out[%119] : !vyre.buffer<bytes, read_write>
    %123 = vyre.binop add %114, %c2 : !vyre.u32
    %124 = vyre.binop shr %85, %c16 : !vyre.u32
    %125 = vyre.binop shl %113, %c8 : !vyre.u32
    %126 = vyre.binop or %124, %125 : !vyre.u32
    vyre.store_word %126, %out[%123] : !vyre.buffer<bytes, read_write>
  }
}

// Counts each byte among the first params[0]; the output has 256 counters.
vyre.program @byte_histogram workgroup [64, 1, 1] convention <v1> signature <(bytes) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bytes, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %c0 = vyre.constant 0 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.compare lt %0, %1 : !vyre.u32
  vyre.if %2 {
    %3 = vyre.load %in[%0] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %4 = vyre.atomic add %out[%3], %c1 : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
  }
}

// Counts the positions at which the pattern of params[1] bytes, in the table, is among the first params[0] bytes.
vyre.program @count_matches workgroup [64, 1, 1] convention <v2, lookup_binding = 3> signature <(bytes) -> u32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bytes, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %table = vyre.buffer "table" binding 3 : !vyre.buffer<bytes, read_only>
  %c0 = vyre.constant 0 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c1_bool = vyre.constant 1 : !vyre.bool
  %0 = vyre.position global x
  %1 = vyre.load %params[%c0] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %2 = vyre.load %params[%c1] : !vyre.buffer<u32, uniform> -> !vyre.u32
  %3 = vyre.compare le %2, %1 : !vyre.u32
  %4 = vyre.binop sub %1, %2 : !vyre.u32
  %5 = vyre.compare le %0, %4 : !vyre.u32
  %6 = vyre.binop and %3, %5 : !vyre.bool
  vyre.if %6 {
    %same_out = vyre.for %k = %c0 to %2 iter (%same = %c1_bool) -> (!vyre.bool) {
      %7 = vyre.binop add %0, %k : !vyre.u32
      %8 = vyre.load %in[%7] : !vyre.buffer<bytes, read_only> -> !vyre.u32
      %9 = vyre.load %table[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
      %10 = vyre.compare eq %8, %9 : !vyre.u32
      %11 = vyre.binop and %same, %10 : !vyre.bool
      vyre.yield %11 : !vyre.bool
    }
    vyre.if %same_out {
      %12 = vyre.atomic add %out[%c0], %c1 : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
    }
  }
}
