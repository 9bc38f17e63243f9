// RUN: not ptir-translate --import-json %S/Inputs/bad.json 2>&1 | filecheck %s
// RUN: sed 's/"Transpose"/"Transpoze"/' %S/Inputs/bad.json | not ptir-translate --import-json 2>&1 | filecheck %s --check-prefix=SCHEMA
// RUN: head -c 400 %S/Inputs/bad.json | not ptir-translate --import-json - 2>&1 | filecheck %s --check-prefix=CUT
// RUN: not ptir-translate --import-json %s 2>&1 | filecheck %s --check-prefix=IR
// RUN: not ptir-translate %s 2>&1 | filecheck %s --check-prefix=NEITHER

// What the verifiers say stands at the operation in the JSON, all of it.
// CHECK:      bad.json:11:26: error[PTIR0111]: 'ptir.sqrt' is an extension of PTIR v0.4
// CHECK-NEXT:   {"id": 1, "op": {"ElementwiseUnary": "Sqrt"}
// CHECK-NEXT:                    ^~~~~~~~~~~~~~~~~~
// CHECK-NEXT:   in @f
// CHECK:      bad.json:12:26: error[PTIR0105]: axis 1 is out of range for rank 1

// SCHEMA:      <stdin>:12:26: error[PTIR0641]: unknown field 'Transpoze'
// SCHEMA-NEXT:   {"id": 2, "op": {"Transpoze": {"perm": [0, 1]}}
// SCHEMA-NEXT:                    ^~~~~~~~~~~
// SCHEMA-NEXT: help: did you mean 'Transpose'?

// CUT: <stdin>:{{[0-9]+}}:{{[0-9]+}}: error[PTIR0640]: this is not JSON: the text ends too early
// CUT: note: this is never closed

// IR:      import_errors.mlir:1:1: error[PTIR0640]: this is not JSON: invalid character
// IR:      help: a program is JSON; IR is read by --export-json

// NEITHER: error[PTIR0612]: one of the arguments --import-json --export-json --import-tiny-json --export-tiny-json --import-region-json --export-region-json --import-intent-json --export-intent-json --export-poly-json --json-schema is required
