// RUN: ptir-opt %s --mlir-print-value-users | filecheck %s --check-prefix=USERS
// RUN: ptir-opt %s --mlir-print-value-users --print-op-generic | ptir-opt | filecheck %s --check-prefix=AGAIN
// RUN: ptir-opt %s --mlir-print-unique-ssa-ids | filecheck %s --check-prefix=UNIQUE
// RUN: ptir-opt %s --mlir-use-nameloc-as-prefix | ptir-opt | filecheck %s --check-prefix=NAMELOC
// RUN: ptir-opt %s --mlir-elide-elementsattrs-if-larger=3 | filecheck %s --check-prefix=ELIDE
// RUN: ptir-opt %s --mlir-elide-elementsattrs-if-larger=3 | not ptir-opt 2>&1 | filecheck %s --check-prefix=ELIDED
// RUN: ptir-opt %s --mlir-print-elementsattrs-with-hex-if-larger=3 | filecheck %s --check-prefix=HEX
// RUN: ptir-opt %s --mlir-print-elementsattrs-with-hex-if-larger=3 --mlir-print-value-users | ptir-opt | filecheck %s --check-prefix=AGAIN
// RUN: ptir-opt %s --mlir-print-debuginfo --mlir-pretty-debuginfo | filecheck %s --check-prefix=PRETTY
// RUN: ptir-opt %s -p 'func.func(cse)' --mlir-print-skip-regions --mlir-print-ir-after-all -o /dev/null 2>&1 | filecheck %s --check-prefix=SKIP
// RUN: ptir-opt %s --mlir-print-assume-verified --mlir-print-local-scope --mlir-disable-threading=false | filecheck %s --check-prefix=AGAIN

// USERS:      func.func @f(%x: tensor<4xf32>, %unused: tensor<4xf32>)
// USERS-NEXT:   // %x is used by %0
// USERS-NEXT:   // %unused is unused
// USERS-NEXT:   %0 = ptir.exp %x : tensor<4xf32> // users: %1, %2, %7
// USERS-NEXT:   %1 = ptir.neg %0 : tensor<4xf32> // user: %2
// USERS-NEXT:   %2 = ptir.add %0, %1 : tensor<4xf32> // user: %7
// USERS-NEXT:   %3 = ptir.constant {{.*}} // unused
// USERS-NEXT:   %4 = ptir.constant {{.*}} // unused
// USERS-NEXT:   %5 = ptir.constant {{.*}} // unused
// USERS-NEXT:   %6 = ptir.constant {{.*}} // unused
// USERS-NEXT:   func.return %0, %2 : tensor<4xf32>, tensor<4xf32> // id: %7
// USERS:      %0, %1 = func.call {{.*}} // user: (%2), (unused)

// AGAIN:      %0 = ptir.exp %x : tensor<4xf32>{{$}}
// AGAIN:      ptir.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// AGAIN:      ptir.constant dense<[1, 2, 3, 4]> : tensor<4xi32>

// UNIQUE:     %6 = ptir.constant
// UNIQUE:     func.func @g(%x_1: tensor<4xf32>)
// UNIQUE:     %7, %8 = func.call

// NAMELOC:    %sum_of_both = ptir.exp
// NAMELOC:    %_1st = ptir.neg
// NAMELOC:    %sum_of_both_1 = ptir.add %sum_of_both, %_1st

// ELIDE:      ptir.constant dense_resource<__elided__> : tensor<4xf32>
// ELIDE-NEXT: ptir.constant dense_resource<__elided__> : tensor<4xi32>
// ELIDE-NEXT: ptir.constant dense<1.000000e+00> : tensor<9xf32>
// ELIDE-NEXT: ptir.constant dense<[1, 2, 3]> : tensor<3xi8>
// ELIDED:     error[PTIR0051]: the elements of this literal were elided when it was printed
// ELIDED:     help: print it again without --mlir-elide-elementsattrs-if-larger

// HEX:        ptir.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
// HEX-NEXT:   ptir.constant dense<"0x01000000020000000300000004000000"> : tensor<4xi32>
// HEX-NEXT:   ptir.constant dense<1.000000e+00> : tensor<9xf32>
// HEX-NEXT:   ptir.constant dense<[1, 2, 3]> : tensor<3xi8>

// PRETTY:     ptir.exp %x : tensor<4xf32> "sum of both"
// PRETTY:     ptir.neg %0 : tensor<4xf32> "1st"(a.py:1:2)
// PRETTY:     ptir.add %0, %1 : tensor<4xf32> "sum of both"
// PRETTY:     func.return {{.*}} {{[^"]*}}printing_flags.mlir:{{[0-9]+}}:3

// SKIP:       func.func @f({{.*}}) -> ({{.*}}) {...}
// SKIP:       func.func @g({{.*}}) -> {{.*}} {...}
func.func @f(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ptir.exp %x : tensor<4xf32> loc("sum of both")
  %1 = ptir.neg %0 : tensor<4xf32> loc("1st"("a.py":1:2))
  %2 = ptir.add %0, %1 : tensor<4xf32> loc("sum of both")
  %3 = ptir.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %4 = ptir.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %5 = ptir.constant dense<1.0> : tensor<9xf32>
  %6 = ptir.constant dense<[1, 2, 3]> : tensor<3xi8>
  func.return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0, %1 = func.call @f(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return %0 : tensor<4xf32>
}
