// RUN: not ptir-opt %s -p form-regions 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=FORM
// RUN: not ptir-opt %s -p plan-regions 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=PLAN
// RUN: not ptir-opt %s -p region-to-pto 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=REGION
// RUN: not ptir-opt %s -p ptir-to-tiny,form-regions,pto-to-nv 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=PTO
// RUN: not ptir-opt %s -t cuda 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=CUDA
// RUN: not ptir-opt %s -p ptir-to-tiny --dump=tiny,plan 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=DUMP
// RUN: not ptir-opt %s -p 'ptir-prepare-parameters{parameters=weights}' 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=PARAMETER
// RUN: not ptir-opt %s -p 'ptir-canonicalize{rules=fast-div-constants}' 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=RULE
// RUN: not ptir-opt %s -p 'ptir-canonicalize{rules=commute}' 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=FAR

// The codes of passes that are given a program of another level, or names that it does not have.

// FORM:      {{.*}}error[PTIR0211]: 'ptir.neg' does not belong in the input of form-regions
// FORM:      help: run ptir-to-tiny first

// PLAN:      {{.*}}error[PTIR0211]: 'ptir.neg' does not belong in the input of plan-regions
// PLAN:      help: run ptir-to-tiny,form-regions first

// REGION:    {{.*}}error[PTIR0211]: 'ptir.neg' does not belong in the input of region-to-pto
// REGION:    help: run ptir-to-tiny,form-regions first

// PTO:       {{.*}}error[PTIR0211]: 'region.kernel' does not belong in the input of pto-to-nv
// PTO:       help: run plan-regions,region-to-pto first

// CUDA:      {{.*}}error[PTIR0211]: 'ptir.neg' does not belong in the input of the CUDA printer
// CUDA:      help: lower to nv first, for example with the pipeline ptir-to-cuda{arch=sm80}

// DUMP:      error[PTIR0615]: the program was never at level plan in builtin.module(ptir-to-tiny)
// DUMP:      help: without passes, --dump runs ptir-to-cuda, which reaches every level below that of the program

// PARAMETER: {{.*}}error[PTIR0215]: no function has an argument %weights
// PARAMETER: help: the named arguments are: x

// RULE:      {{.*}}error[PTIR0213]: no rule is called 'fast-div-constants'
// RULE:      help: did you mean fast-div-constant, fast-mul-div-constants, fast-div-mul-constants?

// FAR:       {{.*}}error[PTIR0213]: no rule is called 'commute'
// FAR:       help: docs/reference/rules.md lists the rules

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.neg %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
