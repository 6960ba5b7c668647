#include "mlir/IR/MLIRContext.h"
void dummy(){}
