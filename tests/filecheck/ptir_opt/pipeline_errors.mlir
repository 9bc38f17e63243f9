// RUN: not ptir-opt %s -p csee 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not ptir-opt %s --pass-pipeline='builtin.module(func.func(cse)' 2>&1 | filecheck %s --check-prefix=OPEN
// RUN: not ptir-opt %s -p 'convert-scf-to-openmp{collaps=1}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not ptir-opt %s -p 'convert-scf-to-openmp{collapse=many}' 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not ptir-opt %s -t cudaa 2>&1 | filecheck %s --check-prefix=TARGET

// UNKNOWN:      -p:1:1: error[PTIR0602]: unknown pass 'csee'
// UNKNOWN-NEXT:   csee
// UNKNOWN-NEXT:   ^~~~
// UNKNOWN-NEXT: help: did you mean 'cse'

// OPEN:      --pass-pipeline:1:15: error[PTIR0601]: this '(' is never closed
// OPEN-NEXT:   builtin.module(func.func(cse)
// OPEN-NEXT:                 ^

// OPTION:      error[PTIR0603]: pass 'convert-scf-to-openmp' has no option 'collaps'
// OPTION:      help: did you mean 'collapse'? valid options: collapse, nested, schedule, chunk

// VALUE: error[PTIR0604]: option 'collapse' of 'convert-scf-to-openmp' is 'many', expected an integer

// TARGET: -t:1:1: error[PTIR0607]: unknown target 'cudaa'
// TARGET: help: did you mean 'cuda'?
builtin.module {
}
