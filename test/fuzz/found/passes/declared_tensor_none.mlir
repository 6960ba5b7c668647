// run: passes=gpu-pipeline
tt.func private @declared(tensor<f32>)
