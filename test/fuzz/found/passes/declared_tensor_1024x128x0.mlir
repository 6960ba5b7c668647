// run: passes=gpu-pipeline
tt.func private @declared(tensor<1024x128x0xf32>)
