// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// GENERIC: "pto.tile.rowsum"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pto.tile<4x64xf32>) -> !pto.tile<4x1xf32>
// GENERIC: "pto.tile.rowexpand"(%s) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pto.tile<4x1xf32>) -> !pto.tile<4x64xf32>

// CHECK-LABEL: pto.kernel @rows
pto.kernel @rows() -> () {
  pto.tiles (%m, %n) in [8, 40] step [4, 64] {
    %t, %i, %p = "test.op"() : () -> (!pto.tile<4x64xf32>, !pto.tile<2x4x8xui8>, !pto.tile<64xi1>)
    // CHECK: %s = pto.tile.rowsum %t : tile<4x64xf32> -> tile<4x1xf32>
    %s = pto.tile.rowsum %t : tile<4x64xf32> -> tile<4x1xf32>
    // CHECK-NEXT: %product = pto.tile.rowprod %i : tile<2x4x8xui8> -> tile<2x4x1xui8>
    %product = pto.tile.rowprod %i : tile<2x4x8xui8> -> tile<2x4x1xui8>
    // CHECK-NEXT: %any = pto.tile.rowmax %p : tile<64xi1> -> tile<1xi1>
    %any = pto.tile.rowmax %p : tile<64xi1> -> tile<1xi1>
    // CHECK-NEXT: %least = pto.tile.rowmin %t {pto.name = "least"} : tile<4x64xf32> -> tile<4x1xf32>
    %least = pto.tile.rowmin %t {pto.name = "least"} : tile<4x64xf32> -> tile<4x1xf32>
    // CHECK-NEXT: %whole = pto.tile.rowexpand %s : tile<4x1xf32> -> tile<4x64xf32>
    %whole = pto.tile.rowexpand %s : tile<4x1xf32> -> tile<4x64xf32>
    // CHECK-NEXT: %inner = pto.tile.rowexpand %product : tile<2x4x1xui8> -> tile<2x4x3xui8>
    %inner = pto.tile.rowexpand %product : tile<2x4x1xui8> -> tile<2x4x3xui8>
    // CHECK-NEXT: %one = pto.tile.rowsum %s : tile<4x1xf32> -> tile<4x1xf32>
    %one = pto.tile.rowsum %s : tile<4x1xf32> -> tile<4x1xf32>

    // Partial results: the row is dealt out in runs of two elements, or of one.

    // CHECK-NEXT: %parts = pto.tile.rowmax %t run 2 : tile<4x64xf32> -> tile<4x8xf32>
    %parts = pto.tile.rowmax %t run 2 : tile<4x64xf32> -> tile<4x8xf32>
    // CHECK-NEXT: %dealt = pto.tile.rowexpand %parts run 2 : tile<4x8xf32> -> tile<4x64xf32>
    %dealt = pto.tile.rowexpand %parts run 2 : tile<4x8xf32> -> tile<4x64xf32>
    // CHECK-NEXT: %groups = pto.tile.rowsum %t run 2 group 16 : tile<4x64xf32> -> tile<4x8xf32>
    %groups = pto.tile.rowsum %t run 2 group 16 : tile<4x64xf32> -> tile<4x8xf32>
    // CHECK-NEXT: %each = pto.tile.rowsum %t run 1 : tile<4x64xf32> -> tile<4x64xf32>
    %each = pto.tile.rowsum %t run 1 : tile<4x64xf32> -> tile<4x64xf32>

    // A mask without a set is of the box: where rows end.

    // CHECK-NEXT: %mask = pto.tile.mask{{ ?}}[%m, %n] in [8, 40] dims [0, 1] : tile<4x64xi1>
    %mask = pto.tile.mask [%m, %n] in [8, 40] dims [0, 1] : tile<4x64xi1>
  }
}
