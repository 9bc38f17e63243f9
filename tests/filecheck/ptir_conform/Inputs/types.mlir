vyre.op @popcount(%x: !vyre.i32) -> !vyre.i32 { vyre.return %x : !vyre.i32 }
