// Checksums and hashes of bytes.

// CRC-32 (ISO 3309) of the first n bytes, as zlib computes it.
vyre.op @crc32(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32) -> !vyre.u32 {
  %cxffffffff = vyre.constant 4294967295 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %cxedb88320 = vyre.constant 3988292384 : !vyre.u32
  %crc_out = vyre.for %k = %c0 to %n iter (%crc = %cxffffffff) -> (!vyre.u32) {
    %0 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %1 = vyre.binop xor %crc, %0 : !vyre.u32
    %c_out = vyre.for %k2 = %c0 to %c8 iter (%c = %1) -> (!vyre.u32) {
      %2 = vyre.binop shr %c, %c1 : !vyre.u32
      %3 = vyre.binop and %c, %c1 : !vyre.u32
      %4 = vyre.unop neg %3 : !vyre.u32
      %5 = vyre.binop and %4, %cxedb88320 : !vyre.u32
      %6 = vyre.binop xor %2, %5 : !vyre.u32
      vyre.yield %6 : !vyre.u32
    }
    vyre.yield %c_out : !vyre.u32
  }
  %7 = vyre.unop not %crc_out : !vyre.u32
  vyre.return %7 : !vyre.u32
}

// Adler-32 (RFC 1950) of the first n bytes.
vyre.op @adler32(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32) -> !vyre.u32 {
  %c1 = vyre.constant 1 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c65521 = vyre.constant 65521 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %a_out, %b_out = vyre.for %k = %c0 to %n iter (%a = %c1, %b = %c0) -> (!vyre.u32, !vyre.u32) {
    %0 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %1 = vyre.binop add %a, %0 : !vyre.u32
    %2 = vyre.binop rem %1, %c65521 : !vyre.u32
    %3 = vyre.binop add %b, %2 : !vyre.u32
    %4 = vyre.binop rem %3, %c65521 : !vyre.u32
    vyre.yield %2, %4 : !vyre.u32, !vyre.u32
  }
  %5 = vyre.binop shl %b_out, %c16 : !vyre.u32
  %6 = vyre.binop or %5, %a_out : !vyre.u32
  vyre.return %6 : !vyre.u32
}

// FNV-1a of 32 bits of the first n bytes.
vyre.op @fnv1a(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32) -> !vyre.u32 {
  %cx811c9dc5 = vyre.constant 2166136261 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %cx1000193 = vyre.constant 16777619 : !vyre.u32
  %h_out = vyre.for %k = %c0 to %n iter (%h = %cx811c9dc5) -> (!vyre.u32) {
    %0 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %1 = vyre.binop xor %h, %0 : !vyre.u32
    %2 = vyre.binop mul %1, %cx1000193 : !vyre.u32
    vyre.yield %2 : !vyre.u32
  }
  vyre.return %h_out : !vyre.u32
}

// FNV-1a of 64 bits of the first n bytes.
vyre.op @fnv1a64(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32) -> !vyre.u64 {
  %cxcbf29ce484222325_u64 = vyre.constant 14695981039346656037 : !vyre.u64
  %c0 = vyre.constant 0 : !vyre.u32
  %cx100000001b3_u64 = vyre.constant 1099511628211 : !vyre.u64
  %h_out = vyre.for %k = %c0 to %n iter (%h = %cxcbf29ce484222325_u64) -> (!vyre.u64) {
    %0 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %1 = vyre.cast %0 : !vyre.u32 to !vyre.u64
    %2 = vyre.binop xor %h, %1 : !vyre.u64
    %3 = vyre.binop mul %2, %cx100000001b3_u64 : !vyre.u64
    vyre.yield %3 : !vyre.u64
  }
  vyre.return %h_out : !vyre.u64
}

// The hash h = 33 h + byte, from 5381.
vyre.op @djb2(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32) -> !vyre.u32 {
  %c5381 = vyre.constant 5381 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c33 = vyre.constant 33 : !vyre.u32
  %h_out = vyre.for %k = %c0 to %n iter (%h = %c5381) -> (!vyre.u32) {
    %0 = vyre.binop mul %h, %c33 : !vyre.u32
    %1 = vyre.load %data[%k] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %2 = vyre.binop add %0, %1 : !vyre.u32
    vyre.yield %2 : !vyre.u32
  }
  vyre.return %h_out : !vyre.u32
}

