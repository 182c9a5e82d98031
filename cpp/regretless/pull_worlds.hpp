// Where the losses of compiled rounds come from, in units: a table of the user's, or noise around means.
#pragma once
#include "pull_rule.hpp"
#include "random.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE double in_units(double value, double low, double high, bool rewards) {
  return (rewards ? high - value : value - low) / (high - low);
}

// Whether a round can be played, and among whom: awake is null where nobody sleeps.
struct RowOfArms {
  PullRefusal refusal = PullRefusal::none;
  std::int64_t column = -1;
  Awake awake = nullptr;
  std::int64_t count = 0;  // of those awake
};

// What a row holds that a loss in the range is not.
struct Oddities {
  bool outside = false, gaps = false;
};
template <class V>
REGRETLESS_INLINE Oddities oddities(const V* row, std::int64_t n, double low, double high) {
  Octet least = eight(infinity), most = eight(-infinity), sum = eight(0);
  for (std::int64_t i = 0; i < n; i += 8) {
    const Octet x = eight_of(row, i, n, low);
    // a gap leaves what was there
    least = lower(x, least);
    most = upper(x, most);
    sum = sum + (x - x);
  }
  return {!(smallest_of(least) >= low && largest_of(most) <= high), !(in_all(sum) == 0)};
}

template <class V>
REGRETLESS_APART RowOfArms checked_row(const V* row, std::int64_t n, double low, double high, unsigned char* awake) {
  RowOfArms arms;
  for (std::int64_t i = 0; i < n; ++i) {
    awake[i] = row[i] == row[i];
    arms.count += awake[i];
    if (awake[i] && !(double(row[i]) >= low && double(row[i]) <= high)) return {PullRefusal::out_of_range, i};
  }
  if (arms.count == 0) return {PullRefusal::asleep};
  if (arms.count < n) arms.awake = awake;
  return arms;
}

template <class V>
class TableWorld {
 public:
  TableWorld(const Pulling& s, const PullTable& table)
      : s_(s), values_(static_cast<const V*>(table.values)), clean_(table.clean),
        awake_(reinterpret_cast<unsigned char*>(s.room)) {}

  bool looks() const { return !clean_; }
  REGRETLESS_INLINE RowOfArms open_row(std::int64_t t) {
    row_ = values_ + t * s_.arms;
    if (clean_) return {};
    const Oddities odd = oddities(row_, s_.arms, s_.low, s_.high);
    if (!odd.outside && !odd.gaps) return {};
    return checked_row(row_, s_.arms, s_.low, s_.high, awake_);
  }
  REGRETLESS_INLINE double loss(std::int64_t arm) const {
    return in_units(double(row_[arm]), s_.low, s_.high, s_.rewards);
  }

 private:
  const Pulling& s_;
  const V* values_;
  const bool clean_;
  unsigned char* awake_;
  const V* row_ = nullptr;
};

class NoiseWorld {
 public:
  NoiseWorld(const Pulling& s, const PullNoise& noise) : n_(s.arms), noise_(noise), means_(noise.means) {}

  bool looks() const { return false; }
  REGRETLESS_INLINE RowOfArms open_row(std::int64_t t) {
    while (segment_ + 1 < noise_.segments && t >= noise_.starts[segment_ + 1]) ++segment_, means_ += n_;
    cell_ = std::uint64_t(t) * std::uint64_t(n_);
    return {};
  }
  REGRETLESS_INLINE double loss(std::int64_t arm) const {
    return noise_at(noise_.key, cell_ + std::uint64_t(arm)) < means_[arm] ? 1 : 0;
  }

 private:
  const std::int64_t n_;
  const PullNoise noise_;
  const double* means_;
  std::int64_t segment_ = 0;
  std::uint64_t cell_ = 0;
};

}  // namespace regretless::REGRETLESS_ISA
