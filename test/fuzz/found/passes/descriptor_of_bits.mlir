// run: passes=gpu-pipeline
tt.func @kernel(%base: !tt.ptr<i1>, %n: i32, %offset: i32) -> tensor<64xi1> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n], [%one] : <i1>, <tensor<64xi1>>
  %x = tt.descriptor_load %d[%offset] : !tt.tensordesc<tensor<64xi1>> -> tensor<64xi1>
  tt.return %x : tensor<64xi1>
}
