// RUN: ptir-opt %s --symbol-dce --split-input-file --allow-unregistered-dialect --verify-diagnostics | filecheck %s
// RUN: ptir-opt %s --symbol-privatize --symbol-dce --split-input-file --allow-unregistered-dialect --verify-diagnostics | filecheck %s --check-prefix=PRIVATE

// CHECK-LABEL: func.func @public(
// CHECK:       func.func private @reached(
// CHECK:       func.func private @reached_too(
// CHECK-NOT:   @dead
// PRIVATE-LABEL: builtin.module
// PRIVATE-NOT:   func.func
// PRIVATE:     // -----
func.func @public() {
  func.call @reached() : () -> ()
  func.return
}
func.func private @reached() {
  func.call @reached_too() : () -> ()
  func.return
}
func.func private @reached_too() {
  func.return
}
func.func private @dead_cycle() {
  func.call @dead_too() : () -> ()
  func.return
}
func.func private @dead_too() {
  func.call @dead_cycle() : () -> ()
  func.return
}
func.func private @dead_declaration()

// -----

// References anywhere in an attribute, of operations that are no symbols, of the entry.
// CHECK-LABEL: ptir.entry = "entry"
// CHECK-NEXT:  func.func private @entry(
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @in_a_list(
// CHECK-NEXT:  func.func private @in_a_dictionary(
// CHECK-NEXT:  "test.op"
// CHECK-NEXT: }
builtin.module attributes {ptir.entry = "entry"} {
  func.func private @entry() {
    func.return
  }
  func.func private @in_a_list()
  func.func private @in_a_dictionary()
  func.func private @nowhere()
  "test.op"() {uses = [1 : i32, [@in_a_list]], more = {deep = @in_a_dictionary}} : () -> ()
}

// -----

// Symbol tables in symbol tables: what is nested or private inside lives if it is referred to.
// CHECK-LABEL: builtin.module @inside
// CHECK-NEXT:    func.func @public(
// CHECK-NEXT:    func.func nested @from_outside(
// CHECK-NEXT:    func.func private @from_inside(
// CHECK-NEXT:    "test.op"
// CHECK-NEXT:  }
// CHECK-NOT:   dead
// CHECK:       "test.op"
builtin.module @inside {
  func.func @public()
  func.func nested @from_outside()
  func.func nested @dead_nested()
  func.func private @from_inside()
  func.func private @dead_private()
  "test.op"() {uses = @from_inside} : () -> ()
}
builtin.module @dead_module attributes {sym_visibility = "private"} {
  func.func @public() {
    func.call @dead_inside() : () -> ()
    func.return
  }
  func.func private @dead_inside()
}
"test.op"() {uses = @inside::@from_outside} : () -> ()

// -----

// A private module stays whole as far as it is referred to.
// CHECK-LABEL: builtin.module @used
// CHECK-NEXT:    func.func nested @f(
// CHECK-NEXT:  }
builtin.module @used attributes {sym_visibility = "private"} {
  func.func nested @f()
  func.func nested @g()
}
"test.op"() {uses = @used::@f} : () -> ()

// -----

// Kernels are referred to by their launches.
// CHECK-LABEL: region.kernel @f_0
// CHECK:       func.func @f(
// CHECK:         region.launch @f_0
"region.kernel"() <{sym_name = "f_0", input_count = 0 : i64, alignments = array<i64: 16>, materialize = ["gmem"]}> ({
^bb0(%y: memref<4xf32>):
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}) {sym_visibility = "private"} : () -> ()
func.func @f(%y: memref<4xf32>) {
  "region.launch"(%y) <{kernel = @f_0, operandSegmentSizes = array<i32: 0, 1>}> : (memref<4xf32>) -> ()
  func.return
}

// -----

func.func private @may_be_used()
// expected-error @+1 {{'unknown.table' may be a symbol table}}
"unknown.table"() ({
  "unknown.op"() {uses = @may_be_used} : () -> ()
}) : () -> ()
