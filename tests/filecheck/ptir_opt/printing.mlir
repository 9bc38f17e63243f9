// RUN: ptir-opt %s --print-debuginfo | filecheck %s --check-prefix=LOC
// RUN: ptir-opt %s --cse --mlir-print-ir-after-all --mlir-timing 2>&1 >/dev/null | filecheck %s --check-prefix=DUMP
// RUN: ptir-opt %s --verify-roundtrip --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: ptir-opt %s --cse= --dump-pass-pipeline 2>&1 >/dev/null | filecheck %s --check-prefix=PIPELINE

// LOC:      %0 = arith.constant 1 : i32 loc("{{.*}}printing.mlir":{{[0-9]+}}:8)
// DUMP:      // -----// IR Dump After cse //----- //
// DUMP-NEXT: builtin.module {
// DUMP:      // wall time:
// GENERIC:  "func.return"(%0) : (i32) -> ()
// PIPELINE: builtin.module(cse)
func.func @f() -> i32 {
  %0 = arith.constant 1 : i32
  func.return %0 : i32
}
