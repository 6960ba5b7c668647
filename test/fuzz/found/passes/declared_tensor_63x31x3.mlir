// run: passes=gpu-pipeline
tt.func private @declared(tensor<63x31x3xf8E5M2FNUZ>)
