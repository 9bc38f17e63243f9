// RUN: ptir-opt %s -p ptir-to-tiny --split-input-file --verify-diagnostics

// expected-error@+1 {{the module is written in ptir.v0.3, but this compiler reads ptir.v0.4}}
builtin.module attributes {ptir.spec_version = "ptir.v0.3"} {
}
