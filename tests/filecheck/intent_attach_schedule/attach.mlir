// RUN: ptir-opt %s -p 'intent-to-ptir{sizes="M=256,N=256"},ptir-to-tiny,form-regions,intent-attach-schedule{arch=sm80}' | filecheck %s
// RUN: sed 's/tile_m = 64/tile_m = 7/' %s | not ptir-opt -p 'intent-to-ptir{sizes="M=256,N=256"},ptir-to-tiny,form-regions,intent-attach-schedule{arch=sm80}' 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: sed 's/tile_m = 64/tile_m = "BLOCK"/; s/pipeline_depth = 2/vec_axis = "N"/' %s | ptir-opt -p 'intent-to-ptir{sizes="M=256,N=256"},ptir-to-tiny,form-regions,intent-attach-schedule{arch=sm80}' | filecheck %s --check-prefix=FREE

// CHECK: region.kernel @gemm_0
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [64,
// CHECK-SAME: stages = 2
// CHECK: func.func @gemm(
// CHECK-NOT: intent.schedule

// A name leaves the choice to the planner.
// FREE: region.kernel @gemm_0
// FREE-NOT: plan

// REFUSED: error[PTIR0307]: no plan of @gemm_0 has tile_m = 7
// REFUSED: help: tile_m can be 16, 32, 64, 128, 256
intent.func @gemm(%a: !intent.tensor<[M, 64], f16>, %b: !intent.tensor<[64, N], f16>) attributes {schedule = {tile_m = 64, pipeline_depth = 2}} {
  %c = intent.matmul %a, %b : (!intent.tensor<[M, 64], f16>, !intent.tensor<[64, N], f16>) -> !intent.tensor<[M, N], f16>
  intent.return %c : !intent.tensor<[M, N], f16>
}
