// A plan of one thread an element for a region of rows: its guards are those of the space of the results, which has 48 elements.
// RUN: printf 'split m 1; split n 16;' > %t.plan
// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions,plan-regions{arch=sm80}" --plan=%t.plan | filecheck %s --check-prefix=DIVIDED
// RUN: printf 'split m 1; split n 40;' > %t.tail
// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions,plan-regions{arch=sm80}" --plan=%t.tail | filecheck %s --check-prefix=GUARDED

// DIVIDED: plan #plan.schedule<{arch = "sm80", tile = [1, 16], vectorize = {axis = "n.i.i", width = 4}}>
// GUARDED: plan #plan.schedule<{arch = "sm80", tile = [1, 40], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["n.i.i"]}>
func.func @sums(%x: tensor<48x100xf32>) -> tensor<48xf32> {
  %0 = ptir.reduce sum %x axes [1] : tensor<48x100xf32> -> tensor<48xf32>
  func.return %0 : tensor<48xf32>
}
