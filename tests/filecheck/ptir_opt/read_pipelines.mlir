// RUN: not ptir-opt %s -p 'func.fun(cse)' 2>&1 | filecheck %s --check-prefix=ANCHOR
// RUN: not ptir-opt %s -p 'plan-regions{arch=sm80,stages=3}' 2>&1 | filecheck %s --check-prefix=COMMA
// RUN: not ptir-opt %s -p 'builtin.module(cse),builtin.module(dce)' 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not ptir-opt %s -p transform-interpreter 2>&1 | filecheck %s --check-prefix=FOREIGN

// ANCHOR:      -p:1:1: error[PTIR0617]: unknown operation 'func.fun'
// ANCHOR-NEXT:   func.fun(cse)
// ANCHOR-NEXT:   ^~~~~~~~
// ANCHOR-NEXT: help: did you mean 'func.func'?

// COMMA: -p:1:24: error[PTIR0601]: options are separated by spaces: write a space before 'stages'

// TWICE: -p:1:21: error[PTIR0601]: write one builtin.module(…) around the whole pipeline

// What a pass of xDSL says is shown without the module that it prints.
// FOREIGN:      error[PTIR0600]: {{.*}}could not find a nested named sequence
// FOREIGN-NEXT: note: while running pass 'transform-interpreter'
func.func @f() {
  func.return
}
