// The dialect `tt`: the tensor IR every kernel becomes first, whatever the target.
#ifndef TRITON_TENSOR_DIALECT
#define TRITON_TENSOR_DIALECT

include "mlir/IR/OpBase.td"

def TensorDialect : Dialect {
  let name = "tt";
  let cppNamespace = "::triton::tensor";
  let summary = "tensors, pointers and programs: the target-independent IR";
  let description = [{
    A kernel is a public `tt.func`. It runs once per program of the launch grid, on values that are scalars or tensors of
    static shape. Every dimension is a power of two and a tensor has at most 1048576 elements.

    Elementwise arithmetic is `arith` and `math`, control flow `scf` (and `cf` before it is structured), undefined values
    `ub.poison`. Integers are signless: the op, not the type, says how a value is read.

    The 8-bit floats of the language are MLIR's:

    | language | IR |
    |---|---|
    | `float8e5` | `f8E5M2` |
    | `float8e4nv` | `f8E4M3FN` |
    | `float8e4b8` | `f8E4M3FNUZ` |
    | `float8e5b16` | `f8E5M2FNUZ` |
    | `float8e4b15` | `f8E4M3B11FNUZ` |

    The last line is a name, not a meaning: MLIR has no e4m3 format of bias 15, so its one other e4m3 type stands for it.
    Nothing in this compiler gives `f8E4M3B11FNUZ` the meaning of bias 11, and constants of that type are not folded.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"];
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = "void registerTypes();";
  let useDefaultTypePrinterParser = 1;
}

#endif
