// Reads and writes the `<{name = value, …}>` of layout attributes.
#ifndef TRITON_COMPILER_GPU_DIALECT_ATTRIBUTEFIELDS_H
#define TRITON_COMPILER_GPU_DIALECT_ATTRIBUTEFIELDS_H

#include "compiler/gpu/Gpu.h"
#include "mlir/IR/DialectImplementation.h"

namespace triton::gpu {

/// The fields of one attribute while it is parsed. A field that is missing, has a wrong type or is unknown is an error; after the first
/// the fields read as empty and `finish` fails.
class AttributeFields {
public:
  explicit AttributeFields(mlir::AsmParser &parser) : parser(parser), location(parser.getCurrentLocation()) {}
  /// The fields of the field `name`, which is a `{…}` itself.
  AttributeFields nested(llvm::StringRef name);
  /// `{…}`.
  void parse();
  /// `<{…}>`.
  void parseEnclosed();

  bool has(llvm::StringRef name) const { return fields && fields.get(name); }
  int64_t integer(llvm::StringRef name, std::optional<int64_t> fallback = std::nullopt);
  bool boolean(llvm::StringRef name, bool fallback);
  llvm::SmallVector<int64_t> integers(llvm::StringRef name);
  llvm::SmallVector<unsigned> order(llvm::StringRef name);
  /// Lists of `rank` numbers, flat; `rank` is set by the first list where it is 0. A missing field is no bases when `optional`.
  llvm::SmallVector<int64_t> bases(llvm::StringRef name, int64_t &rank, bool optional = false);
  /// `CGALayout`, or the bases that `CTAsPerCGA`, `CTASplitNum` and `CTAOrder` stand for; none if there is neither.
  llvm::SmallVector<int64_t> cluster(int64_t rank);
  DistributedAttr layout(llvm::StringRef name);

  void fail(const llvm::Twine &message);
  /// Fails if a field was not asked for.
  llvm::LogicalResult finish();
  auto emitError() {
    return [this] { return parser.emitError(location); };
  }

private:
  mlir::Attribute get(llvm::StringRef name, bool optional = false);
  std::optional<llvm::SmallVector<int64_t>> toIntegers(mlir::Attribute attribute);

  mlir::AsmParser &parser;
  llvm::SMLoc location;
  mlir::DictionaryAttr fields;
  llvm::SmallVector<llvm::StringRef> asked;
  bool hasFailed = false;
};

/// `<{vec, perPhase, maxPhase, order, CGALayout}>`: layouts of shared memory that shift rows by phases.
template <typename Attribute> mlir::Attribute parsePhases(mlir::AsmParser &parser) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t vec = fields.integer("vec"), perPhase = fields.integer("perPhase"), maxPhase = fields.integer("maxPhase");
  auto order = fields.order("order");
  auto cluster = fields.cluster(order.size());
  if (failed(fields.finish()))
    return {};
  return Attribute::getChecked(fields.emitError(), parser.getContext(), vec, perPhase, maxPhase, llvm::ArrayRef(order),
                               llvm::ArrayRef(cluster));
}

void printList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> list);
void printList(mlir::AsmPrinter &printer, llvm::ArrayRef<unsigned> list);
/// `[[0, 1], [0, 2]]`.
void printBases(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> flat, int64_t rank);
/// `, CGALayout = [[0, 1]]`, or nothing for one CTA.
void printCluster(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> flat, int64_t rank);
/// What `parsePhases` reads.
template <typename Attribute> void printPhases(mlir::AsmPrinter &printer, Attribute attribute) {
  printer << "<{vec = " << attribute.getVec() << ", perPhase = " << attribute.getPerPhase()
          << ", maxPhase = " << attribute.getMaxPhase() << ", order = ";
  printList(printer, attribute.getOrder());
  printCluster(printer, attribute.getCluster(), attribute.getRank());
  printer << "}>";
}

} // namespace triton::gpu

#endif
