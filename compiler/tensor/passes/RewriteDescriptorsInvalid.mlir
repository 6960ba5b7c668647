// RUN: triton-opt %s --tensor-rewrite-descriptors --verify-diagnostics
tt.func @half_maximum(%d: !tt.tensordesc<tensor<8x16xf16>>, %i: i32, %x: tensor<8x16xf16>) {
  // expected-error @+2 {{atomic_max of 'f16' is not supported on this target}}
  // expected-error @+1 {{failed to legalize}}
  tt.descriptor_reduce max, %d[%i, %i], %x : !tt.tensordesc<tensor<8x16xf16>>, tensor<8x16xf16>
  tt.return
}
