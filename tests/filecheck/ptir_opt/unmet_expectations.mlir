// RUN: not ptir-opt %s --split-input-file --verify-diagnostics 2>&1 >/dev/null | filecheck %s

// CHECK: unmet_expectations.mlir:4:4: error[PTIR0611]: expected error "nothing of the kind" was not produced
// expected-error @+1 {{nothing of the kind}}
"test.op"() : () -> ()

// -----

// CHECK: unmet_expectations.mlir:{{[0-9]+}}:{{[0-9]+}}: error[PTIR0100]: unexpected error: 'func.return'
func.func @f() -> i32 {
  func.return
}
