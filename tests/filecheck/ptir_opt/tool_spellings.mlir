// RUN: ptir-opt %s --cse -p dce --pass-pipeline='builtin.module(canonicalize)' -p cse --dump-pass-pipeline 2>&1 >/dev/null | filecheck %s --check-prefix=ORDER
// RUN: ptir-opt --verify-diagnostics --verify-each=false --mlir-disable-threading %s | filecheck %s --check-prefix=RESULT
// RUN: ptir-opt --mlir-print-ir-after cse %s --cse --dce 2>&1 >/dev/null | filecheck %s --check-prefix=AFTER
// RUN: ptir-opt -mlir-print-ir-before=cse,dce %s --cse --canonicalize --dce 2>&1 >/dev/null | filecheck %s --check-prefix=BEFORE
// RUN: ptir-opt --cse -- %s | filecheck %s --check-prefix=RESULT
// RUN: ptir-opt %s -t 'mlir{print-generic-format}' | filecheck %s --check-prefix=GENERIC
// RUN: not ptir-opt %s --plan-regions='arch=sm80},cse{' 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not ptir-opt %s --split-input-file=//// 2>&1 | filecheck %s --check-prefix=MARKER
// RUN: not ptir-opt %s -- --cse 2>&1 | filecheck %s --check-prefix=FILES
// RUN: not ptir-opt %s --debug-only='fusion, contractions' 2>&1 | filecheck %s --check-prefix=MODULES

// What people who know mlir-opt type.

// ORDER:        {{^}}builtin.module(cse,dce,canonicalize,cse){{$}}
// RESULT:       func.func @f
// AFTER:        IR Dump After cse
// AFTER-NOT:    IR Dump
// BEFORE:       IR Dump Before cse
// BEFORE-NOT:   canonicalize
// BEFORE:       IR Dump Before dce
// GENERIC:      "func.func"() <{
// ONE:          <command line>:1:25: error[PTIR0601]: expected an option name
// MARKER:       error[PTIR0612]: argument --split-input-file: '////' is neither true nor false
// MARKER-NEXT:  help: the only separator of pieces is a line `// -----`
// FILES:        error[PTIR0612]: only one input file is allowed, and '--cse' is another
// MODULES:      error[PTIR0612]: argument --debug-only: there is no module that logs 'contractions'
// MODULES-NEXT: help: did you mean 'contraction'?

func.func @f() {
  func.return
}
