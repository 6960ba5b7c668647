// Every small set of questions has its cheapest answers found: compared with trying all of them.
#include "compiler/gpu/passes/layouts/MinimumCut.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>

using triton::gpu::MinimumCut;

namespace {

struct Pair {
  unsigned first, second;
  int64_t costs[2][2];
};

struct Questions {
  std::vector<std::pair<int64_t, int64_t>> single; // what no and yes cost
  std::vector<Pair> pairs;

  int64_t cost(unsigned answers) const {
    int64_t sum = 0;
    for (size_t index = 0; index < single.size(); ++index)
      sum += answers >> index & 1 ? single[index].second : single[index].first;
    for (const Pair &pair : pairs)
      sum += pair.costs[answers >> pair.first & 1][answers >> pair.second & 1];
    return sum;
  }
};

TEST(MinimumCut, findsTheCheapestAnswers) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  for (unsigned trial = 0; trial < 400; ++trial) {
    Questions questions;
    const unsigned count = 1 + upTo(8);
    for (unsigned index = 0; index < count; ++index)
      questions.single.emplace_back(upTo(20), upTo(20));
    for (unsigned index = 0; index < 2 * count && count > 1; ++index) {
      Pair pair{static_cast<unsigned>(upTo(count)), 0, {{upTo(9), 0}, {0, upTo(9)}}};
      pair.second = (pair.first + 1 + upTo(count - 1)) % count;
      // Differing costs at least as much as agreeing, in sum.
      const int64_t agreeing = pair.costs[0][0] + pair.costs[1][1];
      pair.costs[0][1] = upTo(agreeing + 1);
      pair.costs[1][0] = agreeing - pair.costs[0][1] + upTo(9);
      questions.pairs.push_back(pair);
    }
    MinimumCut cut(count);
    for (unsigned index = 0; index < count; ++index)
      cut.addCost(index, questions.single[index].first, questions.single[index].second);
    for (const auto &[first, second, costs] : questions.pairs)
      cut.addCost(first, second, costs[0][0], costs[0][1], costs[1][0], costs[1][1]);
    unsigned found = 0;
    const std::vector<bool> answers = cut.solve();
    for (unsigned index = 0; index < count; ++index)
      found |= static_cast<unsigned>(answers[index]) << index;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (unsigned all = 0; all < 1u << count; ++all)
      least = std::min(least, questions.cost(all));
    ASSERT_EQ(questions.cost(found), least) << "trial " << trial;
  }
}

TEST(MinimumCut, waysMayBeAsLongAsKernels) {
  constexpr unsigned count = 200000;
  MinimumCut cut(count);
  cut.addCost(0, /*no=*/0, /*yes=*/9);
  cut.addCost(count - 1, /*no=*/7, /*yes=*/0);
  for (unsigned index = 0; index + 1 < count; ++index)
    cut.addCost(index, index + 1, /*noNo=*/0, /*noYes=*/8, /*yesNo=*/8, /*yesYes=*/0);
  // All agree: 7 for no everywhere, 9 for yes everywhere, 8 for a change in between.
  for (bool answer : cut.solve())
    EXPECT_FALSE(answer);
}

} // namespace
