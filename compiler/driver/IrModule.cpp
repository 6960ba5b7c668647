#include "compiler/driver/IrModule.h"

#include "compiler/gluon/Gluon.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::driver;

frontend::KernelRequest triton::driver::kernelRequest(const CompileRequest &request, const Target &target) {
  frontend::KernelRequest kernel = request.kernel;
  kernel.options = target.language(request.options);
  if (request.options.isGluon)
    kernel.layouts = &gluon::layoutPolicy();
  if (kernel.symbol.empty())
    kernel.symbol = kernel.function->name;
  return kernel;
}

std::shared_ptr<IrModule> triton::driver::emitModule(const CompileRequest &request, Diagnostics &diagnostics) {
  const Target *target = findTarget(request.options.backend);
  if (!target) {
    diagnostics.report({.message = "there is no target '" + request.options.backend + "'", .exception = "ValueError"});
    return nullptr;
  }
  auto result = std::make_shared<IrModule>();
  result->module = frontend::emitKernel(*result->context, kernelRequest(request, *target), diagnostics);
  return result->module ? result : nullptr;
}

std::shared_ptr<IrModule> triton::driver::parseModule(const std::shared_ptr<const Source> &source,
                                                      Diagnostics &diagnostics) {
  auto result = std::make_shared<IrModule>();
  result->module = parseIr(*result->context, source, diagnostics);
  return result->module ? result : nullptr;
}

/// MLIR's reader asks an array's element type for its width, which `index` has not, and crashes. Reports the first.
static bool hasIndexArray(const Source &source, Diagnostics &diagnostics) {
  const llvm::StringRef text = source.text();
  for (size_t at = text.find("array"); at != llvm::StringRef::npos; at = text.find("array", at + 1)) {
    llvm::StringRef rest = text.substr(at + 5).ltrim();
    if (!rest.consume_front("<") || !rest.ltrim().starts_with("index"))
      continue;
    SourceRange range{&source, static_cast<uint32_t>(at), static_cast<uint32_t>(at + 5)};
    diagnostics.report(
        {.range = range, .message = "the elements of an array attribute are integers or floats, not index"});
    return true;
  }
  return false;
}

/// MLIR's reader makes room for as many results as `%x#N` names, before it finds that there are fewer: no op has this many. Reports the first.
static bool hasAbsurdResultNumber(const Source &source, Diagnostics &diagnostics) {
  constexpr uint64_t most = 65535;
  const llvm::StringRef text = source.text();
  for (size_t at = text.find('#'); at != llvm::StringRef::npos; at = text.find('#', at + 1)) {
    llvm::StringRef digits = text.substr(at + 1).take_while(llvm::isDigit);
    const bool isResult =
        text.substr(0, at).rtrim("$._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ").ends_with("%");
    uint64_t number = 0;
    if (!isResult || digits.empty() || (!digits.getAsInteger(10, number) && number <= most))
      continue;
    const uint32_t begin = static_cast<uint32_t>(at + 1);
    diagnostics.report({.range = {&source, begin, begin + static_cast<uint32_t>(digits.size())},
                        .message = ("result number " + digits + " is larger than any op has results").str()});
    return true;
  }
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp> triton::driver::parseIr(mlir::MLIRContext &context,
                                                          const std::shared_ptr<const Source> &source,
                                                          Diagnostics &diagnostics) {
  if (hasIndexArray(*source, diagnostics) || hasAbsurdResultNumber(*source, diagnostics))
    return nullptr;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    Diagnostic converted{.message = diagnostic.str()};
    if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()); place && place.getLine())
      if (place.getLine() <= source->lineCount()) {
        uint32_t offset = source->lineBegin(place.getLine()) + std::max(1u, place.getColumn()) - 1;
        converted.range = {source.get(), offset, offset + 1};
      }
    diagnostics.report(std::move(converted));
  });
  return mlir::parseSourceString<mlir::ModuleOp>(source->text(), mlir::ParserConfig(&context), source->name());
}
