// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s

// Strings are UTF-8, also as keys and symbols, however they are printed.

// CHECK: func.func @"\C3\A9"() attributes {"\C3\A9" = "\F0\9D\94\B8 \22"} {
func.func @"é"() attributes {"é" = "𝔸 \22"} {
  func.return
}
