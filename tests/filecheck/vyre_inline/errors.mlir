// RUN: not ptir-opt %s -p vyre-inline 2>&1 | filecheck %s

// A chain of ops that double does not take all memory.

// CHECK: error[PTIR0210]: a program of 262,145 ops is not supported yet
// CHECK: help: call fewer: at most 100,000 are inlined

vyre.op @f0(%x: !vyre.u32) -> !vyre.u32 {
  vyre.return %x : !vyre.u32
}
vyre.op @f1(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f0(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f0(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f2(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f1(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f1(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f3(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f2(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f2(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f4(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f3(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f3(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f5(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f4(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f4(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f6(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f5(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f5(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f7(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f6(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f6(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f8(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f7(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f7(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f9(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f8(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f8(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f10(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f9(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f9(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f11(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f10(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f10(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f12(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f11(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f11(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f13(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f12(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f12(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f14(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f13(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f13(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f15(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f14(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f14(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.op @f16(%x: !vyre.u32) -> !vyre.u32 {
  %a = vyre.call @f15(%x) : (!vyre.u32) -> !vyre.u32
  %b = vyre.call @f15(%a) : (!vyre.u32) -> !vyre.u32
  vyre.return %b : !vyre.u32
}
vyre.program @p workgroup [1, 1, 1] {
  %i = vyre.position local x
  %r = vyre.call @f16(%i) : (!vyre.u32) -> !vyre.u32
}
