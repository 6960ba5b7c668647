// run: passes=gpu-pipeline
tt.func private @declared(tensor<4294967295x16x5xf64>)
