// run: passes=gpu-pipeline
tt.func private @declared(tensor<0xf32>)
