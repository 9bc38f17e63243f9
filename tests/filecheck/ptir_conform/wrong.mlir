// A wrong implementation fails with the smallest input that shows it, and with the laws that it breaks.
// RUN: not ptir-conform vyre %s --backends interpreter,ptx --count 500 | filecheck %s

// CHECK:      FAIL add_saturating (u32, u32) -> u32: these inputs
// CHECK-NEXT:   interpreter: add_saturating(0x1, 0xffffffff) is 0x0, expected 0xffffffff
// CHECK-NEXT:   ptir-conform vyre {{.*}}wrong.mlir --only add_saturating --input 0x1,0xffffffff
// CHECK-NEXT:   ptx: add_saturating(0x1, 0xffffffff) is 0x0, expected 0xffffffff
// CHECK:        f(x, y) = f(y, x): add_saturating(x = 0x1, y = 0xffffffff) is 0x0, expected 0xffffffff
// CHECK:      integer: 0 of 1 op passed

// The saturating sum, which forgets its limit where x is below 4.
vyre.op @add_saturating(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
  %sum = vyre.binop add %x, %y : !vyre.u32
  %most = vyre.constant 4294967295 : !vyre.u32
  %four = vyre.constant 4 : !vyre.u32
  %wrapped = vyre.compare lt %sum, %x : !vyre.u32
  %large = vyre.compare ge %x, %four : !vyre.u32
  %limited = vyre.binop and %wrapped, %large : !vyre.bool
  %r = vyre.select %limited, %most, %sum : !vyre.u32
  vyre.return %r : !vyre.u32
}
