// Tsallis-INF: masses that fall as the inverse square of the estimates, p_i = 4 / (rate (L_i - x))^2, with the x at
// which they sum to one.
#pragma once
#include "pull_flat.hpp"

namespace regretless::REGRETLESS_ISA {

class TsallisInf : public Copied {
 public:
  static constexpr PullRule facts{.name = "tsallis-inf", .cache = PullCache::copied, .exact = true};
  explicit TsallisInf(const Pulling& s)
      : Copied(s, s.state, infinity), sought_(*reinterpret_cast<Sought*>(&known_ + 1)) {}

  // Who asks again for what was found is answered with the same bits; nobody is to begin elsewhere because he asked.
  void rebuild() {
    load();
    known_ = least_of(own_, n_);
    if (!(memory_.rate > 0)) return;
    const double warm = memory_.own;
    solve();
    memory_.own = warm;
  }

  REGRETLESS_INLINE void begin(double t) {
    if (epoch_ends(t)) begin_epoch(t, rate_at(t), anytime_gamma(t, first_));
    else set_rates(t, rate_at(t), memory_.gamma);
    solve();
  }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool in_time, Awake awake) {
    charge(d, loss);
    const double least = known_;
    if (!in_time) {
      add(d.arm, loss / chance(d));
      if (awake) charge_asleep(awake, loss);
      memory_.own += known_ - least;
      return solve();
    }
    const double before = 1 / distance(d.arm);
    const Guess guess = s_.reduced ? add_guesses(d.arm, awake) : Guess{};
    const double change = (loss - guess.own) / chance(d);
    const double drift = s_.reduced && memory_.rate * memory_.rate * double(n_) <= 1 ? 0.5 : 0;  // of most, if not all
    add(d.arm, change);
    if (awake) charge_asleep(awake, guess.mixed + (loss - guess.own));
    memory_.own = foreseen(before, guess.own + change - drift) + (known_ - least - drift);
  }

  // Any number of arms may sleep: the nearest of those awake has mass one.
  void masses(Awake awake, double* out) const {
    if (!awake) return leaves_of(nullptr, out);
    double nearest = infinity;
    for (std::int64_t i = 0; i < n_; ++i) nearest = awake[i] && distance(i) < nearest ? distance(i) : nearest;
    for (std::int64_t i = 0; i < padded_arms(n_); ++i) {
      const double ratio = i < n_ && awake[i] ? nearest / distance(i) : 0;
      out[i] = ratio * ratio;
    }
  }

 private:
  // Sums of (L_i - x)^-k.
  struct Powers {
    double s2, s3, s4;
  };

  // What the last search found: how far x is below the least estimate.
  struct Sought {
    double below;
    Powers powers;
  };

  // What is guessed of the arm that was drawn, and of the mix of those awake.
  struct Guess {
    double own = 0, mixed = 0;
  };

  REGRETLESS_INLINE double distance(std::int64_t arm) const { return (own_[arm] - known_) + sought_.below; }

  REGRETLESS_INLINE void add(std::int64_t arm, double change) {
    const double before = own_[arm], after = before + change;
    put_one(own_, arm, after);
    if (before == known_) known_ = least_of(own_, n_);
    else known_ = after < known_ ? after : known_;
  }

  // Who sleeps is charged what the mix of the others is: else it would seem to lose the less, the longer it sleeps.
  REGRETLESS_APART void charge_asleep(Awake awake, double loss) {
    for (std::int64_t i = 0; i < n_; ++i)
      if (!awake[i]) own_[i] += loss;
    known_ = least_of(own_, n_);
  }

  double rate_at(double t) const { return (s_.reduced ? 4 : 2) / square_root(t); }

  // Newton's and Halley's steps to the distance z at which m(z) = (sum (L_i - least + z)^-2)^(-1/2) is 2 / rate. This
  // mean is concave, and nearly straight, in z: after one step of Newton's, z is never too large again, wherever it
  // began.
  struct Step {
    double newton, bend;  // bend: by what part of itself Halley's step is longer
    Step(const Powers& s, double target) {
      const double m = 1 / square_root(s.s2), m3 = m * m * m, slope = s.s3 * m3, missing = m - target;
      newton = -missing / slope;
      bend = 1.5 * missing * m * m * m3 * (s.s3 * s.s3 - s.s2 * s.s4) / (slope * slope);
    }
    bool near() const { return bend < 0.25 && bend > -0.25; }
    double halley() const { return newton / (1 - bend); }
  };

