// What rules have in common that go by the mean of the losses that each arm is known to have had.
#pragma once
#include "pull_flat.hpp"

namespace regretless::REGRETLESS_ISA {

// Row 0 of the state sums the losses of an arm, row 2 counts them.
class ByMeans : public RuleBase {
 public:
  REGRETLESS_INLINE explicit ByMeans(const Pulling& s) : RuleBase(s), known_(s.state + 2 * s.experts) {}

  void rebuild() {}

  // The rate is that of the certificate's estimates alone.
  REGRETLESS_INLINE void begin(double t) {
    now_ = t;
    if (!epoch_ends(t)) return;
    const double gamma = anytime_gamma(t, first_);
    begin_epoch(t, 2 * gamma, gamma);
  }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool, Awake) {
    implicit_[d.arm] += loss / (chance(d) + d.gamma);
    estimates_[d.arm] += loss;
    known_[d.arm] += 1;
    memory_.own += loss > 0 && loss < 1;
  }

 protected:
  double* const known_;
  double now_ = 1;
};

}  // namespace regretless::REGRETLESS_ISA
