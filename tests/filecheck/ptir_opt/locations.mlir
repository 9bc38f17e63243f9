// RUN: ptir-opt %s --mlir-print-debuginfo | filecheck %s
// RUN: ptir-opt %s --mlir-print-debuginfo | ptir-opt --mlir-print-debuginfo | filecheck %s

// As mlir-opt prints them: aliases of operations and arguments after the module, those that others need before it.

#loc = loc("t.mlir":1:1)
module {
  // CHECK:      func.func @f(%x: i32 loc("t.mlir":2:9)) {
  func.func @f(%x: i32 loc(#loc9)) {
    // CHECK-NEXT: loc("CSE"("t.mlir":2:8))
    %0 = arith.addi %x, %x : i32 loc(#loc2)
    // CHECK-NEXT: loc(callsite("CSE"("t.mlir":2:8) at "t.mlir":1:1))
    %1 = arith.addi %x, %0 : i32 loc(#loc3)
    // CHECK-NEXT: loc(fused<"meta">["a", "b"("f.py":9:9 to :10)])
    %2 = arith.addi %x, %1 : i32 loc(fused<"meta">["a", "b"("f.py":9:9 to :10)])
    // CHECK-NEXT: loc("f.py":9:9 to 10:3)
    %3 = arith.addi %x, %2 : i32 loc("f.py":9:9 to 10:3)
    // CHECK-NEXT: loc("f.py":9:0)
    %4 = arith.addi %x, %3 : i32 loc("f.py":9)
    // CHECK-NEXT: loc(fused<loc("q")>[])
    func.return loc(fused<loc("q")>[])
  } loc(#loc)
  // CHECK:      } loc("t.mlir":1:1)
} loc(#loc)
#loc1 = loc("t.mlir":2:8)
#loc2 = loc("CSE"(#loc1))
#loc3 = loc(callsite(#loc2 at #loc))
#loc9 = loc("t.mlir":2:9)
