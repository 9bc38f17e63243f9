// RUN: ptir-verify %S/Inputs/softmax.json --against %S/Inputs/kernels.py:softmax --cases 6 | filecheck %s --check-prefix=GOOD
// RUN: not ptir-verify %S/Inputs/softmax.json --against %S/Inputs/kernels.py:tail_is_lost --layers differential --counterexample %t.json | filecheck %s --check-prefix=WRONG
// RUN: not ptir-verify %S/Inputs/softmax.json --against %S/Inputs/kernels.py:tail_is_lost --case %t.json | filecheck %s --check-prefix=AGAIN
// RUN: ptir-verify %S/Inputs/softmax.json --against %S/Inputs/kernels.py:softmax --case %t.json --format json | filecheck %s --check-prefix=JSON
// RUN: not ptir-verify %S/Inputs/softmax.json --against %S/Inputs/kernels.py:nothing 2>&1 | filecheck %s --check-prefix=NAME
// RUN: echo '{"args": ["x", "y"]}' > %t.launch.json
// RUN: not ptir-verify %S/Inputs/softmax.json --against nothing.so:f --launch %t.launch.json 2>&1 | filecheck %s --check-prefix=LIBRARY
// RUN: not ptir-verify %S/Inputs/softmax.json --against nothing.so:f 2>&1 | filecheck %s --check-prefix=LAUNCH
// RUN: not ptir-verify %S/Inputs/softmax.json --against nothing 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not ptir-verify %S/Inputs/softmax.json --against %S/Inputs/kernels.py:softmax --layers proof 2>&1 | filecheck %s --check-prefix=LAYER
// RUN: echo "func.func @f() { func.return }" | not ptir-verify - --against nothing.json 2>&1 | filecheck %s --check-prefix=NONE

// GOOD:      PASS: {{.*}}kernels.py:softmax against @softmax (contract FULL)
// GOOD-NEXT:   PASS    well-formed
// GOOD-NEXT:   PASS    obligations
// GOOD-NEXT:   PASS    differential
// GOOD-NEXT:   PASS    stability
// GOOD-NEXT:   PASS    determinism

// WRONG:      FAIL: {{.*}}kernels.py:tail_is_lost against @softmax (contract FULL)
// WRONG:        FAIL    differential
// WRONG-NEXT:     1 of 17 elements differ: output 0 at [0, 16] is 0.0, expected 0.0588235
// WRONG-NEXT:     with M = 1, N = 17

// AGAIN:     FAIL: {{.*}}kernels.py:tail_is_lost against @softmax
// AGAIN:       1 given

// JSON: "status": "PASS"

// NAME:  error[PTIR0101]: '--against' names 'nothing', which is no function of {{.*}}kernels.py
// NAME:  help: its functions are softmax, tail_is_lost
// LIBRARY: error[PTIR0588]: nothing.so cannot be used: {{.*}}nothing.so: cannot open shared object file
// LIBRARY: help: a candidate in C is a function that a shared library exports
// LAUNCH: error[PTIR0101]: '--against' is a kernel or a function of C
// LAUNCH: help: --launch FILE says how it is called
// KIND:  error[PTIR0101]: '--against' is 'nothing'
// LAYER: error[PTIR0101]: 'layers' has 'proof'
// NONE:  error[PTIR0587]: the module has 0 functions of the intent dialect, expected one
