#include "compiler/layout/ThreadProgram.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace triton::layout;
using Kind = ThreadStep::Kind;

unsigned ThreadAddress::at(unsigned lane, unsigned warp) const {
  unsigned result = base;
  for (auto [bit, delta] : llvm::enumerate(perLane))
    if (lane >> bit & 1)
      result ^= delta;
  for (auto [bit, delta] : llvm::enumerate(perWarp))
    if (warp >> bit & 1)
      result ^= delta;
  return result;
}

unsigned ThreadProgram::append(ThreadStep step, unsigned defines) {
  step.result = values;
  values += defines;
  steps.push_back(std::move(step));
  return steps.back().result;
}

unsigned ThreadProgram::combine(unsigned a, unsigned b) { return append({.kind = Kind::Combine, .a = a, .b = b}, 1); }

unsigned ThreadProgram::butterfly(unsigned a, llvm::ArrayRef<unsigned> masks) {
  if (masks.empty())
    return a;
  return append({.kind = Kind::Butterfly, .a = a, .masks = llvm::SmallVector<unsigned, 5>(masks)}, 1);
}

unsigned ThreadProgram::exchange(unsigned a, unsigned mask) {
  return append({.kind = Kind::Exchange, .a = a, .masks = {mask}}, 1);
}

unsigned ThreadProgram::shuffle(unsigned a, LaneSource source) {
  return append({.kind = Kind::Shuffle, .a = a, .source = source}, 1);
}

unsigned ThreadProgram::select(ThreadCondition condition, unsigned a, unsigned b) {
  if (condition.isAlways() || a == b)
    return a;
  return append({.kind = Kind::Select, .a = a, .b = b, .condition = condition}, 1);
}

void ThreadProgram::store(unsigned a, ThreadAddress address, ThreadCondition condition) {
  append({.kind = Kind::Store, .a = a, .condition = condition, .address = std::move(address)}, 0);
}

void ThreadProgram::barrier() { append({.kind = Kind::Barrier}, 0); }

unsigned ThreadProgram::load(ThreadAddress address, unsigned count) {
  return append({.kind = Kind::Load, .count = count, .address = std::move(address)}, count);
}

unsigned ThreadProgram::combineAll(llvm::ArrayRef<unsigned> operands) {
  assert(!operands.empty() && "there is no neutral element");
  if (operands.size() == 1)
    return operands[0];
  size_t half = (operands.size() + 1) / 2;
  unsigned first = combineAll(operands.take_front(half));
  return combine(first, combineAll(operands.drop_front(half)));
}

unsigned ThreadProgram::countOf(Kind kind) const {
  return llvm::count_if(steps, [&](const ThreadStep &step) { return step.kind == kind; });
}

static void print(llvm::raw_ostream &out, const ThreadAddress &address) {
  out << "[" << address.base;
  for (auto [bit, delta] : llvm::enumerate(address.perLane))
    if (delta)
      out << " l" << bit << ":" << delta;
  for (auto [bit, delta] : llvm::enumerate(address.perWarp))
    if (delta)
      out << " w" << bit << ":" << delta;
  out << "]";
}

static void print(llvm::raw_ostream &out, const ThreadCondition &condition) {
  out << (condition.negated ? "not(" : "(") << "lane & " << condition.laneMask << " = " << condition.laneValue
      << ", warp & " << condition.warpMask << " = " << condition.warpValue << ")";
}

std::string ThreadProgram::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const ThreadStep &step : steps) {
    if (step.kind != Kind::Store && step.kind != Kind::Barrier)
      out << "%" << step.result << (step.count > 1 ? ".. = " : " = ");
    switch (step.kind) {
    case Kind::Combine:
      out << "combine %" << step.a << ", %" << step.b;
      break;
    case Kind::Butterfly:
      out << "butterfly %" << step.a << " ^";
      for (unsigned mask : step.masks)
        out << " " << mask;
      break;
    case Kind::Exchange:
      out << "exchange %" << step.a << " ^ " << step.masks[0];
      break;
    case Kind::Shuffle:
      out << "shuffle %" << step.a;
      if (step.source.count)
        out << (step.source.up ? " up in " : " down in ") << step.source.count;
      else
        out << " & " << step.source.keep << " | " << step.source.set;
      break;
    case Kind::Select:
      out << "select ";
      print(out, step.condition);
      out << ", %" << step.a << ", %" << step.b;
      break;
    case Kind::Store:
      out << "store %" << step.a << " ";
      print(out, step.address);
      out << " if ";
      print(out, step.condition);
      break;
    case Kind::Barrier:
      out << "barrier";
      break;
    case Kind::Load:
      out << "load " << step.count << " ";
      print(out, step.address);
      break;
    }
    out << "\n";
  }
  out << "results";
  for (unsigned value : results)
    out << " %" << value;
  out << "\n";
  return text;
}
