// How arguments become the bytes that code reads.
#include "dispatch/CodeArguments.h"
#include "dispatch/Descriptor.h"

#include "gtest/gtest.h"

#include <bit>

using namespace triton;
using namespace triton::dispatch;

namespace {

struct Block {
  alignas(64) std::byte bytes[256] = {};
  template <typename T> T at(size_t offset) const {
    T value;
    std::memcpy(&value, bytes + offset, sizeof(value));
    return value;
  }
};

std::string pack(ScalarType type, const Argument &argument) {
  Block block;
  PackFault fault = packScalar(type, argument, block.bytes);
  return fault == PackFault::None ? std::to_string(block.at<uint64_t>(0)) : problemOf(fault, type, "x").message;
}
Argument integer(int64_t value) {
  Argument argument;
  argument.setInteger(value);
  return argument;
}
Argument real(double value) {
  Argument argument;
  argument.setReal(value);
  return argument;
}

TEST(ArgumentLayout, IntegersMustFit) {
  EXPECT_EQ(pack(ScalarType::Int8, integer(-128)), "128");
  EXPECT_EQ(pack(ScalarType::Int8, integer(128)), "the integer x does not fit in an argument of type i8");
  EXPECT_EQ(pack(ScalarType::UInt8, integer(255)), "255");
  EXPECT_EQ(pack(ScalarType::UInt8, integer(-1)), "the integer x does not fit in an argument of type u8");
  EXPECT_EQ(pack(ScalarType::Int64, integer(INT64_MIN)), std::to_string(uint64_t(1) << 63));
  EXPECT_EQ(pack(ScalarType::UInt32, integer(int64_t(1) << 32)),
            "the integer x does not fit in an argument of type u32");
  EXPECT_EQ(pack(ScalarType::Int1, integer(7)), "1");
  EXPECT_EQ(pack(ScalarType::Int32, real(2)), "expected an integer for an argument of type i32, got x");
  Argument natural;
  natural.setNatural(UINT64_MAX);
  EXPECT_EQ(pack(ScalarType::UInt64, natural), std::to_string(UINT64_MAX));
  EXPECT_EQ(pack(ScalarType::Int64, natural), "the integer x does not fit in an argument of type i64");
}

TEST(ArgumentLayout, RealsAreRounded) {
  EXPECT_EQ(pack(ScalarType::Float32, real(0.1)), std::to_string(std::bit_cast<uint32_t>(0.1f)));
  EXPECT_EQ(pack(ScalarType::Float64, integer(3)), std::to_string(std::bit_cast<uint64_t>(3.0)));
  EXPECT_EQ(pack(ScalarType::Float16, real(1.5)), std::to_string(0x3e00));
  EXPECT_EQ(pack(ScalarType::Float16, real(0x1p-24)), "1");
  EXPECT_EQ(pack(ScalarType::Float16, real(1e6)), std::to_string(0x7c00));
  EXPECT_EQ(pack(ScalarType::BFloat16, real(1.999)), std::to_string(0x3fff)) << "truncated";
  EXPECT_EQ(pack(ScalarType::Float8E5, real(1)), "a scalar argument cannot be of type fp8e5");
}

TEST(ArgumentLayout, BlocksAreLaidOutAsInC) {
  std::vector<artifact::Argument> arguments(5);
  const char *types[] = {"u1", "*fp32", "bf16", "i32", "nvTmaDesc"};
  for (size_t index = 0; index < arguments.size(); ++index)
    arguments[index].type = types[index];
  EXPECT_EQ(layOutArguments(arguments), 192u);
  EXPECT_EQ(arguments[1].offset, 8u);
  EXPECT_EQ(arguments[2].offset, 16u);
  EXPECT_EQ(arguments[3].offset, 20u);
  EXPECT_EQ(arguments[4].offset, 64u);
}

TEST(ArgumentLayout, SlotsFollowTheCallersArguments) {
  const CodeArgument code[] = {{"p", "*fp32", 0, true}, {"n", "i32", 8, false}, {"s", "fp16", 12, false}};
  ArgumentLayoutBuilder builder(code, {});
  EXPECT_FALSE(builder.add({{0}}, "*fp32"));
  EXPECT_FALSE(builder.add({{1}}, "constexpr"));
  EXPECT_FALSE(builder.add({{2}}, "i32"));
  EXPECT_EQ(builder.finish()->message, "2 run-time arguments, but the code takes 3");
  const uint16_t inTuple[] = {3, 1};
  EXPECT_FALSE(builder.add(inTuple, "fp16"));
  EXPECT_FALSE(builder.finish());
  auto layout = builder.take();
  EXPECT_EQ(layout->plain[1].kind, PlainSlot::Kind::Integer32);
  EXPECT_EQ(layout->plain[1].parameter, 2);
  EXPECT_EQ(layout->others, std::vector<uint16_t>{2});
  EXPECT_EQ(layout->slots[2].path, std::vector<uint16_t>{1});
}

TEST(ArgumentLayout, DescriptorsInParts) {
  std::vector<artifact::Argument> arguments;
  for (const char *type : {"*fp32", "i64", "i64", "u1", "u1", "i32", "i64"})
    arguments.push_back({.name = "d", .type = type});
  layOutArguments(arguments);
  std::vector<CodeArgument> code;
  for (const artifact::Argument &argument : arguments)
    code.push_back({argument.name, argument.type, argument.offset, argument.isStored});
  ArgumentLayoutBuilder builder(code, {});
  EXPECT_FALSE(builder.add({{0}}, "tensordesc<fp32[32]>"));
  EXPECT_FALSE(builder.finish());
  auto layout = builder.take();
  EXPECT_EQ(layout->slots[0].name, "d");
  Descriptor descriptor;
  descriptor.rank = 1;
  descriptor.shape[0] = 100;
  descriptor.strides[0] = 1;
  descriptor.roundsToTf32 = true;
  Block block;
  ASSERT_FALSE(packDescriptor(descriptor, layout->slots[0].descriptor, 4096, nullptr, block.bytes));
  EXPECT_EQ(block.at<uint64_t>(0), 4096u);
  EXPECT_EQ(block.at<int64_t>(arguments[1].offset), 100);
  EXPECT_FALSE(block.at<bool>(arguments[3].offset));
  EXPECT_TRUE(block.at<bool>(arguments[4].offset));
  EXPECT_EQ(block.at<int32_t>(arguments[5].offset), 100);
  EXPECT_EQ(block.at<int64_t>(arguments[6].offset), 1);
  descriptor.shape[0] = int64_t(1) << 40;
  EXPECT_STREQ(packDescriptor(descriptor, layout->slots[0].descriptor, 4096, nullptr, block.bytes)->exception,
               "OverflowError");
}

TEST(Descriptor, Float32AloneRoundsToTf32) {
  EXPECT_EQ(elementTypeOf(7, true), 11);
  EXPECT_EQ(elementTypeOf(7, false), 7);
  EXPECT_EQ(elementTypeOf(6, true), 6);
  const int64_t shape[] = {64}, strides[] = {1}, block[] = {32};
  EXPECT_FALSE(checkDescriptor(4096, 4, true, shape, strides, block, false, true));
  EXPECT_EQ(checkDescriptor(4096, 2, true, shape, strides, block, false, true)->message,
            "round_f32_to_tf32 is only supported for float32 tensors in a tensor descriptor");
  EXPECT_TRUE(checkDescriptor(4096, 4, false, shape, strides, block, false, true));
}

} // namespace
