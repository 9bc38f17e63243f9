// RUN: not ptir-opt %s.missing 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not ptir-opt %S 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not ptir-opt %s 2>&1 | filecheck %s

// MISSING: error[PTIR0002]: cannot read '{{.*}}unreadable.mlir.missing': No such file or directory
// FOLDER:  error[PTIR0002]: cannot read '{{.*}}': Is a directory

// CHECK:      unreadable.mlir:{{[0-9]+}}:18: error[PTIR0001]: string is not closed
// CHECK-NOT:  Traceback
"test.op"() {a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa} : () -> ()
