#include "test/cpu/KernelText.h"

namespace triton::test {

std::string KernelText::type(Shape shape, const llvm::Twine &element) {
  if (shape.empty())
    return element.str();
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

std::string KernelText::add(const llvm::Twine &operation, int results) {
  std::string name = "%v" + std::to_string(++count);
  body += "  " + name + (results > 1 ? ":" + std::to_string(results) : "") + " = " + operation.str() + "\n";
  return name;
}

std::string KernelText::pointers(llvm::StringRef base, llvm::StringRef element, Shape shape) {
  std::string index;
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    std::string size = std::to_string(shape[d]);
    std::vector<int64_t> placed{shape[d]};
    std::string part = add("tt.make_range {start = 0 : i32, end = " + size + " : i32} : tensor<" + size + "xi32>");
    for (size_t other = 0; other < shape.size(); ++other) {
      if (other == d)
        continue;
      std::vector<int64_t> wider = placed;
      size_t axis = other < d ? 0 : placed.size();
      wider.insert(wider.begin() + axis, 1);
      part = add("tt.expand_dims " + part + " {axis = " + llvm::Twine(axis) + " : i32} : " + type(placed, "i32") +
                 " -> " + type(wider, "i32"));
      placed = wider;
    }
    std::string step = add("arith.constant dense<" + llvm::Twine(stride) + "> : " + type(placed, "i32"));
    part = add("arith.muli " + part + ", " + step + " : " + type(placed, "i32"));
    part = add("tt.broadcast " + part + " : " + type(placed, "i32") + " -> " + type(shape, "i32"));
    index = index.empty() ? part : add("arith.addi " + index + ", " + part + " : " + type(shape, "i32"));
  }
  std::string all = type(shape, pointer(element));
  std::string start = add("tt.splat " + base + " : " + pointer(element) + " -> " + all);
  return add("tt.addptr " + start + ", " + index + " : " + all + ", " + type(shape, "i32"));
}

std::string KernelText::load(llvm::StringRef base, llvm::StringRef element, Shape shape) {
  return add("tt.load " + pointers(base, element, shape) + " : " + type(shape, pointer(element)));
}

void KernelText::store(llvm::StringRef base, llvm::StringRef element, Shape shape, llvm::StringRef value) {
  std::string place = shape.empty() ? base.str() : pointers(base, element, shape);
  addPlain("tt.store " + place + ", " + value + " : " + type(shape, pointer(element)));
}

std::string KernelText::function(llvm::StringRef arguments) const {
  return "tt.func public @kernel(" + arguments.str() + ") {\n" + body + "  tt.return\n}\n";
}

} // namespace triton::test
