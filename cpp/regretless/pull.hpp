// Rounds of a bandit: a draw, its loss, and what the ledger keeps of them; many in a row, or one at a time.
#pragma once
#include "pull_rule.hpp"
#include "pull_worlds.hpp"
#include "random.hpp"
#include "sum_tree.hpp"

namespace regretless::REGRETLESS_ISA {

// The room has three rows: bytes that say who is awake in a row of a table, the losses of a row, and masses.
REGRETLESS_INLINE double* room_for_losses(const Pulling& s) { return s.room + padded_arms(s.arms); }
REGRETLESS_INLINE double* room_for_masses(const Pulling& s) { return s.room + 2 * padded_arms(s.arms); }

// Sums over draws, from those of earlier epochs and the present one: however the rounds were cut into calls, the same
// bits.
inline void sum_up(const Pulling& s) {
  const PullMemory& m = *s.memory;
  PullBook& b = *s.book;
  const double draws = m.epoch_begin > 0 ? b.rounds - m.epoch_begin + 1 : 0, arms = double(s.arms);
  b.rates = m.closed_rates + m.rate * draws;
  b.swing = m.closed_swing + m.rate * (draws * arms + m.extra);
  b.reach = b.rounds * arms + (m.closed_extra + m.extra);
}

// A draw in proportion to masses, in the order of the arms; never one whose mass is zero or all but zero.
inline Drawn draw_by(const double* masses, std::int64_t n, double u, double gamma, double& total) {
  total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += masses[i];
  const double x = u * total, least = total * least_mass;
  double before = 0;
  std::int64_t arm = 0;
  for (std::int64_t i = 0; i < n && (before == 0 || x >= before); ++i)
    if (masses[i] > least) {
      before += masses[i];
      arm = i;
    }
  return {arm, masses[arm] / total, gamma};
}

template <class R>
REGRETLESS_APART Drawn draw_among(const Pulling& s, R& rule, double u, Awake awake, std::int64_t count) {
  double* masses = room_for_masses(s);
  rule.masses(awake, masses);
  double total;
  const Drawn d = draw_by(masses, s.arms, u, s.memory->gamma, total);
  if constexpr (requires { rule.drew(awake, masses, total); }) rule.drew(awake, masses, total);
  s.memory->extra += double(count - s.arms);
  s.book->restricted += 1;
  double* asleep = s.tallies + arm_asleep * s.arms;
  for (std::int64_t i = 0; i < s.arms; ++i) asleep[i] += !awake[i];
  return d;
}

inline void tell_missed(const Pulling& s, Awake awake, double loss) {
  double* missed = s.tallies + arm_missed * s.arms;
  for (std::int64_t i = 0; i < s.arms; ++i) missed[i] += awake[i] ? 0 : loss;
}

// Draw number `number` is made; what the ledger keeps of it is counted by the caller.
template <class R>
REGRETLESS_INLINE Drawn draw_number(const Pulling& s, R& rule, double number, double u, Awake awake, std::int64_t count,
                                    const PullAdvice& advice) {
  if constexpr (R::advised) {
    rule.begin(number, advice);
    s.memory->extra += rule.reach() - double(s.arms);
  } else {
    rule.begin(number);
  }
  if (awake) return draw_among(s, rule, u, awake, count);
  return rule.draw(u);
}

// What the next round would be played with, without playing it: f(rule).
template <class R, class F>
void preview(const Pulling& s, const PullAdvice& advice, F f) {
  const PullMemory memory = *s.memory;
  const PullBook book = *s.book;
  {
    R rule(s);
    if constexpr (R::advised) {
      if (advice.shares || advice.picks) rule.begin(book.rounds + 1, advice);
      else rule.begin(book.rounds + 1);
    } else {
      rule.begin(book.rounds + 1);
    }
    f(rule);
  }
  if (__builtin_memcmp(&memory, s.memory, sizeof memory) == 0) return;
  *s.memory = memory;
  *s.book = book;
  R(s).rebuild();
}

template <class R>
PullVerdict probabilities_of(const Pulling& s, Awake awake, const PullAdvice& advice, double* out) {
  if constexpr (R::advised) {
    const std::int64_t bad = R::unsound(s, advice);
    if (bad >= 0) return {0, PullRefusal::advice, bad};
  }
  preview<R>(s, advice, [&](R& rule) {
    double* masses = room_for_masses(s);
    rule.masses(awake, masses);
    double total = 0;
    for (std::int64_t i = 0; i < s.arms; ++i) total += masses[i];
    for (std::int64_t i = 0; i < s.arms; ++i) out[i] = masses[i] / total;
  });
  return {};
}

// The least of the certificate's estimates.
inline double least_implicit(const Pulling& s) {
  const double* implicit = s.state + s.experts;
  Octet least = eight(infinity);
  for (std::int64_t i = 0; i < s.experts; i += 8) least = lower(least, eight_of(implicit, i, s.experts, infinity));
  return smallest_of(least);
}

// A long play returns from time to time, so that it can be interrupted. Looked at: all numbers of a row
// are.
template <class R>
std::int64_t patience(const Pulling& s, bool looked_at) {
  constexpr std::int64_t rounds = 1 << 20, numbers = 1 << 26;
  if (!R::advised && !R::linear && !looked_at && s.schedule != PullSchedule::every_round) return rounds;
  const std::int64_t a_round = R::advised ? s.arms * s.experts : s.arms;
  return a_round >= numbers ? 1 : numbers / a_round < rounds ? numbers / a_round : rounds;
}

// What a play adds to the ledger in every round, kept out of memory until it is asked for.
struct Running {
  explicit Running(const Pulling& s) : number(s.book->rounds), loss(s.book->loss) {}

