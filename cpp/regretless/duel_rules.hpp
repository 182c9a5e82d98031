// How players of a matrix game learn. A rule moves what a player keeps by the regrets of a round, of which `gain` less
// `value` is each strategy's, and writes the next strategy.
#pragma once
#include <tuple>

#include "duel_gains.hpp"

namespace regretless::REGRETLESS_ISA {

struct Duelist {
  const DuelSide& side;
  const std::int64_t n, padded;
  double *regrets, *last, *play, *sum, *won, *prior;
  double *gain, *next;
  float* narrow;
  std::int32_t* places;
  std::int64_t placed = 0;

  explicit Duelist(const DuelSide& s) : side(s), n(s.count), padded(duel_padded(s.count)) {
    const auto row = [&](DuelRow r) { return s.state + r * padded; };
    regrets = row(duel_regrets);
    last = row(duel_last);
    play = row(duel_play);
    sum = row(duel_sum);
    won = row(duel_won);
    prior = row(duel_prior);
    gain = s.room;
    next = s.room + padded;
    narrow = reinterpret_cast<float*>(s.room + 2 * padded);
    places = reinterpret_cast<std::int32_t*>(narrow + padded);
    present();
  }
  Duelist(const Duelist&) = delete;

  // The strategy in floats, and where it is not zero.
  void present() {
    placed = 0;
    for (std::int64_t i = 0; i < padded; ++i) narrow[i] = float(play[i]);
    for (std::int64_t i = 0; i < n; ++i) {
      places[placed] = std::int32_t(i);
      placed += play[i] != 0;
    }
  }
  Mixed mixed() const { return {play, narrow, places, placed}; }

  // What the strategy wins. Whatever is beyond the last strategy wins as much, and so is never regretted.
  double value() const {
    Octet won{};
    const std::int64_t rest = n & 7, whole = n - rest;
    for (std::int64_t i = 0; i < whole; i += 8) won = won + at(play, i) * at(gain, i);
    if (rest) won = won + at(play, whole) * some_of(gain + whole, rest, 0);
    const double value = in_all(won);
    for (std::int64_t i = n; i < padded; ++i) gain[i] = value;
    return value;
  }

