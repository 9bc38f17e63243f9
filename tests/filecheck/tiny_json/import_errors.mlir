// RUN: not ptir-translate --import-tiny-json %S/Inputs/bad.json 2>&1 | filecheck %s
// RUN: sed 's/"axes": \["M"\]/"axes": ["K"]/' %S/Inputs/bad.json | not ptir-translate --import-tiny-json 2>&1 | filecheck %s --check-prefix=AXIS
// RUN: sed 's/"inputs": \["y"\]/"inputs": ["s"]/' %S/Inputs/bad.json | not ptir-translate --import-tiny-json 2>&1 | filecheck %s --check-prefix=CYCLE
// RUN: sed 's/fp32/f32/' %S/Inputs/bad.json | not ptir-translate --import-tiny-json 2>&1 | filecheck %s --check-prefix=SCHEMA
// RUN: not ptir-translate --import-tiny-json %s 2>&1 | filecheck %s --check-prefix=IR

// What the verifiers say stands at the op in the JSON, all of it.
// CHECK:      bad.json:3:43: error[PTIR0109]: the element type is i1
// CHECK-NEXT:   {"op": "Unary", "name": "mask", "fn": "exp"
// CHECK-NEXT:                                         ^~~~~
// CHECK:      bad.json:4:48: error[PTIR0108]

// AXIS:      <stdin>:5:96: error[PTIR0643]: axis K is not defined in [M, 3]

// CYCLE:      <stdin>:5:81: error[PTIR0650]: value s depends on itself: s → s

// SCHEMA:      <stdin>:9:20: error[PTIR0641]: unknown word 'f32'
// SCHEMA:      help: it is called fp32

// IR:      import_errors.mlir:1:1: error[PTIR0640]: this is not JSON: invalid character
// IR:      help: a program is JSON; IR is read by --export-tiny-json
