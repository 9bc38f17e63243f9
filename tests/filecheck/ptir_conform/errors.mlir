// RUN: not ptir-conform vyre %s 2>&1 | filecheck %s --check-prefix=MIXED
// RUN: not ptir-conform vyre %S/Inputs/types.mlir 2>&1 | filecheck %s --check-prefix=TYPES
// RUN: not ptir-conform vyre %S/Inputs/unnamed.mlir 2>&1 | filecheck %s --check-prefix=UNNAMED
// RUN: not ptir-conform vyre --only add.u32,approximate.fexp.f32 2>&1 | filecheck %s --check-prefix=TRACKS
// RUN: not ptir-conform vyre 2>&1 | filecheck %s --check-prefix=ALL
// RUN: not ptir-conform vyre --track strict --only add.u32 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not ptir-conform vyre --only add.u33 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not ptir-conform vyre --only add.u32 --input 1 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not ptir-conform vyre --only add.vec2u32 --input 1:2,3 2>&1 | filecheck %s --check-prefix=VECTOR
// RUN: not ptir-conform vyre --only crc32 --input bytes:123,3 2>&1 | filecheck %s --check-prefix=BYTES
// RUN: not ptir-conform vyre --track integer --input 1 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not ptir-conform vyre --only fexp.f32 --count 1 --backends interpreter --all-inputs --state %s 2>&1 | filecheck %s --check-prefix=STATE
// RUN: not ptir-conform vyre --backends gpu 2>&1 | filecheck %s --check-prefix=BACKEND

// MIXED:      errors.mlir:{{[0-9]+}}:8: error[PTIR0597]: @approximate.fsin.f32 is in the approximate track, but computes with strict floats
// MIXED:      help: use vyre.approximate
// TYPES:      types.mlir:1:1: error[PTIR0598]: @popcount is (i32) -> i32, but what it implements is (u32) -> u32
// TYPES:      help: give it these types, or another name
// UNNAMED:    error[PTIR0598]: no op of this file has an oracle
vyre.op @approximate.fsin.f32(%x: !vyre.preview<f32>) -> !vyre.preview<f32> {
  %y = vyre.strict fsin %x : !vyre.preview<f32>
  vyre.return %y : !vyre.preview<f32>
}

// UNNAMED:    help: name a vyre.op as what it implements: @popcount, @add.u32, @fexp.f32; --list names all
// TRACKS:     error[PTIR0597]: add.u32 (integer) and approximate.fexp.f32 (approximate) are not certified together
// TRACKS:     help: choose one of --track integer, approximate
// ALL:        error[PTIR0597]: add.u32 (integer) and fadd.f32 (strict) and approximate.fdiv.f32 (approximate) are not certified together
// NOTHING:    error[PTIR0598]: nothing is certified
// NAME:       error[PTIR0598]: no op is called 'add.u33'
// NAME-NEXT:  help: did you mean 'add.u32'?
// COUNT:      error[PTIR0598]: --input 1 has 1 operands
// COUNT-NEXT: help: add.u32 takes (u32, u32) -> u32: write a number for each operand, A:B:… for a vector, bytes:DIGITS for a buffer
// VECTOR:     error[PTIR0598]: --input 1:2,3: '3' is not a vec2u32
// BYTES:      error[PTIR0598]: --input bytes:123,3: non-hexadecimal number found
// MANY:       error[PTIR0598]: --input is an input of 175 ops
// BACKEND:    there is no backend 'gpu'
// STATE:      error[PTIR0598]: {{.*}}errors.mlir is not a file of --state: JSON is malformed