  // A round enters the averages.
  void count(const double* what, double* sums, double weight) const {
    const Octet w = eight(weight);
    for (std::int64_t i = 0; i < padded; i += 8) put(sums + i, at(sums, i) + w * at(what, i));
  }
  double most_won() const {
    Octet most = eight(-infinity);
    for (std::int64_t i = 0; i < n; i += 8) most = upper(most, eight_of(won, i, n, -infinity));
    return largest_of(most);
  }
  double norm() const {
    Octet sum{};
    for (std::int64_t i = 0; i < padded; i += 8) {
      const Octet positive = upper(at(regrets, i), eight(0));
      sum = sum + positive * positive;
    }
    return __builtin_sqrt(in_all(sum));
  }
};

// What of a round enters the ledger besides.
struct Lesson {
  double square = 0;  // of the regrets, or of how far they were from those predicted
  double shift = 0;   // half the range of the change of the payoffs
  double move = 0;    // of the strategy that is played next
};

// The next strategy in proportion to `next`, whose sum is `total`.
REGRETLESS_INLINE void play_matched(Duelist& me, double total) {
  if (total > 0) {
    const Octet whole = eight(total);
    for (std::int64_t i = 0; i < me.padded; i += 8) put(me.play + i, at(me.next, i) / whole);
  } else {
    for (std::int64_t i = 0; i < me.padded; i += 8) put(me.play + i, at(me.prior, i));
  }
}

// The positive parts of the summed regrets (Hart and Mas-Colell, 2000).
struct RegretMatching {
  static constexpr DuelMethod facts{"rm", false};
  static Lesson learn(Duelist& me, double value, double) {
    Octet square{}, total{};
    for (std::int64_t i = 0; i < me.padded; i += 8) {
      const Octet regret = at(me.gain, i) - eight(value), summed = at(me.regrets, i) + regret,
                  next = upper(summed, eight(0));
      put(me.regrets + i, summed);
      put(me.next + i, next);
      square = square + regret * regret;
      total = total + next;
    }
    play_matched(me, in_all(total));
    return {in_all(square)};
  }
};

// Sums that never fall below zero (Tammelin, 2014).
struct RegretMatchingPlus {
  static constexpr DuelMethod facts{"rm+", false};
  static Lesson learn(Duelist& me, double value, double) {
    Octet square{}, total{};
    for (std::int64_t i = 0; i < me.padded; i += 8) {
      const Octet regret = at(me.gain, i) - eight(value), summed = upper(at(me.regrets, i) + regret, eight(0));
      put(me.regrets + i, summed);
      put(me.next + i, summed);
      square = square + regret * regret;
      total = total + summed;
    }
    play_matched(me, in_all(total));
    return {in_all(square)};
  }
};

// The same, and the regrets of the last round are expected once more (Farina, Kroer and Sandholm, 2021).
struct PredictiveMatchingPlus {
  static constexpr DuelMethod facts{"prm+", false};
  static Lesson learn(Duelist& me, double value, double) {
    Octet square{}, total{};
    for (std::int64_t i = 0; i < me.padded; i += 8) {
      const Octet regret = at(me.gain, i) - eight(value), summed = upper(at(me.regrets, i) + regret, eight(0));
      const Octet next = upper(summed + regret, eight(0)), error = regret - at(me.last, i);
      put(me.regrets + i, summed);
      put(me.last + i, regret);
      put(me.next + i, next);
      square = square + error * error;
      total = total + next;
    }
    play_matched(me, in_all(total));
    return {in_all(square)};
  }
};

// Exponential weights of the summed regrets, which grow slower than sums of payoffs and so keep their digits over long
// plays.
enum class Expects { nothing, last_regret };  // of the next round
template <Expects expects>
struct ExponentialWeights {
  static constexpr DuelMethod facts{expects == Expects::last_regret ? "optimistic-hedge" : "hedge", true};
  static constexpr double steepest = 1e300;  // infinite powers would leave nothing to compare
  static Lesson learn(Duelist& me, double value, double rate) {
    Octet most = eight(-infinity), highest = most, lowest = eight(infinity);
    for (std::int64_t i = 0; i < me.padded; i += 8) {
      const Octet gain = at(me.gain, i), regret = gain - eight(value), summed = at(me.regrets, i) + regret;
      const Octet raised = eight(rate) * (expects == Expects::last_regret ? summed + regret : summed);
      const Octet power = at(me.prior, i) + lower(upper(raised, eight(-steepest)), eight(steepest));
      const Octet change = gain - at(me.last, i);
      highest = upper(highest, i + 8 <= me.n ? change : first_of(change, me.n - i, -infinity));
      lowest = lower(lowest, i + 8 <= me.n ? change : first_of(change, me.n - i, infinity));
      put(me.regrets + i, summed);
      put(me.last + i, gain);
      put(me.next + i, power);
      most = upper(most, power);
    }
    const Octet top = eight(largest_of(most));
    Octet total{};
    for (std::int64_t i = 0; i < me.padded; i += 8) {
      const Octet weight = exp_of(at(me.next, i) - top);
      put(me.next + i, weight);
      total = total + weight;
    }
    const Octet whole = eight(in_all(total));
    Octet move{};
    for (std::int64_t i = 0; i < me.padded; i += 8) {
      const Octet play = at(me.next, i) / whole, step = play - at(me.play, i);
      put(me.play + i, play);
      move = move + upper(step, eight(0) - step);
    }
    return {0, (largest_of(highest) - smallest_of(lowest)) / 2, in_all(move)};
  }

 private:
  static Octet first_of(const Octet& a, std::int64_t count, double rest) {
    alignas(64) double lanes[8];
    put(lanes, a);
    return count > 0 ? some_of(lanes, count, rest) : eight(rest);
  }
};

// The catalogue of methods. What stands here has a name in the binding and in Python, and is fuzzed.
using DuelMethods = std::tuple<ExponentialWeights<Expects::nothing>, ExponentialWeights<Expects::last_regret>,
                               RegretMatching, RegretMatchingPlus, PredictiveMatchingPlus>;

}  // namespace regretless::REGRETLESS_ISA
