// What a style leaves out of the text changes nothing else.

// RUN: ptir-opt %s --mlir-elide-elementsattrs-if-larger=1 | filecheck %s --check-prefix=ELIDE
// RUN: ptir-opt %s --mlir-print-elementsattrs-with-hex-if-larger=-1 | filecheck %s --check-prefix=NUMBERS
// RUN: ptir-opt %s --mlir-use-nameloc-as-prefix | ptir-opt | filecheck %s --check-prefix=NAMES
// RUN: ptir-opt %s --dce --dump=indexbook --mlir-print-skip-regions | filecheck %s --check-prefix=DUMP
// RUN: ptir-opt %s --verify-roundtrip | filecheck %s --check-prefix=AGAIN

// ELIDE-COUNT-2: ptir.constant dense_resource<__elided__> : tensor<2xf32>
// NUMBERS:       ptir.constant dense<[0x7F800000, 1.000000e+00]> : tensor<2xf32>
// NAMES:         %a = ptir.exp %x
// NAMES-NEXT:    %a_1 = ptir.exp %a :
// NAMES-NEXT:    %a_2 = ptir.exp %a_1 :
// NAMES-NEXT:    func.return %a_2
// DUMP-NOT:      neg
// AGAIN:         arith.constant dense_resource<blob> : tensor<4xi32>
// AGAIN:         blob: "0x0400000001000000020000000300000004000000"
func.func @literals() -> (tensor<2xf32>, tensor<2xf32>, tensor<4xi32>) {
  %0 = ptir.constant dense<[0x7F800000, 1.0]> : tensor<2xf32>
  %1 = ptir.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %2 = arith.constant dense_resource<blob> : tensor<4xi32>
  func.return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<4xi32>
}
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %x : tensor<4xf32> loc("a")
  %1 = ptir.exp %0 : tensor<4xf32> loc("a")
  %2 = ptir.exp %1 : tensor<4xf32> loc("a_1")
  func.return %2 : tensor<4xf32>
}
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.unary neg %x : tensor<4xf32> -> tensor<4xf32>
  %1 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000020000000300000004000000"
    }
  }
#-}
