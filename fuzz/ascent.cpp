// Coordinate ascent in the dual: hostile rows, and vectors and multipliers that somebody else wrote. No multiplier
// leaves its range, and dense rows, the same rows sparse, and a pass in two calls, of columns that are copied, give the
// same bits; so do several classes at once and one after the other. Besides, columns are numbered afresh, and vectors
// measured side by side.
#include "regretless/ascent_types.hpp"

#include <algorithm>
#include <set>

#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Machines {
  std::int64_t columns, classes;
  int machines;  // of each class
  double intercept;
  bool last;
  std::vector<double> most, vectors, biases, multipliers, lacks, gains;

  Machines(Input& in, Rounds& r, std::int64_t classes)
      : columns(in.below(20)), classes(classes), machines(in.flag() || classes > 1 ? penalties : 2 * penalties),
        last(in.flag()) {
    const bool sound = in.byte() < 192;
    fill(in, r, columns, classes, sound);
    intercept = sound ? in.finite() : in.any();
    most = array<double>(machines, [&] { return std::fabs(in.finite()) + 5e-324; });
    const auto number = [&] { return sound ? 0.0 : in.any() + 0.0; };  // no weight is -0
    vectors = array<double>(columns * width(), number);
    biases = array<double>(width(), number);
    for (std::int64_t k = 0; k < r.block.rows * width(); ++k)
      multipliers.push_back(sound ? 0 : in.unit() * most[std::size_t(k % machines)]);
    multipliers.shrink_to_fit();
    lacks = std::vector<double>(std::size_t((columns + 1) * width()));
    gains = std::vector<double>(last ? 0 : std::size_t(width()));
  }
  std::int64_t width() const { return classes * machines; }
  Ascent ascent(const Rounds& r, std::vector<double>& products) {
    Ascent a;
    a.penalties = machines;
    a.classes = classes;
    a.products = at(products);
    a.vectors = at(vectors);
    a.biases = at(biases);
    a.multipliers = at(multipliers);
    a.most = at(most);
    a.columns = columns;
    a.rounds = r.count;
    a.gains = last ? nullptr : at(gains);
    a.lacks = last ? at(lacks) : nullptr;
    a.bias_lacks = last ? at(lacks) + columns * width() : nullptr;
    return a;
  }
  LinearVerdict climb(const Rounds& r, const Labels& of, std::int64_t begin, std::int64_t end) {
    const AscentKernels& kernels = KERNELS(ascent_kernels_);
    std::vector<double> products(classes > 1 ? std::size_t(width()) : 0);
    const auto climbs = classes > 1 ? kernels.climb_classes : kernels.climb;
    return climbs(r.block, of, intercept, ascent(r, products), begin, end);
  }
  bool is_like(const Machines& other) const {
    return same(vectors, other.vectors) && same(biases, other.biases) && same(multipliers, other.multipliers) &&
           same(lacks, other.lacks) && same(gains, other.gains);
  }
  // Those of one class alone.
  Machines of_class(std::int64_t c) const {
    Machines one = *this;
    one.classes = 1;
    for (auto* numbers : {&one.vectors, &one.biases, &one.multipliers, &one.lacks, &one.gains}) {
      std::vector<double> its;
      for (std::size_t k = 0; k < numbers->size(); ++k)
        if (std::int64_t(k) % width() / machines == c) its.push_back((*numbers)[k]);
      its.shrink_to_fit();
      *numbers = its;
    }
    return one;
  }
};

// Each class climbs alone as it did among the others.
void climb_apart(const Rounds& r, const Machines& before, const Machines& after, const LinearVerdict& verdict) {
  for (std::int64_t c = 0; c < before.classes; ++c) {
    Machines one = before.of_class(c);
    std::vector<std::int32_t> signs;
    for (const std::int32_t label : r.labels) signs.push_back(label == c ? 1 : -1);
    signs.shrink_to_fit();
    const LinearVerdict its = one.climb(r, {at(signs), r.of.weight}, r.begin, r.end);
    MUST(its.played == verdict.played && its.refusal == verdict.refusal && one.is_like(after.of_class(c)));
  }
}

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

