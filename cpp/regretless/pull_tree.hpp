// Exp3 and Exp3-IX: one estimate moves a round, so that the weights exp(-rate (estimate - offset)) stand in a sum tree.
#pragma once
#include "pull_rule.hpp"
#include "sum_tree.hpp"

namespace regretless::REGRETLESS_ISA {

// exp(x) for x <= 0, with the bits that exp_of gives in a lane; 1 for what no estimate gives.
REGRETLESS_INLINE double exp_alone(double x) {
  typedef double Two __attribute__((vector_size(16)));
  if (x < -708) return 0;
  if (!(x <= 0)) return 1;
  return value_of(exponential(Two{x, x}))[0];
}

enum class Estimate { unbiased, biased };  // biased: Exp3-IX, by the implicit exploration of the certificate
template <Estimate kind>
class ExponentialTree : public RuleBase {
 public:
  static constexpr PullRule facts{
      .name = kind == Estimate::biased ? "exp3-ix" : "exp3", .cache = PullCache::tree, .moves_one = true};
  static constexpr bool linear = false, biased = kind == Estimate::biased;

  REGRETLESS_INLINE explicit ExponentialTree(const Pulling& s) : RuleBase(s), tree_(s.nodes, s.arms) { recall(); }

  REGRETLESS_INLINE void recall() { rate_ = memory_.rate, gamma_ = memory_.gamma, offset_ = memory_.offset; }

  void rebuild() {
    weigh(memory_.offset);
    if (tree_.total() < smallest_total) weigh(least_estimate());  // which no game leaves behind
  }

  REGRETLESS_INLINE void begin(double t) {
    if (epoch_ends(t)) begin_rates(t);
  }

  REGRETLESS_INLINE Drawn draw(double u) const {
    const std::int64_t arm = tree_.find(u * tree_.total());
    return {arm, tree_.leaf(arm) / tree_.total(), gamma_};
  }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool, Awake awake) {
    if (awake) return settle_among(d, loss, awake);
    if (loss == 0) return;
    const double estimate = loss / (d.p + d.gamma);
    implicit_[d.arm] += estimate;
    move(d.arm, estimates_[d.arm] += biased ? estimate : loss / d.p);
  }

  void masses(Awake awake, double* out) const {
    if (!awake) {
      for (std::int64_t i = 0; i < padded_arms(n_); ++i) out[i] = i < n_ ? tree_.leaf(i) : 0;
      return;
    }
    double least = infinity;
    for (std::int64_t i = 0; i < n_; ++i) least = awake[i] && estimates_[i] < least ? estimates_[i] : least;
    for (std::int64_t i = 0; i < padded_arms(n_); ++i)
      out[i] = i < n_ && awake[i] ? exp_alone(-rate_ * (estimates_[i] - least)) : 0;
  }

 private:
  REGRETLESS_INLINE void move(std::int64_t arm, double estimate) {
    tree_.set(arm, exp_alone(-rate_ * (estimate - offset_)));
    if (tree_.total() < smallest_total) weigh(least_estimate());
  }

  // The arms that are awake are charged their estimates less what the learner is charged, which is the estimated loss
  // of those that sleep.
  REGRETLESS_APART void settle_among(const Drawn& d, double loss, Awake awake) {
    const double careful = loss / (d.p + d.gamma);
    implicit_[d.arm] += careful;
    const double estimate = biased ? careful : loss / d.p;
    const double charged = biased ? estimate * d.p : loss;
    for (std::int64_t i = 0; i < n_; ++i)
      if (awake[i]) estimates_[i] += (i == d.arm ? estimate : 0) - charged;
    weigh(least_estimate());
  }

  REGRETLESS_APART void begin_rates(double t) {
    const double rate = first_ == 1 ? 1 : square_root(log_count(first_) / (double(first_) * t));
    begin_epoch(t, rate, biased ? rate / 2 : anytime_gamma(t, first_));
    weigh(least_estimate());
  }

  double least_estimate() const {
    Octet least = eight(infinity);
    for (std::int64_t i = 0; i < n_; i += 8) least = lower(least, eight_of(estimates_, i, n_, infinity));
    return smallest_of(least);
  }

  REGRETLESS_APART void weigh(double offset) {
    memory_.offset = offset;
    double* leaves = tree_.leaves();
    const Octet from = eight(offset), by = eight(-memory_.rate);
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet x = by * (eight_of(estimates_, i, n_, infinity) - from);
      put(leaves + i, exp_of(lower(x, eight(0))));
    }
    for (std::int64_t i = n_; i < tree_.leaves_room(); ++i) leaves[i] = 0;
    tree_.build();
    recall();
  }

  static constexpr double smallest_total = 0x1p-64;
  SumTree tree_;
  double rate_, gamma_, offset_;
};

using Exp3 = ExponentialTree<Estimate::unbiased>;
using Exp3IX = ExponentialTree<Estimate::biased>;

}  // namespace regretless::REGRETLESS_ISA
