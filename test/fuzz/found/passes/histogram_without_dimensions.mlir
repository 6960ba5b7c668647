// run: passes=gpu-allocate-shared
tt.func @kernel(%x: tensor<4x4xi32>) {
  %0 = tt.histogram %x : tensor<4x4xi32> -> tensor<i16>
  tt.return
}