// Vectors side by side: their sums of squares are those of each alone, and no place beyond their ends is touched.
void measure(Input& in) {
  const AscentKernels& kernels = KERNELS(ascent_kernels_);
  const std::int64_t columns = in.below(40);
  std::vector<double> table = array<double>(columns * penalties, [&] { return in.any(); });
  const std::vector<double> roots = array<double>(columns, [&] { return in.any(); });
  std::vector<double> sums(penalties), sizes(penalties), products(penalties), logs(penalties), counts(penalties);
  kernels.four.squares(at(table), roots.data(), columns, at(sums));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    std::vector<double> one;
    for (std::size_t j = 0; j < roots.size(); ++j) one.push_back(table[penalties * j + k] * roots[j]);
    one.shrink_to_fit();
    const double alone = kernels.squares(at(one), columns);
    MUST(alone == sums[k] || (alone != alone && sums[k] != sums[k]));
  }
  kernels.four.divide(at(table), at(sums), 0.5, columns);
  const std::vector<double> groups = array<double>(in.below(2) * 3 * columns, [&] { return in.any(); });
  const double* const of = groups.empty() ? nullptr : groups.data();  // or each column is one
  kernels.four.sizes(at(table), roots.data(), of, columns, at(sizes), at(products));
  kernels.four.shares(at(table), at(sizes), of, columns, at(logs), at(counts));
  kernels.take_positive(at(table), columns * penalties);
  for (const double entry : table) MUST(entry >= 0);
  std::vector<std::int64_t> numbers;
  for (std::int64_t j = in.below(3); j < columns; j += 1 + in.below(9)) numbers.push_back(j);
  const auto count = std::int64_t(numbers.size());
  std::vector<double> rows(numbers.size() * penalties), weights(numbers.size()), sides(weights), inverse(weights);
  numbers.shrink_to_fit();
  kernels.take_rows(at(table), columns, penalties, at(numbers), count, at(rows));
  DiagonalParts parts{at(weights), at(sides), at(inverse)};
  kernels.read_diagonal(at(rows), count, {in.any(), in.flag(), in.any()}, parts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const AscentKernels& kernels = KERNELS(ascent_kernels_);
  const std::uint8_t what = in.byte();
  if (what < 8) measure(in);
  else if (what < 32) number<std::int32_t>(in, kernels.mark_narrow, kernels.rank_narrow);
  else if (what < 56) number<std::int64_t>(in, kernels.mark_wide, kernels.rank_wide);
  Rounds r;
  Machines whole(in, r, what < 192 ? 1 : in.within(3, 9));
  const Machines before = whole;
  Machines cut = whole, thinner = whole;
  const std::int64_t middle = in.within(r.begin, r.end);
  const LinearVerdict verdict = whole.climb(r, r.of, r.begin, r.end);
  MUST(verdict.played >= r.begin && verdict.played <= r.end);
  MUST((verdict.refusal == LinearRefusal::none) == (verdict.played == r.end));
  for (std::size_t k = 0; k < whole.multipliers.size(); ++k)
    MUST(whole.multipliers[k] >= 0 && whole.multipliers[k] <= whole.most[k % std::size_t(whole.machines)]);
  if (whole.classes > 1) climb_apart(r, before, whole, verdict);
  copy_by_rows(r);
  LinearVerdict other = cut.climb(r, r.of, r.begin, middle);
  if (other.refusal == LinearRefusal::none) other = cut.climb(r, r.of, middle, r.end);
  MUST(other.played == verdict.played && other.refusal == verdict.refusal && cut.is_like(whole));
  if (!can_be_thinned(r, whole.columns) || !all_finite(whole.vectors) || !all_finite(whole.biases)) return 0;
  Rounds sparse;
  thin(r, sparse);
  other = thinner.climb(sparse, sparse.of, r.begin, r.end);
  MUST(other.played == verdict.played && other.refusal == verdict.refusal && thinner.is_like(whole));
  return 0;
}
