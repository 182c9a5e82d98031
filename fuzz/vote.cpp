// Learners of finite classes, by majority or by an order, the lazy ones too: sets, votes and books are those of plain
// sets.
#include "bits.hpp"
#include "regretless/vote_types.hpp"

#include <numeric>

namespace {

using namespace fuzz;
using namespace regretless;

std::int64_t size_of(const std::vector<std::uint64_t>& words) {
  std::int64_t n = 0;
  for (const std::uint64_t word : words) n += __builtin_popcountll(word);
  return n;
}

struct Voters {
  std::vector<std::uint64_t> voters, alive;
  std::vector<std::int32_t> voter_places, alive_places;
  std::vector<std::int64_t> book, order;
  Voting v;

  Voters(Input& in, const Class& c) : voters(c.all()), voter_places(std::size_t(c.words)), alive_places(voter_places) {
    for (std::uint64_t& word : voters)
      if (in.byte() < 64) word &= in.raw<std::uint64_t>();
    book = array<std::int64_t>(vote_fields, [] { return 0; });
    v.columns = c.columns.data();
    v.points = c.points;
    v.words = c.words;
    v.hypotheses = c.hypotheses;
    v.tie = in.flag();
    v.lazy = in.flag();
    if (in.flag()) alive = voters;
    order.resize(std::size_t(c.hypotheses));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t k = in.below(8); k > 0; --k)
      std::swap(order[std::size_t(in.below(c.hypotheses))], order[std::size_t(in.below(c.hypotheses))]);
    if (in.flag()) order.clear();
  }
  Voters(const Voters&) = delete;
  Voters& operator=(const Voters&) = delete;

  bool begin() {
    v.voters.words = at(voters);
    v.voters.places = at(voter_places);
    v.book = at(book);
    if (!alive.empty()) {
      v.alive.words = at(alive);
      v.alive.places = at(alive_places);
    }
    KERNELS(vote_kernels_).begin(v);
    if (v.voters.size == 0) return false;
    v.order = order.empty() ? nullptr : at(order);
    KERNELS(vote_kernels_).begin(v);
    return true;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const Class c(in, in.byte() < 200 ? 100 : 2000, 8);
  Input again = in;
  Voters one(in, c), two(again, c);
  if (!one.begin()) return 0;
  MUST(two.begin());
  const std::int64_t rounds = in.below(12);
  const auto points = array<std::int64_t>(rounds, [&] { return in.below(c.points); });
  const auto labels = array<std::uint8_t>(rounds, [&] { return in.flag(); });
  std::vector<std::uint8_t> predictions(std::size_t(rounds) + 1, 9);
  std::vector<std::int64_t> alive(std::size_t(rounds) + 1, -1);
  const Asked asked{at(points), at(labels), at(predictions), at(alive)};
  KERNELS(vote_kernels_).play(one.v, asked, 0, rounds);
  std::int64_t mistakes = 0;
  for (std::size_t t = 0; t < std::size_t(rounds); ++t) {
    std::int64_t ones = 0;
    for (std::int64_t w = 0; w < c.words; ++w)
      ones += __builtin_popcountll(two.voters[std::size_t(w)] & c.columns[std::size_t(points[t] * c.words + w)]);
    MUST(KERNELS(vote_kernels_).ones(two.v, points[t]) == ones);
    const std::uint8_t said = KERNELS(vote_kernels_).predict(two.v, points[t]);
    MUST(said == predictions[t]);
    if (two.order.empty())
      MUST(2 * ones == two.v.voters.size ? said == two.v.tie : said == (2 * ones > two.v.voters.size));
    mistakes += said != labels[t];
    KERNELS(vote_kernels_).settle(two.v, points[t], labels[t], said);
    MUST(two.v.voters.size == size_of(two.voters) && two.v.voters.size > 0);
  }
  MUST(one.voters == two.voters && one.alive == two.alive && one.book == two.book);
  MUST(one.book[vote_rounds] == rounds && one.book[vote_mistakes] == mistakes);
  return 0;
}
