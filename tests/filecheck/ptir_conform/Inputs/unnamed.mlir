vyre.op @mine(%x: !vyre.i32) -> !vyre.i32 { vyre.return %x : !vyre.i32 }
