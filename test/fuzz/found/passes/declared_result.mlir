// run: passes=gpu-pipeline
tt.func private @declared() -> tensor<3xf32>
