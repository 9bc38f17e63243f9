// RUN: not ptir-conform vyre %s 2>&1 | filecheck %s
// RUN: not ptir-conform vyre --only add.u33 2>&1 | filecheck %s --check-prefix=NAME
// tests/unit/tools/test_ptir_conform.py has the other errors.

// CHECK:      errors.mlir:10:8: error[PTIR0597]: @approximate.fsin.f32 is in the approximate track, but computes with strict floats
// CHECK:      help: use vyre.approximate
// NAME:       error[PTIR0598]: no op is called 'add.u33'
// NAME-NEXT:  help: did you mean 'add.u32'?
vyre.op @approximate.fsin.f32(%x: !vyre.preview<f32>) -> !vyre.preview<f32> {
  %y = vyre.strict fsin %x : !vyre.preview<f32>
  vyre.return %y : !vyre.preview<f32>
}
