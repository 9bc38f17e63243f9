// RUN: ptir-opt %s -p 'func.func(cse),cse' --mlir-print-ir-after-change 2>&1 >/dev/null | filecheck %s --check-prefix=CHANGE
// RUN: rm -rf %t && ptir-opt %s -p 'cse,func.func(cse)' --mlir-print-ir-tree-dir=%t -o /dev/null
// RUN: filecheck %s --check-prefix=TREE --input-file=%t/builtin_module_no-symbol-name/func_func_f/1_0_cse.mlir
// RUN: ptir-opt %s -p 'func.func(cse)' --mlir-timing 2>&1 >/dev/null | filecheck %s --check-prefix=TIMING
// RUN: ptir-opt %s -p 'func.func(cse)' --mlir-timing --mlir-timing-display=list 2>&1 >/dev/null | filecheck %s --check-prefix=LIST
// RUN: ptir-opt %s -p 'func.func(cse)' --mlir-timing --mlir-output-format=json 2>&1 >/dev/null | filecheck %s --check-prefix=JSON
// RUN: ptir-opt %s -p 'func.func(cse)' --mlir-pass-statistics 2>&1 >/dev/null | filecheck %s --check-prefix=STATISTICS
// RUN: ptir-opt %s -p cse --profile=%t.json -o /dev/null && filecheck %s --check-prefix=PROFILE --input-file=%t.json
// RUN: ptir-opt --list-passes | filecheck %s --check-prefix=PASSES
// RUN: ptir-opt --list-pipelines | filecheck %s --check-prefix=PIPELINES
// RUN: ptir-opt %s -p 'func.func(cse)' --mlir-print-ir-before=cse --mlir-print-ir-module-scope 2>&1 >/dev/null | filecheck %s --check-prefix=SCOPE

// CHANGE:     // -----// IR Dump After cse ('func.func' operation: @f) //----- //
// CHANGE-NOT: IR Dump
// TREE:       // -----// IR Dump After cse ('func.func' operation: @f) //----- //
// TREE-NEXT:  func.func @f
// TIMING:      // wall time:
// TIMING-NEXT: // {{.*}} %  (parse)
// TIMING-NEXT: // {{.*}} %  (verify)
// TIMING-NEXT: // {{.*}} %  'func.func' pipeline
// TIMING-NEXT: // {{.*}} %    cse
// TIMING-NEXT: // {{.*}} %    (verify)
// TIMING-NEXT: // {{.*}} %  (write)
// LIST:       // {{.*}} %  (parse)
// JSON:       "name": "total"
// STATISTICS:      // cse on @f
// STATISTICS-NEXT: //         3  operations
// STATISTICS-NEXT: //         0  operations made
// STATISTICS-NEXT: //         1  operations erased
// PROFILE:    "name": "cse"
// PROFILE-NEXT: "cat": "pass"
// PASSES:     plan-regions {{.*}}Writes a Schedule Plan
// PASSES-NEXT:    arch=<str> {{.*}}(default: sm80)
// PIPELINES:  ptir-to-cuda{arch strategy stages conv tolerance fused} = ptir-check-cuda,ptir-flatten-tuples,ptir-to-tiny,
// SCOPE:      // -----// IR Dump Before cse ('func.func' operation: @f) //----- //
// SCOPE-NEXT: builtin.module {

func.func @f() -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1 : i32
  func.return %1 : i32
}
