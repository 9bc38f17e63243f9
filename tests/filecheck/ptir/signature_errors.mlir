// RUN: ptir-opt %s --verify-diagnostics --split-input-file

// Bytes of 4-bit integers, and types that are equal, are a signature.
func.func @f(%x: tensor<18xui8>, %y: memref<3xf32>) -> tensor<0xui8> attributes {ptir.signature = (tensor<7x5xsi4>, tensor<3xf32>) -> tensor<0x4xui4>} {
  %0 = ptir.constant dense<> : tensor<0xui8>
  func.return %0 : tensor<0xui8>
}

// -----

// expected-error @+1 {{'ptir.signature' has a tensor<7x5xsi4> for tensor<17xui8>}}
func.func @f(%x: tensor<17xui8>) attributes {ptir.signature = (tensor<7x5xsi4>) -> ()} {
  func.return
}

// -----

// expected-error @+1 {{'ptir.signature' has a tensor<4xsi8> for tensor<4xui8>}}
func.func @f(%x: tensor<4xui8>) attributes {ptir.signature = (tensor<4xsi8>) -> ()} {
  func.return
}

// -----

// expected-error @+1 {{'ptir.signature' has a tensor<4xsi4> for tensor<2xi8>}}
func.func @f(%x: tensor<2xi8>) attributes {ptir.signature = (tensor<4xsi4>) -> ()} {
  func.return
}

// -----

// expected-error @+1 {{'ptir.signature' has 2 inputs}}
func.func @f(%x: tensor<4xui8>) attributes {ptir.signature = (tensor<4xui8>, tensor<4xui8>) -> ()} {
  func.return
}

// -----

// expected-error @+1 {{'ptir.signature' has 1 output}}
func.func @f(%x: tensor<4xui8>) attributes {ptir.signature = (tensor<4xui8>) -> tensor<4xui8>} {
  func.return
}

// -----

// expected-error @+1 {{'ptir.signature' is 4 : i64}}
func.func @f(%x: tensor<4xui8>) attributes {ptir.signature = 4} {
  func.return
}

// -----

// expected-error @+1 {{'ptir.signature' is set on builtin.module}}
builtin.module attributes {ptir.signature = () -> ()} {
}
