// Makes broken programs from good ones, repeatably: the same corpus, seed and number give the same text.
//   In:  texts of Python or IR.
//   Out: one of them with a few changes. Some know nothing but tokens: these are deleted, repeated, swapped, taken from another text, or replaced by
//   awkward ones. Others know the grammar (Grammar.h) and mostly keep it, so that what they make gets past the reader.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace triton::fuzz {

class Grammar;

class Mutator {
public:
  /// `grammar` may be null, and outlives the mutator.
  Mutator(std::vector<std::string> corpus, uint64_t seed, const Grammar *grammar);
  std::string make(uint64_t number) const;

private:
  using Tokens = std::vector<std::string>;
  using Random = std::mt19937_64;

  std::string changeTokens(const std::string &text, Random &random) const;
  void mutate(Tokens &tokens, Random &random) const;
  void replaceByItsLike(Tokens &tokens, Random &random) const;

  std::vector<std::string> texts;
  std::vector<Tokens> corpus;
  Tokens vocabulary;          // every token of the corpus once, and awkward ones
  std::vector<Tokens> byKind; // the same, sorted by what they look like
  uint64_t seed;
  const Grammar *grammar;
};

} // namespace triton::fuzz
