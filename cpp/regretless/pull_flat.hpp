// What rules have in common that move every arm in a round: Exp3.P, Hedge, Exp3.S, Exp4 and Tsallis-INF. Masses are
// found anew before every draw, from the state alone, so that nothing can drift.
#pragma once
#include "pull_rule.hpp"
#include "sum_tree.hpp"

namespace regretless::REGRETLESS_ISA {

// No estimate is to become infinite.
inline constexpr double least_chance = 1e-290;
REGRETLESS_INLINE double chance(const Drawn& d) { return d.p > least_chance ? d.p : least_chance; }

// These rows are padded to whole eights, and begin a cache line.
REGRETLESS_INLINE double least_of(const double* row, std::int64_t n) {
  Octet least = eight(infinity);
  for (std::int64_t i = 0; i < n; i += 8) least = lower(at(row, i), least);
  return smallest_of(least);
}
REGRETLESS_INLINE double most_of(const double* row, std::int64_t n) {
  Octet most = eight(-infinity);
  for (std::int64_t i = 0; i < n; i += 8) most = upper(at(row, i), most);
  return largest_of(most);
}

// out = exp(rate (gains - most)), and their sum; with a negative rate they are losses, and `most` is the least of them.
REGRETLESS_INLINE double weigh(const double* gains, std::int64_t n, double rate, double most, double* out) {
  const Octet by = eight(rate), from = eight(most);
  Octet sum{};
  for (std::int64_t i = 0; i < n; i += 8) {
    const Octet w = exp_of(by * (at(gains, i) - from));
    put(out + i, w);
    sum = sum + w;
  }
  return in_all(sum);
}

// Writes one number, by way of the eight around it: a wide load would have to wait for a narrow store.
static constexpr double one_among_zeros[15] = {0, 0, 0, 0, 0, 0, 0, 1};
REGRETLESS_INLINE void put_one(double* row, std::int64_t i, double value) {
  double* const around = row + (i & ~std::int64_t(7));
  put(around, where_positive(at(one_among_zeros, 7 - (i & 7)), eight(value), at(around, 0)));
}

// A rule whose masses stand in the leaves of a tree.
class Flat : public RuleBase {
 public:
  REGRETLESS_INLINE Drawn draw(double u) const {
    const std::int64_t arm = tree_.find(u * tree_.total());
    return {arm, tree_.leaf(arm) / tree_.total(), memory_.gamma};
  }

 protected:
  REGRETLESS_INLINE explicit Flat(const Pulling& s) : RuleBase(s), tree_(s.nodes, s.arms) {}

  REGRETLESS_INLINE void build() {
    double* leaves = tree_.leaves();
    for (std::int64_t i = n_; i < tree_.leaves_room(); ++i) leaves[i] = 0;
    tree_.build();
  }

  void leaves_of(Awake awake, double* out) const {
    for (std::int64_t i = 0; i < padded_arms(n_); ++i) out[i] = i < n_ && (!awake || awake[i]) ? tree_.leaf(i) : 0;
  }

  REGRETLESS_INLINE void charge(const Drawn& d, double loss) { implicit_[d.arm] += loss / (chance(d) + d.gamma); }

  SumTree tree_;
};

// A rule that works on a copy of its row of the state, which lies well, and writes it back when it is done.
class Copied : public Flat {
 public:
  Copied(const Copied&) = delete;

 protected:
  REGRETLESS_INLINE Copied(const Pulling& s, double* row, double rest)
      : Flat(s), own_(s.nodes + tree_size(s.arms)), known_(*(own_ + padded_arms(s.arms))), row_(row), rest_(rest) {}
  ~Copied() {
    for (std::int64_t i = 0; i < n_; ++i) row_[i] = own_[i];
  }

  void load() {
    for (std::int64_t i = 0; i < padded_arms(n_); ++i) own_[i] = i < n_ ? row_[i] : rest_;
  }

  // Masses of those awake as `weigh` finds them, the largest being one.
  void weigh_among(Awake awake, double rate, double* out) const {
    for (std::int64_t i = 0; i < padded_arms(n_); ++i) out[i] = i < n_ && awake[i] ? own_[i] : rest_;
    weigh(out, n_, rate, rate < 0 ? least_of(out, n_) : most_of(out, n_), out);
  }

  double* const own_;
  double& known_;  // one more number that a rule would have to look for: an extreme of the row

 private:
  double* const row_;
  const double rest_;
};

}  // namespace regretless::REGRETLESS_ISA