  // Halley's steps where they are hardly another than Newton's; Newton's alone if they do not end it.
  REGRETLESS_INLINE void solve() {
    const double target = 2 / memory_.rate, furthest = target * square_root(double(n_));
    const auto within = [&](double z) { return z > target ? (z < furthest ? z : furthest) : target; };
    double z = within(memory_.own);
    for (int looks = 1;; ++looks) {
      const Powers sums = look(z);
      const Step step(sums, target);
      const bool steep = looks > patience || !step.near();
      const double to = within(z + (steep ? step.newton : step.halley())), moved = to - z;
      const double size = moved < 0 ? -moved : moved;
      if (size <= (steep ? 1e-9 : 2e-5) * z || looks > 2 * patience) return finish(z, moved, sums);
      z = to;
    }
  }

  // The inverse distances, and sums of their powers.
  REGRETLESS_INLINE Powers look(double z) const {
    double* leaves = tree_.leaves();
    const Octet from = eight(known_), beyond = eight(z), one = eight(1);
    Octet s2{}, s3{}, s4{};
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet r = one / ((at(own_, i) - from) + beyond), r2 = r * r;
      put(leaves + i, r);
      s2 = s2 + r2;
      s3 = s3 + r2 * r;
      s4 = s4 + r2 * r2;
    }
    return {in_all(s2), in_all(s3), in_all(s4)};
  }

  // Masses are inverse squares after a last step so small that a series takes it.
  REGRETLESS_INLINE void finish(double z, double step, const Powers& sums) {
    memory_.own = z;
    sought_.below = z + step;
    sought_.powers = {sums.s2 - 2 * step * sums.s3, sums.s3 - 3 * step * sums.s4, sums.s4};
    double* leaves = tree_.leaves();
    const Octet by = eight(step), one = eight(1), two = eight(2), three = eight(3), four = eight(4);
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet r = at(leaves, i), x = by * r;
      put(leaves + i, r * r * (one - x * (two - x * (three - four * x))));
    }
    build();
  }

  // Where x will be below what was the least, if nobody's estimate but that of the drawn arm moves against the others.
  REGRETLESS_INLINE double foreseen(double before, double change) {
    const double after = before / (1 + before * change), b2 = before * before, a2 = after * after;
    const auto swapped = [](double sum, double old, double now) { return (sum > old ? sum - old : 0) + now; };
    const Powers& now = sought_.powers;
    const Powers next{swapped(now.s2, b2, a2), swapped(now.s3, b2 * before, a2 * after),
                      swapped(now.s4, b2 * b2, a2 * a2)};
    const Step step(next, 2 / rate_at(memory_.epoch_begin + 1));
    return sought_.below + (step.near() ? step.halley() : step.newton);
  }

  // One half for arms whose probability is not small, whatever their loss.
  REGRETLESS_INLINE Guess add_guesses(std::int64_t arm, Awake awake) {
    double* leaves = tree_.leaves();
    double total = tree_.total();
    if (awake) {
      masses(awake, leaves);
      total = 0;
      for (std::int64_t i = 0; i < n_; ++i) total += leaves[i];
    }
    const double bound = memory_.rate * memory_.rate * total;
    Octet least = eight(infinity);
    const auto if_enough = [](auto mass, auto bound, auto guess)
                               REGRETLESS_LAMBDA { return mass >= bound ? guess : decltype(guess){}; };
    for (std::int64_t i = 0; i < n_; i += 8) {
      const Octet sum = at(own_, i) + apply(if_enough, at(leaves, i), eight(bound), eight(0.5));
      put(own_ + i, sum);
      least = lower(sum, least);
    }
    known_ = smallest_of(least);
    Guess guess{leaves[arm] >= bound ? 0.5 : 0};
    if (awake)
      for (std::int64_t i = 0; i < n_; ++i) guess.mixed += leaves[i] >= bound ? 0.5 * leaves[i] / total : 0;
    return guess;
  }

  static constexpr int patience = 12;  // six were ever needed
  Sought& sought_;
};

}  // namespace regretless::REGRETLESS_ISA
