// Hedge, with full information: the yardstick of those who see one loss a round.
#pragma once
#include "pull_flat.hpp"

namespace regretless::REGRETLESS_ISA {

// Exponential weights of losses that are all revealed.
class Hedge : public Copied {
 public:
  static constexpr PullRule facts{.name = "hedge", .cache = PullCache::copied, .informed = true};
  static constexpr bool sees_all = true;

  explicit Hedge(const Pulling& s) : Copied(s, s.state, infinity) {}

  void rebuild() {
    load();
    known_ = least_of(own_, n_);
    if (memory_.rate > 0) fill();
  }

  REGRETLESS_INLINE void begin(double t) {
    if (epoch_ends(t))
      begin_epoch(t, first_ == 1 ? 1 : 2 * square_root(log_count(first_) / t), anytime_gamma(t, first_));
    fill();
  }

  // The leaves are those of the last draw, or, since a late settlement, what they would be now.
  REGRETLESS_INLINE void settle(const Drawn& d, const double* losses, bool in_time, Awake awake) {
    if (!in_time) fill();
    charge(d, losses[d.arm]);
    if (awake) settle_among(losses, awake);
    else settle_all(losses);
    if (!in_time) fill();
  }

  void masses(Awake awake, double* out) const {
    if (awake) weigh_among(awake, -memory_.rate, out);
    else leaves_of(nullptr, out);
  }

 private:
  REGRETLESS_INLINE void fill() {
    weigh(own_, n_, -memory_.rate, known_, tree_.leaves());
    build();
  }

  REGRETLESS_INLINE void settle_all(const double* losses) {
    Octet mixed{}, least = eight(infinity);
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet loss = eight_of(losses, i, n_, 0), sum = at(own_, i) + loss;
      put(own_ + i, sum);
      mixed = mixed + at(tree_.leaves(), i) * loss;
      least = lower(sum, least);
    }
    known_ = smallest_of(least);
    book_.mixed += in_all(mixed) / tree_.total();
  }

  // Who sleeps is charged what the mix of the others is; that is taken off all, as only differences count.
  REGRETLESS_APART void settle_among(const double* losses, Awake awake) {
    double* shares = tree_.leaves();
    weigh_among(awake, -memory_.rate, shares);
    double total = 0, sum = 0;
    for (std::int64_t i = 0; i < n_; ++i)
      if (awake[i]) {
        total += shares[i];
        sum += shares[i] * losses[i];
      }
    const double mixed = sum / total;
    for (std::int64_t i = 0; i < n_; ++i)
      if (awake[i]) own_[i] += losses[i] - mixed;
    known_ = least_of(own_, n_);
    book_.mixed += mixed;
  }
};

}  // namespace regretless::REGRETLESS_ISA
