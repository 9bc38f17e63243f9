// RUN: ptir-opt %s -p vyre-expand-reductions | filecheck %s
// RUN: ptir-opt %s -p vyre-expand-reductions,vyre-expand-reductions | filecheck %s

// In order: a loop that carries the total. A tree of 3 elements has two levels. Other ops stay.

// CHECK:      vyre.program @p workgroup [1, 1, 1] {
// CHECK-NEXT: %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
// CHECK-NEXT: %i = vyre.position global x
// CHECK-NEXT: %x = vyre.load %a[%i] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %0 = vyre.load %a[%i] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %1 = vyre.constant 1 : !vyre.u32
// CHECK-NEXT: %2 = vyre.constant 5 : !vyre.u32
// CHECK-NEXT: %r = vyre.for %3 = %1 to %2 iter (%4 = %0) -> (!vyre.preview<f32>) {
// CHECK-NEXT: %5 = vyre.binop add %i, %3 : !vyre.u32
// CHECK-NEXT: %6 = vyre.load %a[%5] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %7 = vyre.strict fmax %4, %6 : !vyre.preview<f32>
// CHECK-NEXT: vyre.yield %7 : !vyre.preview<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %8 = vyre.constant 2147483648 : !vyre.preview<f32>
// CHECK-NEXT: %9 = vyre.constant 0 : !vyre.u32
// CHECK-NEXT: %10 = vyre.constant 4 : !vyre.u32
// CHECK-NEXT: %11, %12, %t = vyre.for %13 = %9 to %10 iter (%14 = %8, %15 = %8, %16 = %8) -> (!vyre.preview<f32>, !vyre.preview<f32>, !vyre.preview<f32>) {
// CHECK-NEXT: %17 = vyre.constant 3 : !vyre.u32
// CHECK-NEXT: %18 = vyre.compare lt %13, %17 : !vyre.u32
// CHECK-NEXT: %19 = vyre.binop add %i, %13 : !vyre.u32
// CHECK-NEXT: %20 = vyre.constant 4294967295 : !vyre.u32
// CHECK-NEXT: %21 = vyre.select %18, %19, %20 : !vyre.u32
// CHECK-NEXT: %22 = vyre.load %a[%21] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %23 = vyre.select %18, %22, %8 : !vyre.preview<f32>
// CHECK-NEXT: %24 = vyre.constant 1 : !vyre.bool
// CHECK-NEXT: %25 = vyre.constant 1 : !vyre.u32
// CHECK-NEXT: %26 = vyre.binop and %13, %25 : !vyre.u32
// CHECK-NEXT: %27 = vyre.cast %26 : !vyre.u32 to !vyre.bool
// CHECK-NEXT: %28 = vyre.binop and %24, %27 : !vyre.bool
// CHECK-NEXT: %29 = vyre.unop not %27 : !vyre.bool
// CHECK-NEXT: %30 = vyre.binop and %24, %29 : !vyre.bool
// CHECK-NEXT: %31 = vyre.select %30, %23, %14 : !vyre.preview<f32>
// CHECK-NEXT: %32 = vyre.strict fadd %14, %23 : !vyre.preview<f32>
// CHECK-NEXT: %33 = vyre.select %28, %32, %23 : !vyre.preview<f32>
// CHECK-NEXT: %34 = vyre.constant 2 : !vyre.u32
// CHECK-NEXT: %35 = vyre.binop and %13, %34 : !vyre.u32
// CHECK-NEXT: %36 = vyre.cast %35 : !vyre.u32 to !vyre.bool
// CHECK-NEXT: %37 = vyre.binop and %28, %36 : !vyre.bool
// CHECK-NEXT: %38 = vyre.unop not %36 : !vyre.bool
// CHECK-NEXT: %39 = vyre.binop and %28, %38 : !vyre.bool
// CHECK-NEXT: %40 = vyre.select %39, %33, %15 : !vyre.preview<f32>
// CHECK-NEXT: %41 = vyre.strict fadd %15, %33 : !vyre.preview<f32>
// CHECK-NEXT: %42 = vyre.select %37, %41, %33 : !vyre.preview<f32>
// CHECK-NEXT: vyre.yield %31, %40, %42 : !vyre.preview<f32>, !vyre.preview<f32>, !vyre.preview<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %43 = vyre.constant 0 : !vyre.u32
// CHECK-NEXT: %44 = vyre.constant 1 : !vyre.u32
// CHECK-NEXT: %45 = vyre.binop mul %43, %44 : !vyre.u32
// CHECK-NEXT: %46 = vyre.binop add %i, %45 : !vyre.u32
// CHECK-NEXT: %47 = vyre.load %a[%46] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %48 = vyre.constant 4 : !vyre.u32
// CHECK-NEXT: %49 = vyre.binop mul %43, %48 : !vyre.u32
// CHECK-NEXT: %50 = vyre.binop add %i, %49 : !vyre.u32
// CHECK-NEXT: %51 = vyre.load %a[%50] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %52 = vyre.strict fmul %47, %51 : !vyre.preview<f32>
// CHECK-NEXT: %53 = vyre.constant 1 : !vyre.u32
// CHECK-NEXT: %54 = vyre.constant 7 : !vyre.u32
// CHECK-NEXT: %d = vyre.for %55 = %53 to %54 iter (%56 = %52) -> (!vyre.preview<f32>) {
// CHECK-NEXT: %57 = vyre.constant 1 : !vyre.u32
// CHECK-NEXT: %58 = vyre.binop mul %55, %57 : !vyre.u32
// CHECK-NEXT: %59 = vyre.binop add %i, %58 : !vyre.u32
// CHECK-NEXT: %60 = vyre.load %a[%59] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %61 = vyre.constant 4 : !vyre.u32
// CHECK-NEXT: %62 = vyre.binop mul %55, %61 : !vyre.u32
// CHECK-NEXT: %63 = vyre.binop add %i, %62 : !vyre.u32
// CHECK-NEXT: %64 = vyre.load %a[%63] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
// CHECK-NEXT: %65 = vyre.strict fmul %60, %64 : !vyre.preview<f32>
// CHECK-NEXT: %66 = vyre.strict fadd %56, %65 : !vyre.preview<f32>
// CHECK-NEXT: vyre.yield %66 : !vyre.preview<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %y = vyre.strict fmuladd %r, %t, %d : !vyre.preview<f32>
// CHECK-NEXT: vyre.yield
// CHECK-NEXT: }

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  %x = vyre.load %a[%i] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
  %r = vyre.reduce strict fmax %a[%i] count 5 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %t = vyre.reduce tree fadd %a[%i] count 3 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %d = vyre.dot %a[%i], %a[%i] count 7 steps[1, 4] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
  %y = vyre.strict fmuladd %r, %t, %d : !vyre.preview<f32>
}
