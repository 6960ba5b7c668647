#include "compiler/frontend/emitter/EmitKernel.h"

#include "compiler/frontend/filehost/FileHost.h"
#include "dispatch/Text.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::StringRef;

static ArgumentSpec parseArgument(StringRef text) {
  ArgumentSpec spec;
  text = text.trim();
  auto [typeText, divisor] = text.split(':');
  if (auto type = Type::parse(typeText.trim())) {
    spec.type = *type;
    int64_t number;
    if (!divisor.trim().getAsInteger(10, number))
      spec.attributes.emplace_back("tt.divisibility", number);
    return spec;
  }
  spec.kind = ArgumentSpec::Kind::Constant;
  int64_t integer;
  double real;
  if (text == "None")
    spec.constant = Value::none();
  else if (text == "True" || text == "False")
    spec.constant = Value::boolean(text == "True");
  else if (!text.getAsInteger(10, integer))
    spec.constant = Value::integer(integer);
  else if (!text.getAsDouble(real))
    spec.constant = Value::real(real);
  else
    spec.constant = Value::string(text.trim("\"'").str());
  return spec;
}

/// `a, (b, c)` at the outer commas.
static std::vector<ArgumentSpec> parseSignature(StringRef text) {
  std::vector<ArgumentSpec> arguments;
  for (StringRef item : dispatch::splitEntries(text)) {
    if (item.consume_front("(")) {
      item.consume_back(")");
      ArgumentSpec tuple;
      tuple.kind = ArgumentSpec::Kind::Tuple;
      tuple.elements = parseSignature(item);
      arguments.push_back(std::move(tuple));
    } else {
      arguments.push_back(parseArgument(item));
    }
  }
  return arguments;
}

Emitted triton::frontend::emitText(StringRef text, StringRef signature, StringRef kernel, LanguageOptions options) {
  Emitted result;
  Diagnostics diagnostics;
  auto source =
      Source::create("kernel.py", ("import triton; import triton.language as tl\n" + text).str(), /*firstLine=*/0);
  auto host = FileHost::create(source, diagnostics);
  auto finish = [&] {
    result.errors = render(diagnostics.all(), /*color=*/false);
    for (const Diagnostic &diagnostic : diagnostics.all())
      result.messages.push_back(diagnostic.message);
    return result;
  };
  if (!host)
    return finish();
  std::shared_ptr<const Function> function;
  if (kernel.empty()) {
    auto all = host->kernels();
    function = all.empty() ? nullptr : all.back();
  } else {
    function = host->kernel(kernel);
  }
  if (!function) {
    result.errors = "no kernel";
    return result;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = emitKernel(context, {function, parseSignature(signature), "", std::move(options)}, diagnostics);
  if (module) {
    llvm::raw_string_ostream os(result.ir);
    module->print(os, mlir::OpPrintingFlags().printNameLocAsPrefix());
    llvm::raw_string_ostream locatedOs(result.located);
    module->print(locatedOs, mlir::OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/true));
  }
  return finish();
}
