// Several small registers as one larger one and back: pairs of 16-bit floats, words of bytes.
// Taking a word apart and putting the same parts together again gives the word itself, so that ops on pairs follow each other directly.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace triton::simt {

/// The values, all of one type, as a vector.
llvm::Value *pack(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> values);
/// The elements of a vector; the value itself if it is none.
llvm::SmallVector<llvm::Value *, 8> unpack(llvm::IRBuilderBase &builder, llvm::Value *vector);

/// The same bits as another type of the same size; pointers and vectors included.
llvm::Value *bitCast(llvm::IRBuilderBase &builder, llvm::Value *value, llvm::Type *type);

/// The values, one after the other, as integers of `bits` bits; together they fill whole words.
llvm::SmallVector<llvm::Value *, 8> toWords(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> values,
                                            unsigned bits);
/// Words as the values of `type` they consist of.
llvm::SmallVector<llvm::Value *, 8> fromWords(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> words,
                                              llvm::Type *type);

/// The type of several results of one call. That of many has a name: IR as text repeats a type wherever a result is taken out of it, and accumulators
/// of 128 registers made most of a kernel's text.
llvm::StructType *resultsType(llvm::ArrayRef<llvm::Type *> types);

/// The bits that a value of `type` takes in memory: 8 for i1, 64 for a pointer.
unsigned storageBits(llvm::Type *type);
/// The type it has there: a byte for i1, an integer for a pointer.
llvm::Type *storageType(llvm::IRBuilderBase &builder, llvm::Type *type);
llvm::Value *toStorage(llvm::IRBuilderBase &builder, llvm::Value *value);
llvm::Value *fromStorage(llvm::IRBuilderBase &builder, llvm::Value *value, llvm::Type *type);

} // namespace triton::simt
