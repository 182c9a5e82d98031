// Coordinate ascent in the dual: hostile rows, and vectors and multipliers that somebody else wrote. No multiplier
// leaves its range, and dense rows, the same rows sparse, and a pass in two calls give the same bits. Besides, columns
// are numbered afresh.
#include "regretless/ascent_types.hpp"

#include <algorithm>
#include <set>

#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Machines {
  std::int64_t columns;
  int machines;
  double intercept;
  bool last;
  std::vector<double> most, vectors, biases, multipliers, lacks;

  Machines(Input& in, Rounds& r)
      : columns(in.below(20)), machines(in.flag() ? penalties : 2 * penalties), last(in.flag()) {
    const bool sound = in.byte() < 192;
    fill(in, r, columns, 1, sound);
    intercept = sound ? in.finite() : in.any();
    most = array<double>(machines, [&] { return std::fabs(in.finite()) + 5e-324; });
    const auto number = [&] { return sound ? 0.0 : in.any() + 0.0; };  // no weight is -0
    vectors = array<double>(columns * machines, number);
    biases = array<double>(machines, number);
    for (std::int64_t k = 0; k < r.block.rows * machines; ++k)
      multipliers.push_back(sound ? 0 : in.unit() * most[std::size_t(k % machines)]);
    multipliers.shrink_to_fit();
    lacks = std::vector<double>(multipliers.size());
  }
  Ascent ascent(const Rounds& r) {
    Ascent a;
    a.penalties = machines;
    a.vectors = at(vectors);
    a.biases = at(biases);
    a.multipliers = at(multipliers);
    a.most = at(most);
    a.columns = columns;
    a.rounds = r.count;
    a.lacks = last ? at(lacks) : nullptr;
    return a;
  }
  LinearVerdict climb(const Rounds& r, std::int64_t begin, std::int64_t end) {
    return KERNELS(ascent_kernels_).climb(r.block, r.of, intercept, ascent(r), begin, end);
  }
  LinearVerdict to_means(const Rounds& r) {
    Block block = r.block;
    block.order = nullptr;
    return last ? KERNELS(ascent_kernels_).to_means(block, intercept, ascent(r)) : LinearVerdict{};
  }
  bool is_like(const Machines& other) const {
    return same(vectors, other.vectors) && same(biases, other.biases) && same(multipliers, other.multipliers) &&
           same(lacks, other.lacks);
  }
};

// Columns numbered afresh, beside a set that says the same plainly.
template <class I, class Mark, class Rank>
void number(Input& in, Mark mark, Rank rank) {
  const std::int64_t columns = in.below(300);
  const bool sound = in.flag();
  std::vector<I> theirs;
  for (std::int64_t k = in.below(20); k > 0; --k)
    theirs.push_back(I(sound && columns ? in.below(columns) : in.hostile()));
  theirs.shrink_to_fit();
  const std::set<I> occurring(theirs.begin(), theirs.end());
  std::vector<I> numbers(theirs.size());
  std::vector<RankWord> words(std::size_t(rank_words(columns)));
  const auto entries = std::int64_t(theirs.size());
  const std::int64_t count = mark(at(theirs), at(numbers), entries, columns, words.data());
  if (theirs.empty() || (*occurring.begin() >= 0 && *occurring.rbegin() < columns)) {
    MUST(count == std::int64_t(occurring.size()));
    std::vector<std::int64_t> used(occurring.size());
    rank(at(numbers), entries, columns, words.data(), at(used));
    MUST(std::equal(used.begin(), used.end(), occurring.begin()));
    for (std::size_t k = 0; k < theirs.size(); ++k) MUST(used[std::size_t(numbers[k])] == theirs[k]);
  } else {
    MUST(count == -1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const AscentKernels& kernels = KERNELS(ascent_kernels_);
  if (in.byte() < 32) number<std::int32_t>(in, kernels.mark_narrow, kernels.rank_narrow);
  else if (in.byte() < 32) number<std::int64_t>(in, kernels.mark_wide, kernels.rank_wide);
  Rounds r;
  Machines whole(in, r);
  Machines cut = whole, thinner = whole;
  const std::int64_t middle = in.within(r.begin, r.end);
  const LinearVerdict verdict = whole.climb(r, r.begin, r.end);
  MUST(verdict.played >= r.begin && verdict.played <= r.end);
  MUST((verdict.refusal == LinearRefusal::none) == (verdict.played == r.end));
  for (std::size_t k = 0; k < whole.multipliers.size(); ++k)
    MUST(whole.multipliers[k] >= 0 && whole.multipliers[k] <= whole.most[k % std::size_t(whole.machines)]);
  LinearVerdict other = cut.climb(r, r.begin, middle);
  if (other.refusal == LinearRefusal::none) other = cut.climb(r, middle, r.end);
  MUST(other.played == verdict.played && other.refusal == verdict.refusal && cut.is_like(whole));
  if (!can_be_thinned(r, whole.columns) || !all_finite(whole.vectors) || !all_finite(whole.biases)) return 0;
  Rounds sparse;
  thin(r, sparse);
  other = thinner.climb(sparse, r.begin, r.end);
  MUST(other.played == verdict.played && other.refusal == verdict.refusal && thinner.is_like(whole));
  const LinearVerdict means = whole.to_means(r);
  other = thinner.to_means(sparse);
  MUST(other.played == means.played && other.refusal == means.refusal && thinner.is_like(whole));
  return 0;
}
