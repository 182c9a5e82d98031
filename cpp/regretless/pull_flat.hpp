// Rules that move every arm in a round: Exp3.P, exponential weights with all losses revealed, and a share that is dealt out
// again. Masses are found anew before every draw, from the state alone, so that nothing can drift.
#pragma once
#include "pull_rule.hpp"
#include "sum_tree.hpp"

namespace regretless::REGRETLESS_ISA {

// No estimate is to become infinite.
inline constexpr double least_chance = 1e-290;
REGRETLESS_INLINE double chance(const Drawn& d) { return d.p > least_chance ? d.p : least_chance; }

// The rows of this file are padded to whole eights, and begin a cache line.
REGRETLESS_INLINE double least_of(const double* row, std::int64_t n) {
  Octet least = eight(infinite);
  for (std::int64_t i = 0; i < n; i += 8) least = lower(at(row, i), least);
  return smallest_of(least);
}
REGRETLESS_INLINE double most_of(const double* row, std::int64_t n) {
  Octet most = eight(-infinite);
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

// Exponential weights of estimated gains, to which every arm adds beta over its probability, with uniform exploration.
class Exp3P : public Copied {
 public:
  explicit Exp3P(const Pulling& s) : Copied(s, s.state, -infinite) {}

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
    hope(tree_.leaves(), tree_.total());
    return d;
  }
  void drew(Awake, const double* masses, double total) { hope(masses, total); }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool, Awake) {
    charge(d, loss);
    const double gain = own_[d.arm] + (1 - loss) / chance(d);
    put_one(own_, d.arm, gain);
    known_ = gain > known_ ? gain : known_;
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

  // What an arm's gains are thought to be more, until it is drawn; nothing for those that cannot be.
  REGRETLESS_INLINE void hope(const double* masses, double total) {
    const Octet by = eight(s_.beta * total), tiny = eight(least_chance);
    Octet most = eight(-infinite);
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet mass = at(masses, i);
      const Octet gain = at(own_, i) + where_positive(mass, by / upper(mass, tiny), eight(0));
      put(own_ + i, gain);
      most = upper(gain, most);
    }
    known_ = largest_of(most);
  }
};

// Exponential weights of losses that are all revealed.
class FullInformation : public Copied {
 public:
  static constexpr bool sees_all = true;

  explicit FullInformation(const Pulling& s) : Copied(s, s.state, infinite) {}

  void rebuild() {
    load();
    known_ = least_of(own_, n_);
    if (memory_.rate > 0) fill();
  }

  REGRETLESS_INLINE void begin(double t) {
    if (epoch_ends(t)) begin_epoch(t, n_ == 1 ? 1 : 2 * square_root(log_count(n_) / t), anytime_gamma(t, n_));
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
    Octet mixed{}, least = eight(infinite);
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet loss = heard(losses, i, n_, 0), sum = at(own_, i) + loss;
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
      if (awake[i]) total += shares[i], sum += shares[i] * losses[i];
    const double mixed = sum / total;
    for (std::int64_t i = 0; i < n_; ++i)
      if (awake[i]) own_[i] += losses[i] - mixed;
    known_ = least_of(own_, n_);
    book_.mixed += mixed;
  }
};

// Exp3 from round to round, after each of which a share of the weights is dealt out again. They are the state, and stand in
// the leaves while rounds are played; the estimates are kept for those who ask.
class Shared : public Flat {
 public:
  explicit Shared(const Pulling& s) : Flat(s), weights_(s.state + 2 * s.experts) {}
  Shared(const Shared&) = delete;
  ~Shared() {
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

  // Shares are dealt out, so that no weight is zero; but if the share is, all weights that are awake may have become that.
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
