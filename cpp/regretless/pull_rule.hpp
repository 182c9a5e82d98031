// What every rule of a bandit has: its arrays, the rates it draws with, and the estimates of the certificate.
//
// A rule R is made for a call and found again from its arrays by the next one. The loop uses
//
//   R::sees_all                 whether all losses of a round are revealed
//   R::advised                  whether experts advise
//   R::linear                   whether a round takes time linear in the arms
//
//   R(const Pulling&)           cheap; finds the arrays, and the caches that rebuild() or an earlier call left
//   rebuild()                   makes the caches anew, from the state and the memory alone: the same bits
//   recall()                    reads again what it holds of the memory and of the caches, which another rule used
//
//   begin(t)                    before draw number t, counted from 1: sets the rate, and makes caches anew if it
//                               changed; twice is once; state, book.rounds and tallies are left alone
//   draw(u)                     an arm of all, and the probability and the gamma it was drawn with
//   masses(awake, out)          what arms are drawn in proportion to: not negative, 0 for those asleep (none is, if
//                               awake is null), zeros up to padded_arms; their sum is positive and finite even where
//                               all that are awake have tiny shares of the whole
//   drew(awake, masses, total)  optional: what happens at a draw among some, before its loss is known
//
// and one of
//
//   settle(drawn, loss, in_time, awake)    awake is null unless the draw was restricted; in_time: no draw since
//   settle(drawn, losses, in_time, awake)  where all losses are revealed; counts the mixed loss itself
//   settle(drawn, loss, in_time, advice)   of an advised rule: the advice of the draw's round
//
// and of an advised rule besides
//
//   begin(t, advice)            as begin(t), with the advice of the round; begin(t) then sets the rate only
//   R::unsound(s, advice)       the expert whose advice is none, or -1
//   reach()                     the sum over arms of the largest share that an expert gives it
//
// Losses are in units. settle() keeps both rows of estimates, 0 for the rule and 1 for the certificate.
#pragma once
#include <limits>

#include "simd_math.hpp"
#include "bandit_types.hpp"

namespace regretless::REGRETLESS_ISA {

// Arms that are awake, one byte each; null: all of them.
using Awake = const unsigned char*;

REGRETLESS_INLINE double square_root(double x) { return __builtin_sqrt(x); }

// The logarithm of how many things are compared, where there is a choice.
REGRETLESS_INLINE double log_count(std::int64_t count) { return log_of(double(count)); }

class RuleBase {
 public:
  static constexpr bool sees_all = false, advised = false, linear = true;

  void recall() {}

 protected:
  REGRETLESS_INLINE explicit RuleBase(const Pulling& s)
      : s_(s), memory_(*s.memory), book_(*s.book), n_(s.arms), first_(s.first_arms), estimates_(s.state),
        implicit_(s.state + s.experts) {}

  REGRETLESS_INLINE bool epoch_ends(double t) const { return t >= memory_.epoch_end; }

  // Rates of an epoch that begins at draw t. A constant schedule has one epoch, an anytime one many that grow by a
  // tenth, and with new rates in every round each is an epoch.
  void begin_epoch(double t, double anytime_rate, double anytime_gamma) {
    const bool constant = s_.schedule == PullSchedule::constant;
    const double after = s_.schedule == PullSchedule::every_round ? t : double(std::int64_t(1.1 * t));
    memory_.epoch_end = constant ? std::numeric_limits<double>::infinity() : after + 1;
    set_rates(t, constant ? s_.rate : anytime_rate, constant ? s_.gamma : anytime_gamma);
  }

  // The rates of draw t and of those after it; the draws before it are summed up with theirs.
  REGRETLESS_INLINE void set_rates(double t, double rate, double gamma) {
    if (memory_.epoch_begin > 0) {
      const double draws = t - memory_.epoch_begin;
      memory_.closed_rates += memory_.rate * draws;
      memory_.closed_swing += memory_.rate * (draws * double(n_) + memory_.extra);
      memory_.closed_extra += memory_.extra;
    } else {
      book_.first_rate = rate;
    }
    memory_.extra = 0;
    memory_.epoch_begin = t;
    memory_.rate = book_.last_rate = rate;
    memory_.gamma = book_.last_gamma = gamma;
  }

  // gamma of an anytime certificate over `count` comparators, held on the epoch that begins at draw t.
  double anytime_gamma(double t, std::int64_t count) const {
    return count == 1 ? 0.5 : 0.5 * square_root(log_count(count) / (double(first_) * t));
  }

  const Pulling& s_;
  PullMemory& memory_;
  PullBook& book_;
  const std::int64_t n_, first_;
  double* const estimates_;
  double* const implicit_;
};

}  // namespace regretless::REGRETLESS_ISA
