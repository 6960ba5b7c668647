// run: passes=gpu-pipeline
tt.func private @declared(tensor<127xf8E4M3FNUZ>)