// Four bytes from any offset, the first one least significant.
vyre.op @word_at(%data: !vyre.buffer<bytes, read_only>, %at: !vyre.u32) -> !vyre.u32 {
  %c2 = vyre.constant 2 : !vyre.u32
  %c3 = vyre.constant 3 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %0 = vyre.binop shr %at, %c2 : !vyre.u32
  %1 = vyre.binop and %at, %c3 : !vyre.u32
  %2 = vyre.binop mul %1, %c8 : !vyre.u32
  %3 = vyre.load_word %data[%0] : !vyre.buffer<bytes, read_only>
  %4 = vyre.binop add %0, %c1 : !vyre.u32
  %5 = vyre.load_word %data[%4] : !vyre.buffer<bytes, read_only>
  %6 = vyre.compare eq %2, %c0 : !vyre.u32
  %7 = vyre.binop shr %3, %2 : !vyre.u32
  %8 = vyre.unop neg %2 : !vyre.u32
  %9 = vyre.binop shl %5, %8 : !vyre.u32
  %10 = vyre.binop or %7, %9 : !vyre.u32
  %11 = vyre.select %6, %3, %10 : !vyre.u32
  vyre.return %11 : !vyre.u32
}

// MurmurHash3_x86_32 of the first n bytes.
vyre.op @murmur3(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32, %seed: !vyre.u32) -> !vyre.u32 {
  %c2 = vyre.constant 2 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %cxcc9e2d51 = vyre.constant 3432918353 : !vyre.u32
  %c15 = vyre.constant 15 : !vyre.u32
  %c17 = vyre.constant 17 : !vyre.u32
  %cx1b873593 = vyre.constant 461845907 : !vyre.u32
  %c13 = vyre.constant 13 : !vyre.u32
  %c19 = vyre.constant 19 : !vyre.u32
  %c5 = vyre.constant 5 : !vyre.u32
  %cxe6546b64 = vyre.constant 3864292196 : !vyre.u32
  %c3 = vyre.constant 3 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c8 = vyre.constant 8 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %cx85ebca6b = vyre.constant 2246822507 : !vyre.u32
  %cxc2b2ae35 = vyre.constant 3266489909 : !vyre.u32
  %0 = vyre.binop shr %n, %c2 : !vyre.u32
  %h_out = vyre.for %k = %c0 to %0 iter (%h = %seed) -> (!vyre.u32) {
    %1 = vyre.load_word %data[%k] : !vyre.buffer<bytes, read_only>
    %2 = vyre.binop mul %1, %cxcc9e2d51 : !vyre.u32
    %3 = vyre.binop shl %2, %c15 : !vyre.u32
    %4 = vyre.binop shr %2, %c17 : !vyre.u32
    %5 = vyre.binop or %3, %4 : !vyre.u32
    %6 = vyre.binop mul %5, %cx1b873593 : !vyre.u32
    %7 = vyre.binop xor %h, %6 : !vyre.u32
    %8 = vyre.binop shl %7, %c13 : !vyre.u32
    %9 = vyre.binop shr %7, %c19 : !vyre.u32
    %10 = vyre.binop or %8, %9 : !vyre.u32
    %11 = vyre.binop mul %10, %c5 : !vyre.u32
    %12 = vyre.binop add %11, %cxe6546b64 : !vyre.u32
    vyre.yield %12 : !vyre.u32
  }
  %13 = vyre.binop and %n, %c3 : !vyre.u32
  %14 = vyre.binop shr %n, %c2 : !vyre.u32
  %15 = vyre.load_word %data[%14] : !vyre.buffer<bytes, read_only>
  %16 = vyre.binop mul %13, %c8 : !vyre.u32
  %17 = vyre.binop shl %c1, %16 : !vyre.u32
  %18 = vyre.binop sub %17, %c1 : !vyre.u32
  %19 = vyre.binop and %15, %18 : !vyre.u32
  %20 = vyre.binop mul %19, %cxcc9e2d51 : !vyre.u32
  %21 = vyre.binop shl %20, %c15 : !vyre.u32
  %22 = vyre.binop shr %20, %c17 : !vyre.u32
  %23 = vyre.binop or %21, %22 : !vyre.u32
  %24 = vyre.binop mul %23, %cx1b873593 : !vyre.u32
  %25 = vyre.binop xor %h_out, %24 : !vyre.u32
  %26 = vyre.binop xor %25, %n : !vyre.u32
  %27 = vyre.binop shr %26, %c16 : !vyre.u32
  %28 = vyre.binop xor %26, %27 : !vyre.u32
  %29 = vyre.binop mul %28, %cx85ebca6b : !vyre.u32
  %30 = vyre.binop shr %29, %c13 : !vyre.u32
  %31 = vyre.binop xor %29, %30 : !vyre.u32
  %32 = vyre.binop mul %31, %cxc2b2ae35 : !vyre.u32
  %33 = vyre.binop shr %32, %c16 : !vyre.u32
  %34 = vyre.binop xor %32, %33 : !vyre.u32
  vyre.return %34 : !vyre.u32
}

