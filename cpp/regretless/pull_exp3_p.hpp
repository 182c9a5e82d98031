// Exp3.P: estimated gains that are kept high, and uniform exploration.
#pragma once
#include "pull_flat.hpp"

namespace regretless::REGRETLESS_ISA {

// Exponential weights of estimated gains, to which every arm adds beta over its probability, with uniform exploration.
class Exp3P : public Copied {
 public:
  static constexpr PullRule facts{.name = "exp3-p", .cache = PullCache::copied, .lends = true};
  explicit Exp3P(const Pulling& s) : Copied(s, s.state, -infinity), lent_(s.state + 2 * s.experts) {}

  void rebuild() {
    load();
    known_ = most_of(own_, n_);
    if (memory_.rate > 0) mix();
  }

  REGRETLESS_INLINE void begin(double t) {
    if (epoch_ends(t)) begin_epoch(t, s_.rate, s_.gamma);
    mix();
  }

  REGRETLESS_INLINE Drawn draw(double u) {
    const Drawn d = Flat::draw(u);
    add_bonus(tree_.leaves(), tree_.total());
    return d;
  }
  void drew(Awake awake, const double* masses, double total) {
    add_bonus(masses, total);
    double count = 0;
    for (std::int64_t i = 0; i < n_; ++i) count += awake[i] != 0;
    lend(awake, s_.beta * count);
  }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool, Awake awake) {
    charge(d, loss);
    const double gain = own_[d.arm] + (1 - loss) / chance(d);
    put_one(own_, d.arm, gain);
    known_ = gain > known_ ? gain : known_;
    if (awake) lend(awake, 1 - loss);
  }

  void masses(Awake awake, double* out) const {
    if (awake && !(s_.explore > 0)) weigh_among(awake, memory_.rate, out);
    else leaves_of(awake, out);
  }

 private:
  REGRETLESS_INLINE void mix() {
    double* leaves = tree_.leaves();
    const double total = weigh(own_, n_, memory_.rate, known_, leaves);
    const Octet part = eight((1 - s_.explore) / total), floor = eight(s_.explore / double(n_));
    for (std::int64_t i = 0; i < n_; i += 8) put(leaves + i, part * at(leaves, i) + floor);
    build();
  }

  // Who sleeps is credited what the mix of the others is: else an arm that never does would seem to gain most. That is
  // kept apart too, for it is nothing that was estimated of these arms.
  REGRETLESS_APART void lend(Awake awake, double gain) {
    for (std::int64_t i = 0; i < n_; ++i) {
      if (awake[i]) continue;
      own_[i] += gain;
      lent_[i] += gain;
      known_ = own_[i] > known_ ? own_[i] : known_;
    }
  }

  // What an arm's gains are thought to be more, until it is drawn; nothing for those that cannot be.
  REGRETLESS_INLINE void add_bonus(const double* masses, double total) {
    const Octet by = eight(s_.beta * total), tiny = eight(least_chance);
    Octet most = eight(-infinity);
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet mass = at(masses, i);
      const Octet gain = at(own_, i) + where_positive(mass, by / upper(mass, tiny), eight(0));
      put(own_ + i, gain);
      most = upper(gain, most);
    }
    known_ = largest_of(most);
  }

  double* const lent_;
};

}  // namespace regretless::REGRETLESS_ISA