  void write(const Pulling& s) const {
    PullBook& book = *s.book;
    const double played = number - book.rounds;
    s.memory->position += played;
    book.settled += played;
    book.rounds = number;
    book.loss = loss;
    sum_up(s);
  }

  double number, loss;
};

inline PullAdvice advice_at(const Pulling& s, const PullAdvice& all, std::int64_t t) {
  if (all.picks) return {nullptr, all.picks + t * s.experts};
  return {all.shares + t * s.experts * s.arms, nullptr};
}

// The first arm that sleeps though an expert advises it, else -1.
inline std::int64_t advised_asleep(const Pulling& s, const PullAdvice& a, Awake awake) {
  std::int64_t first = s.arms;
  for (std::int64_t e = 0; e < s.experts; ++e) {
    if (a.picks) {
      if (!awake[a.picks[e]] && a.picks[e] < first) first = a.picks[e];
      continue;
    }
    const double* shares = a.shares + e * s.arms;
    for (std::int64_t i = 0; i < first; ++i)
      if (!awake[i] && shares[i] > 0) first = i;
  }
  return first < s.arms ? first : -1;
}

// The points of the curves after a row; what will be advised next is not known, so that shares are by the row's advice.
template <class R>
REGRETLESS_APART void write_point(const Pulling& s, R& rule, const PullAdvice& advice, const PullResults& to,
                                  std::int64_t j) {
  const PullBook& book = *s.book;
  to.loss[j] = book.loss;
  to.certificate[j] = book.loss + (book.rounds - book.settled) - least_implicit(s);
  if (!to.shares) return;
  probabilities_of<R>(s, nullptr, advice, to.shares + j * s.arms);
  rule.recall();
}

template <class R, class World>
PullVerdict play_rounds(const Pulling& s, World world, const PullAdvice& advice, const PullResults& to,
                        std::int64_t begin, std::int64_t end) {
  R rule(s);
  Running sums(s);
  Uniforms uniforms(s.key0, s.key1, std::uint64_t(s.memory->position));
  double* const draws = s.tallies + arm_draws * s.arms;
  double* const losses = s.tallies + arm_losses * s.arms;
  std::int64_t mark = 0;
  while (mark < to.count && to.marks[mark] <= begin) ++mark;
  PullVerdict verdict;
  const std::int64_t wanted = end - begin, most = patience<R>(s, world.looks());
  for (; verdict.played < wanted && verdict.played < most; ++verdict.played) {
    const std::int64_t t = begin + verdict.played;
    RowOfArms open = world.open_row(t);
    verdict.refusal = open.refusal;
    verdict.column = open.column;
    PullAdvice now;
    if constexpr (R::advised) {
      now = advice_at(s, advice, t);
      const std::int64_t bad = R::unsound(s, now);
      if (bad >= 0) {
        verdict.refusal = PullRefusal::advice;
        verdict.column = bad;
      }
      if (open.awake && bad < 0) {
        const std::int64_t arm = advised_asleep(s, now, open.awake);
        if (arm >= 0) {
          verdict.refusal = PullRefusal::asleep;
          verdict.column = arm;
        }
        open.awake = nullptr;  // nobody could draw those arms anyway
      }
    }
    if (verdict.refusal != PullRefusal::none) break;

    sums.number += 1;
    const Drawn d = draw_number(s, rule, sums.number, uniforms.next(), open.awake, open.count, now);
    const double loss = world.loss(d.arm);
    sums.loss += loss;
    draws[d.arm] += 1;
    losses[d.arm] += loss;
    if (open.awake) tell_missed(s, open.awake, loss);
    if constexpr (R::sees_all) {
      double* const row = room_for_losses(s);
      for (std::int64_t i = 0; i < s.arms; ++i) row[i] = !open.awake || open.awake[i] ? world.loss(i) : 0;
      rule.settle(d, row, true, open.awake);
    } else if constexpr (R::advised) {
      rule.settle(d, loss, true, now);
    } else {
      rule.settle(d, loss, true, open.awake);
    }

    if (to.arms) to.arms[t] = std::int32_t(d.arm);
    if (mark < to.count && to.marks[mark] == t + 1) {
      sums.write(s);
      write_point(s, rule, now, to, mark++);
    }
  }
  sums.write(s);
  return verdict;
}

// One draw, which waits for its loss; its number is then that of the draws made.
template <class R>
PullVerdict open_draw(const Pulling& s, Awake awake, const PullAdvice& advice, Drawn& d) {
  std::int64_t count = s.arms;
  if (awake) {
    count = 0;
    for (std::int64_t i = 0; i < s.arms; ++i) count += awake[i] != 0;
    if (count == 0) return {0, PullRefusal::asleep, -1};
    if (count == s.arms) awake = nullptr;
  }
  if constexpr (R::advised) {
    const std::int64_t bad = R::unsound(s, advice);
    if (bad >= 0) return {0, PullRefusal::advice, bad};
  }
  R rule(s);
  const double u = Uniforms(s.key0, s.key1, std::uint64_t(s.memory->position)).next();
  d = draw_number(s, rule, s.book->rounds + 1, u, awake, count, advice);
  s.memory->position += 1;
  s.book->rounds += 1;
  s.tallies[arm_draws * s.arms + d.arm] += 1;
  sum_up(s);
  return {};
}

template <class R>
PullVerdict settle_draw(const Pulling& s, const PullSettlement& settlement) {
  const Drawn& d = settlement.drawn;
  Awake awake = settlement.awake;
  bool every = true;
  if (awake)
    for (std::int64_t i = 0; i < s.arms; ++i) every &= awake[i] != 0;
  if (every) awake = nullptr;
  const auto outside = [&](double value) { return !(value >= s.low && value <= s.high); };
  double* const row = room_for_losses(s);
  double loss;
  if constexpr (R::sees_all) {
    for (std::int64_t i = 0; i < s.arms; ++i) {
      const bool sleeps = awake && !awake[i];
      if (!sleeps && outside(settlement.row[i])) return {0, PullRefusal::out_of_range, i};
      row[i] = sleeps ? 0 : in_units(settlement.row[i], s.low, s.high, s.rewards);
    }
    loss = row[d.arm];
  } else {
    if (outside(settlement.loss)) return {0, PullRefusal::out_of_range, d.arm};
    loss = in_units(settlement.loss, s.low, s.high, s.rewards);
  }
  if constexpr (R::advised) {
    const std::int64_t bad = R::unsound(s, settlement.advice);
    if (bad >= 0) return {0, PullRefusal::advice, bad};
  }
  R rule(s);
  PullBook& book = *s.book;
  const bool in_time = settlement.number == book.rounds;
  book.late += !in_time;
  book.settled += 1;
  book.loss += loss;
  s.tallies[arm_losses * s.arms + d.arm] += loss;
  if (awake) tell_missed(s, awake, loss);
  if constexpr (R::sees_all) rule.settle(d, row, in_time, awake);
  else if constexpr (R::advised) rule.settle(d, loss, in_time, settlement.advice);
  else rule.settle(d, loss, in_time, awake);
  return {};
}

}  // namespace regretless::REGRETLESS_ISA
