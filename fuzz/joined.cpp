// Rows whose lone entries are joined, all or by their signs: hostile rows are refused, of others each number is where a
// plain count of the columns says, and what was joined has the length that its entries have. Tables are joined alike.
#include <map>

#include "regretless/ascent_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

using Entries = std::vector<std::pair<std::int64_t, double>>;

std::vector<Entries> entries_of(const Rounds& r) {
  const Block& b = r.block;
  std::vector<Entries> rows;
  for (std::int64_t t = 0; t < b.rows; ++t) {
    const auto start = [&](std::int64_t row) {
      return b.wide_starts ? r.starts64[std::size_t(row)] : std::int64_t(r.starts32[std::size_t(row)]);
    };
    const std::int64_t begin = b.starts ? start(t) : t * b.columns, end = b.starts ? start(t + 1) : begin + b.columns;
    Entries& row = rows.emplace_back();
    for (std::int64_t k = begin; k < end; ++k)
      row.emplace_back(b.starts ? r.indices[std::size_t(k)] : k - begin,
                       b.single ? double(r.floats[std::size_t(k)]) : r.doubles[std::size_t(k)]);
  }
  return rows;
}

struct Joined {
  std::vector<double> values, shares, metric, sums;
  std::vector<std::int32_t> indices, lone;
  std::vector<std::int64_t> starts, lone_starts, leads;
  JoinedRows to;

  Joined(const Block& b, std::int64_t alone, const double* inverse, bool apart)
      : Joined(b, alone, inverse, std::size_t((apart ? 2 : 1) * b.rows)) {
    to.apart = apart;
    if (!inverse) to.sums = at(sums);
  }

 private:
  Joined(const Block& b, std::int64_t alone, const double* inverse, std::size_t most)
      : values(std::size_t(b.entries - alone + 1) + most), shares(std::size_t(alone + 1)), metric(2 * most),
        sums(3 * most), indices(values.size()), lone(shares.size()), starts(std::size_t(b.rows + 1)),
        lone_starts(most + 1), leads(most) {
    to.values = at(values), to.shares = at(shares), to.indices = at(indices), to.lone = at(lone);
    to.starts = at(starts), to.lone_starts = at(lone_starts), to.metric = at(metric), to.leads = at(leads);
    to.inverse = inverse;
  }
};

// What lone entries, all or those of a sign, were joined to.
void compare_joined(const Entries& alone, double sign, double number, const Joined& joined, std::size_t m) {
  const auto first = std::size_t(joined.lone_starts[m]), lead = std::size_t(joined.leads[m]);
  MUST(std::size_t(joined.lone_starts[m + 1]) - first == alone.size());
  MUST(lead >= first && lead < first + alone.size());
  double one = 0, length2 = 0, size = 0;
  for (std::size_t l = 0; l < alone.size(); ++l) {
    const double share = joined.shares[first + l], value = alone[l].second;
    MUST(std::fabs(share) <= std::fabs(joined.shares[lead]));
    MUST(joined.lone[first + l] == alone[l].first && (!joined.to.apart || share >= 0));
    one += share * share;
    length2 += value * value;
    size += std::fabs(share);
  }
  MUST(std::fabs(one - 1) < 1e-9);
  if (joined.to.inverse) return;
  MUST(std::fabs(sign * number / std::sqrt(length2) - 1) < 1e-9);
  MUST(std::fabs(joined.sums[3 * m] / size - 1) < 1e-9 && joined.sums[3 * m + 2] == double(alone.size()));
}

// A row beside its joined one: the same shared entries, and a number more of lone ones, or of each sign, that are not
// zeros.
void compare(const Entries& row, const std::map<std::int64_t, int>& times, const std::vector<std::int64_t>& shared,
             const Joined& joined, std::size_t t, std::size_t& m) {
  auto k = std::size_t(joined.starts[t]);
  Entries alone[2];
  bool any[2] = {};
  for (const auto& [column, value] : row) {
    if (times.at(column) == 1) {
      const int which = joined.to.apart && value < 0;
      if (joined.to.apart && value == 0) continue;
      alone[which].emplace_back(column, value);
      any[which] |= value != 0;
      continue;
    }
    MUST(shared[std::size_t(joined.indices[k])] == column && same(joined.values[k], value));
    ++k;
  }
  for (int which = 0; which < 2; ++which) {
    if (!any[which]) continue;
    MUST(std::size_t(joined.indices[k]) == shared.size() + m);
    compare_joined(alone[which], which ? -1 : 1, joined.values[k], joined, m);
    ++k, ++m;
  }
  MUST(k == std::size_t(joined.starts[t + 1]));
}

// Joins the rows of a table of ones: a number for each column that is left, shared ones as they were.
void join_table(const Joined& joined, std::int64_t columns, const std::vector<std::int64_t>& shared) {
  const std::vector<double> table(std::size_t(columns * penalties), 1.0);
  const std::size_t rows = shared.size() + std::size_t(joined.to.joined);
  std::vector<double> made(rows * penalties);
  const LoneColumns lone{at(joined.lone), at(joined.shares), at(joined.lone_starts), joined.to.joined};
  KERNELS(ascent_kernels_).join_table(at(table), penalties, at(shared), std::int64_t(shared.size()), lone, at(made));
  for (std::size_t k = 0; k < shared.size() * penalties; ++k) MUST(made[k] == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const AscentKernels& kernels = KERNELS(ascent_kernels_);
  Input in(data, size);
  Rounds r;
  const std::int64_t columns = in.below(200);
  const std::vector<double> inverse = array<double>(columns, [&] { return in.any(); });
  const bool measured = in.flag(), apart = !measured && in.flag();
  fill(in, r, columns, 1, true);
  r.block.order = nullptr;
  std::vector<ColumnMarks> marks(std::size_t(rank_words(columns)));
  if (kernels.mark_entries(r.block, columns, at(marks)).refusal != LinearRefusal::none) return 0;
  const std::vector<Entries> rows = entries_of(r);
  std::map<std::int64_t, int> times;
  for (const Entries& row : rows)
    for (const auto& entry : row) ++times[entry.first];
  std::vector<std::int64_t> shared;
  std::int64_t alone = 0;
  std::vector<RankWord> words(marks.size());
  for (std::int64_t c = 0; c < columns; ++c) {
    RankWord& word = words[std::size_t(c / 64)];
    const auto bit = std::uint64_t(1) << (c % 64);
    const int its = times.count(c) ? times[c] : 0;
    if (c % 64 == 0) word.before = std::int64_t(shared.size());
    alone += its == 1;
    if (its > 1) word.bits |= bit, shared.push_back(c);
    MUST(((marks[std::size_t(c / 64)].once & bit) != 0) == (its > 0));
    MUST(((marks[std::size_t(c / 64)].again & bit) != 0) == (its > 1));
  }
  shared.shrink_to_fit();
  Joined joined(r.block, alone, measured ? at(inverse) : nullptr, apart);
  if (!kernels.join_lone(r.block, std::int64_t(shared.size()), at(words), joined.to)) return 0;
  std::size_t m = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) compare(rows[t], times, shared, joined, t, m);
  MUST(std::int64_t(m) == joined.to.joined);
  join_table(joined, columns, shared);
  return 0;
}
