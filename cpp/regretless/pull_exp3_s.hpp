// Exp3.S: Exp3 with a fixed share, for arms that are best in turn.
#pragma once
#include "pull_flat.hpp"

namespace regretless::REGRETLESS_ISA {

// Exp3 from round to round, after each of which a share of the weights is dealt out again. They are the state, and
// stand in the leaves while rounds are played; the estimates are kept for those who ask.
class Exp3S : public Flat {
 public:
  static constexpr PullRule facts{.name = "exp3-s", .cache = PullCache::tree, .weighs = true};
  explicit Exp3S(const Pulling& s) : Flat(s), weights_(s.state + 2 * s.experts) {}
  Exp3S(const Exp3S&) = delete;
  ~Exp3S() {
    for (std::int64_t i = 0; i < n_; ++i) weights_[i] = tree_.leaf(i);
  }

  void rebuild() {
    for (std::int64_t i = 0; i < n_; ++i) tree_.leaves()[i] = weights_[i];
    build();
  }

  REGRETLESS_INLINE void begin(double t) {
    if (!epoch_ends(t)) return;
    if (memory_.epoch_begin == 0) {
      for (std::int64_t i = 0; i < n_; ++i) tree_.leaves()[i] = 1 / double(n_);
      build();
    }
    begin_epoch(t, s_.rate, s_.gamma);
  }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool, Awake awake) {
    charge(d, loss);
    const double estimate = loss / chance(d);
    estimates_[d.arm] += estimate;
    if (awake) shift(loss, awake);
    tree_.set(d.arm, tree_.leaf(d.arm) * exp_of_negative(-memory_.rate * estimate));
    deal();
  }

  // Shares are dealt out, so that no weight is zero; but if the share is, all weights that are awake may have become
  // that.
  void masses(Awake awake, double* out) const {
    leaves_of(awake, out);
    if (!awake || s_.share > 0) return;
    double most = 0;
    for (std::int64_t i = 0; i < n_; ++i) most = out[i] > most ? out[i] : most;
    for (std::int64_t i = 0; i < n_ && !(most > 0); ++i) out[i] = awake[i] ? 1 : 0;
  }

 private:
  // Who sleeps is charged the loss of the draw, which is the estimated loss of the mix.
  REGRETLESS_APART void shift(double loss, Awake awake) {
    const double factor = exp_of_negative(-memory_.rate * loss);
    for (std::int64_t i = 0; i < n_; ++i)
      if (awake[i]) estimates_[i] -= loss;
      else tree_.leaves()[i] *= factor;
    build();
  }

  REGRETLESS_INLINE void deal() {
    const double total = tree_.total();
    const bool none = !(total > 0);  // a single arm's weight, or one that stood for all
    const Octet part = eight(none ? 0 : (1 - s_.share) / total), dealt = eight((none ? 1 : s_.share) / double(n_));
    for (std::int64_t i = 0; i < n_; i += 8) put(tree_.leaves() + i, part * at(tree_.leaves(), i) + dealt);
    build();
  }

  double* const weights_;
};

}  // namespace regretless::REGRETLESS_ISA