// XXH32 of the first n bytes.
vyre.op @xxhash32(%data: !vyre.buffer<bytes, read_only>, %n: !vyre.u32, %seed: !vyre.u32) -> !vyre.u32 {
  %c4 = vyre.constant 4 : !vyre.u32
  %cx9e3779b1 = vyre.constant 2654435761 : !vyre.u32
  %cx85ebca77 = vyre.constant 2246822519 : !vyre.u32
  %c0 = vyre.constant 0 : !vyre.u32
  %c13 = vyre.constant 13 : !vyre.u32
  %c19 = vyre.constant 19 : !vyre.u32
  %c1 = vyre.constant 1 : !vyre.u32
  %c2 = vyre.constant 2 : !vyre.u32
  %c3 = vyre.constant 3 : !vyre.u32
  %c31 = vyre.constant 31 : !vyre.u32
  %c7 = vyre.constant 7 : !vyre.u32
  %c25 = vyre.constant 25 : !vyre.u32
  %c12 = vyre.constant 12 : !vyre.u32
  %c20 = vyre.constant 20 : !vyre.u32
  %c18 = vyre.constant 18 : !vyre.u32
  %c14 = vyre.constant 14 : !vyre.u32
  %c16 = vyre.constant 16 : !vyre.u32
  %cx165667b1 = vyre.constant 374761393 : !vyre.u32
  %cxc2b2ae3d = vyre.constant 3266489917 : !vyre.u32
  %c17 = vyre.constant 17 : !vyre.u32
  %c15 = vyre.constant 15 : !vyre.u32
  %cx27d4eb2f = vyre.constant 668265263 : !vyre.u32
  %c11 = vyre.constant 11 : !vyre.u32
  %c21 = vyre.constant 21 : !vyre.u32
  %0 = vyre.binop shr %n, %c4 : !vyre.u32
  %1 = vyre.binop add %seed, %cx9e3779b1 : !vyre.u32
  %2 = vyre.binop add %1, %cx85ebca77 : !vyre.u32
  %3 = vyre.binop add %seed, %cx85ebca77 : !vyre.u32
  %4 = vyre.binop sub %seed, %cx9e3779b1 : !vyre.u32
  %a_out, %b_out, %c_out, %e_out = vyre.for %k = %c0 to %0 iter (%a = %2, %b = %3, %c = %seed, %e = %4) -> (!vyre.u32, !vyre.u32, !vyre.u32, !vyre.u32) {
    %5 = vyre.binop mul %k, %c4 : !vyre.u32
    %6 = vyre.load_word %data[%5] : !vyre.buffer<bytes, read_only>
    %7 = vyre.binop mul %6, %cx85ebca77 : !vyre.u32
    %8 = vyre.binop add %a, %7 : !vyre.u32
    %9 = vyre.binop shl %8, %c13 : !vyre.u32
    %10 = vyre.binop shr %8, %c19 : !vyre.u32
    %11 = vyre.binop or %9, %10 : !vyre.u32
    %12 = vyre.binop mul %11, %cx9e3779b1 : !vyre.u32
    %13 = vyre.binop add %5, %c1 : !vyre.u32
    %14 = vyre.load_word %data[%13] : !vyre.buffer<bytes, read_only>
    %15 = vyre.binop mul %14, %cx85ebca77 : !vyre.u32
    %16 = vyre.binop add %b, %15 : !vyre.u32
    %17 = vyre.binop shl %16, %c13 : !vyre.u32
    %18 = vyre.binop shr %16, %c19 : !vyre.u32
    %19 = vyre.binop or %17, %18 : !vyre.u32
    %20 = vyre.binop mul %19, %cx9e3779b1 : !vyre.u32
    %21 = vyre.binop add %5, %c2 : !vyre.u32
    %22 = vyre.load_word %data[%21] : !vyre.buffer<bytes, read_only>
    %23 = vyre.binop mul %22, %cx85ebca77 : !vyre.u32
    %24 = vyre.binop add %c, %23 : !vyre.u32
    %25 = vyre.binop shl %24, %c13 : !vyre.u32
    %26 = vyre.binop shr %24, %c19 : !vyre.u32
    %27 = vyre.binop or %25, %26 : !vyre.u32
    %28 = vyre.binop mul %27, %cx9e3779b1 : !vyre.u32
    %29 = vyre.binop add %5, %c3 : !vyre.u32
    %30 = vyre.load_word %data[%29] : !vyre.buffer<bytes, read_only>
    %31 = vyre.binop mul %30, %cx85ebca77 : !vyre.u32
    %32 = vyre.binop add %e, %31 : !vyre.u32
    %33 = vyre.binop shl %32, %c13 : !vyre.u32
    %34 = vyre.binop shr %32, %c19 : !vyre.u32
    %35 = vyre.binop or %33, %34 : !vyre.u32
    %36 = vyre.binop mul %35, %cx9e3779b1 : !vyre.u32
    vyre.yield %12, %20, %28, %36 : !vyre.u32, !vyre.u32, !vyre.u32, !vyre.u32
  }
  %37 = vyre.binop shl %a_out, %c1 : !vyre.u32
  %38 = vyre.binop shr %a_out, %c31 : !vyre.u32
  %39 = vyre.binop or %37, %38 : !vyre.u32
  %40 = vyre.binop shl %b_out, %c7 : !vyre.u32
  %41 = vyre.binop shr %b_out, %c25 : !vyre.u32
  %42 = vyre.binop or %40, %41 : !vyre.u32
  %43 = vyre.binop add %39, %42 : !vyre.u32
  %44 = vyre.binop shl %c_out, %c12 : !vyre.u32
  %45 = vyre.binop shr %c_out, %c20 : !vyre.u32
  %46 = vyre.binop or %44, %45 : !vyre.u32
  %47 = vyre.binop add %43, %46 : !vyre.u32
  %48 = vyre.binop shl %e_out, %c18 : !vyre.u32
  %49 = vyre.binop shr %e_out, %c14 : !vyre.u32
  %50 = vyre.binop or %48, %49 : !vyre.u32
  %51 = vyre.binop add %47, %50 : !vyre.u32
  %52 = vyre.compare ge %n, %c16 : !vyre.u32
  %53 = vyre.binop add %seed, %cx165667b1 : !vyre.u32
  %54 = vyre.select %52, %51, %53 : !vyre.u32
  %55 = vyre.binop add %54, %n : !vyre.u32
  %56 = vyre.binop shr %n, %c4 : !vyre.u32
  %57 = vyre.binop mul %56, %c4 : !vyre.u32
  %58 = vyre.binop shr %n, %c2 : !vyre.u32
  %h_out = vyre.for %k2 = %57 to %58 iter (%h = %55) -> (!vyre.u32) {
    %59 = vyre.load_word %data[%k2] : !vyre.buffer<bytes, read_only>
    %60 = vyre.binop mul %59, %cxc2b2ae3d : !vyre.u32
    %61 = vyre.binop add %h, %60 : !vyre.u32
    %62 = vyre.binop shl %61, %c17 : !vyre.u32
    %63 = vyre.binop shr %61, %c15 : !vyre.u32
    %64 = vyre.binop or %62, %63 : !vyre.u32
    %65 = vyre.binop mul %64, %cx27d4eb2f : !vyre.u32
    vyre.yield %65 : !vyre.u32
  }
  %66 = vyre.binop shr %n, %c2 : !vyre.u32
  %67 = vyre.binop mul %66, %c4 : !vyre.u32
  %h_out2 = vyre.for %k3 = %67 to %n iter (%h2 = %h_out) -> (!vyre.u32) {
    %68 = vyre.load %data[%k3] : !vyre.buffer<bytes, read_only> -> !vyre.u32
    %69 = vyre.binop mul %68, %cx165667b1 : !vyre.u32
    %70 = vyre.binop add %h2, %69 : !vyre.u32
    %71 = vyre.binop shl %70, %c11 : !vyre.u32
    %72 = vyre.binop shr %70, %c21 : !vyre.u32
    %73 = vyre.binop or %71, %72 : !vyre.u32
    %74 = vyre.binop mul %73, %cx9e3779b1 : !vyre.u32
    vyre.yield %74 : !vyre.u32
  }
  %75 = vyre.binop shr %h_out2, %c15 : !vyre.u32
  %76 = vyre.binop xor %h_out2, %75 : !vyre.u32
  %77 = vyre.binop mul %76, %cx85ebca77 : !vyre.u32
  %78 = vyre.binop shr %77, %c13 : !vyre.u32
  %79 = vyre.binop xor %77, %78 : !vyre.u32
  %80 = vyre.binop mul %79, %cxc2b2ae3d : !vyre.u32
  %81 = vyre.binop shr %80, %c16 : !vyre.u32
  %82 = vyre.binop xor %80, %81 : !vyre.u32
  vyre.return %82 : !vyre.u32
}
