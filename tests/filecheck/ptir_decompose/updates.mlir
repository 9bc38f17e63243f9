// RUN: ptir-opt %s --ptir-decompose=ops=dynamic_update_slice | filecheck %s

// Element i of x is element i - start of the update, which is padded so that it is element i + (4 - start).

// CHECK-LABEL: func.func @update
// CHECK: %[[LOW:.*]] = ptir.maximum %s, %{{.*}} : tensor<2xsi32>
// CHECK-NEXT: %[[START:.*]] = ptir.minimum %[[LOW]], %[[LAST:.*]] : tensor<2xsi32>
// CHECK-NEXT: %[[SHIFT:.*]] = ptir.sub %[[LAST]], %[[START]] : tensor<2xsi32>
// CHECK: %[[ONES:.*]] = ptir.pad %{{.*}} with false : i1 low [4, 0] high [4, 0] interior [0, 0] : tensor<2x3xi1> -> tensor<10x3xi1>
// CHECK-NEXT: %[[WHERE:.*]] = ptir.dynamic_slice %[[ONES]], %[[SHIFT]] : (tensor<10x3xi1>, tensor<2xsi32>) -> tensor<6x3xi1>
// CHECK-NEXT: %[[PADDED:.*]] = ptir.pad %u with 0.0 : f32 low [4, 0] high [4, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<10x3xf32>
// CHECK-NEXT: %[[NEW:.*]] = ptir.dynamic_slice %[[PADDED]], %[[SHIFT]] : (tensor<10x3xf32>, tensor<2xsi32>) -> tensor<6x3xf32>
// CHECK-NEXT: %[[OUT:.*]] = ptir.select %[[WHERE]], %[[NEW]], %x : tensor<6x3xi1>, tensor<6x3xf32>
// CHECK-NEXT: func.return %[[OUT]]
func.func @update(%x: tensor<6x3xf32>, %u: tensor<2x3xf32>, %s: tensor<2xsi32>) -> tensor<6x3xf32> {
  %0 = ptir.dynamic_update_slice %x, %u, %s : tensor<6x3xf32>, tensor<2x3xf32>, tensor<2xsi32>
  func.return %0 : tensor<6x3xf32>
}

// A whole update replaces everything, an empty one nothing; a size that is not known stays.

// CHECK-LABEL: func.func @ends
// CHECK-NEXT: %[[STAYS:.*]] = ptir.dynamic_update_slice %d, %d, %s
// CHECK-NEXT: func.return %y, %x, %[[STAYS]]
func.func @ends(%x: tensor<6xf32>, %y: tensor<6xf32>, %e: tensor<0xf32>, %d: tensor<?xf32>, %s: tensor<1xsi32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<?xf32>) {
  %0 = ptir.dynamic_update_slice %x, %y, %s : tensor<6xf32>, tensor<6xf32>, tensor<1xsi32>
  %1 = ptir.dynamic_update_slice %x, %e, %s : tensor<6xf32>, tensor<0xf32>, tensor<1xsi32>
  %2 = ptir.dynamic_update_slice %d, %d, %s : tensor<?xf32>, tensor<?xf32>, tensor<1xsi32>
  func.return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<?xf32>
}
