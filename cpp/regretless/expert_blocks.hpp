// Rounds of few experts by the hedge, to the same bits as one by one. Where no rate waits for the charges of the round
// before, several rounds are played at once: each step of all is taken before the next step of any, and what a round
// sums over its experts is summed for four of them in lanes.
#pragma once
#include "expert_books.hpp"
#include "transpose_four.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr std::int64_t few = 32, at_once = 16;

// f(first number, eight or four lanes) for each part of a row, which is read in eights; the end may be in a four.
template <class F>
REGRETLESS_INLINE void by_parts(std::int64_t n, F f) {
  const std::int64_t rest = n & 7, whole = n - rest;
  for (std::int64_t i = 0; i < whole; i += 8) f(i, Octet{});
  if (rest > 4) f(whole, Octet{});
  else if (rest) f(whole, Quartet{});
}

// A part of a row; its first number stands in the places behind the end, which have no weight.
template <class P>
REGRETLESS_INLINE P part_of(const double* row, std::int64_t i, std::int64_t n) {
  const std::int64_t left = n - i;
  if constexpr (std::is_same_v<P, Octet>) return left >= 8 ? at(row, i) : some_of(row + i, left, row[i]);
  else return low_half(in_halves(some_of(row + i, left, row[i])));
}

struct Adding {
  static constexpr double start = 0;
  template <class P>
  REGRETLESS_INLINE static P of(const P& a, const P& b) {
    return b + a;
  }
};
struct Least {
  static constexpr double start = infinity;
  template <class P>
  REGRETLESS_INLINE static P of(const P& a, const P& b) {
    return lower(a, b);
  }
};
struct Most {
  static constexpr double start = -infinity;
  template <class P>
  REGRETLESS_INLINE static P of(const P& a, const P& b) {
    return upper(a, b);
  }
};

// What is made of the parts of one row, in the order in which `Hedge::sweep` makes it.
template <class By>
struct Folded {
  Octet eights = eight(By::start);
  Quartet end = spread<4>(By::start);
  REGRETLESS_INLINE void take(const Octet& a) { eights = By::of(a, eights); }
  REGRETLESS_INLINE void take(const Quartet& a) { end = By::of(a, end); }
  REGRETLESS_INLINE Quartet four() const {
    const Eight halves = in_halves(eights);
    return By::of(By::of(low_half(halves), end), high_half(halves));
  }
};
template <class By>
REGRETLESS_INLINE double folded(const Quartet& a) {
  if constexpr (std::is_same_v<By, Adding>) return tree(a);
  else if constexpr (std::is_same_v<By, Least>) return smallest_lane(a);
  else return largest_lane(a);
}
// The same of as many rows as are played at once.
template <class By>
REGRETLESS_INLINE void folded(const Quartet* rows, double* out) {
  for (int r = 0; r < at_once; r += 4) {
    Quartet m[4] = {rows[r], rows[r + 1], rows[r + 2], rows[r + 3]};
    transpose(m);
    put(out + r, By::of(By::of(m[0], m[2]), By::of(m[1], m[3])));
  }
}

// Reads a row, charges everybody and adds the charges to the sums.
struct Reading {
  Quartet lowest, highest, least, least_said, most_said;
};
template <Rows rows, class Loss>
REGRETLESS_INLINE Reading read_round(std::int64_t n, const double* row, const Loss& loss, const double* before,
                                     double* after, double* charges) {
  Folded<Least> lowest, least, least_said;
  Folded<Most> highest, most_said;
  by_parts(n, [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
    const P a = part_of<P>(row, i, n), c = values(loss, a), sum = read<P>(before + i) + c;
    put(charges + i, c);
    put(after + i, sum);
    lowest.take(c);
    highest.take(c);
    least.take(sum);
    if constexpr (rows == Rows::forecasts) {
      least_said.take(a);
      most_said.take(a);
    }
  });
  return {lowest.four(), highest.four(), least.four(), least_said.four(), most_said.four()};
}

REGRETLESS_INLINE Quartet leaders_in(std::int64_t n, const double* sums, const double* charges, double base) {
  Folded<Most> led;
  by_parts(n, [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
    led.take(charge_of_leader(read<P>(sums + i) - everywhere<P>(base), read<P>(charges + i)));
  });
  return led.four();
}

// Whether the gaps are wanted too.
enum class Gaps { unasked, noted };

// Weighs the experts by their sums before the round.
struct Weighing {
  Quartet total, charge, said, more;
};
// From the exponentials.
template <Rows rows, Gaps gaps>
REGRETLESS_INLINE Weighing weighed(const ExpertWorkspace& d, const double* row, const double* charges,
                                   const double* powers, const double* growth, std::int64_t step) {
  Folded<Adding> total, charge, said, more;
  by_parts(d.n, [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
    const P w = read<P>(d.prior + (i & step)) * read<P>(powers + i);
    total.take(w);
    charge.take(w * read<P>(charges + i));
    if constexpr (rows == Rows::forecasts) said.take(w * part_of<P>(row, i, d.n));
    if constexpr (gaps == Gaps::noted) more.take(w * read<P>(growth + i));
  });
  return {total.four(), charge.four(), said.four(), more.four()};
}
// Rounds of which nothing is written down before it is known that all are usual.
template <Rows rows, Gaps gaps>
struct Block {
  static constexpr bool forecasts = rows == Rows::forecasts;
  alignas(64) double sums[at_once + 1][few], charges[at_once][few];
  alignas(64) double powers[at_once * few + 8], growth[at_once * few + 8];  // exp(-eta excess); exp(-eta ahead) - 1
  double lowest[at_once], highest[at_once], least_said[at_once], most_said[at_once], least[at_once], base[at_once];
  double eta[at_once], power[at_once], leader[at_once], total[at_once], charge[at_once], said[at_once], more[at_once];
  double prediction[at_once], paid[at_once], mix[at_once], gap[at_once];

  template <class LossOf>
  REGRETLESS_INLINE void read(const ExpertWorkspace& d, const double* table, const double* y, LossOf loss_of) {
    Quartet low[at_once], high[at_once], after[at_once], first[at_once], last[at_once];
    for (std::int64_t i = 0; i < d.padded_n; ++i) sums[0][i] = d.row[0][i];
    for (int r = 0; r < at_once; ++r) {
      const Reading one =
          read_round<rows>(d.n, table + r * d.n, loss_of(forecasts ? y[r] : 0), sums[r], sums[r + 1], charges[r]);
      low[r] = one.lowest, high[r] = one.highest, after[r] = one.least;
      first[r] = one.least_said, last[r] = one.most_said;
    }
    folded<Least>(low, lowest);
    folded<Most>(high, highest);
    folded<Least>(after, least);
    if constexpr (forecasts) {
      folded<Least>(first, least_said);
      folded<Most>(last, most_said);
    }
    base[0] = d.memory.least;
    for (int r = 1; r < at_once; ++r) base[r] = least[r - 1];
  }
  // The rates: of a schedule that the charges before may change by their spread alone.
  REGRETLESS_INLINE void rate(const ExpertWorkspace& d) {
    if (gaps == Gaps::unasked || d.n == 1) {
      const double same = common_rate(d), its_power = power_of(d, d.memory, same);
      for (int r = 0; r < at_once; ++r) eta[r] = same, power[r] = its_power;
      return;
    }
    double number[at_once], span[at_once], spread = d.memory.spread;
    for (int r = 0; r < at_once; ++r) {
      number[r] = d.memory.rounds + (r + 1);
      span[r] = d.setting.span > 0 ? d.setting.span : spread;
      spread = at_least(highest[r] - lowest[r], spread);
    }
    const Octet most = eight(infinity), least_rate = eight(std::numeric_limits<double>::min());
    for (int r = 0; r < at_once; r += 8) {
      const Octet rate = anytime_rate(d.log_n, at(number, r), at(span, r));
      put(eta + r, upper(where_positive(at(span, r), rate, most), least_rate));
    }
    for (int r = 0; r < at_once; ++r) power[r] = bounded_power(eta[r] * -log2_e);
  }
  // Exponents of all rounds lie in a row, so that no lane is idle. What a round writes behind its end the next one
  // overwrites, and in the sums it has no weight.
  template <class Of>
  REGRETLESS_INLINE void exponents(const ExpertWorkspace& d, double* out, Of of) {
    for (int r = 0; r < at_once; ++r)
      by_parts(d.n, [&]<class P>(std::int64_t i, const P& lanes) REGRETLESS_LAMBDA {
        put(out + r * d.n + i, everywhere<P>(power[r]) * of(r, i, lanes));
      });
    for (std::int64_t i = at_once * d.n; i < at_once * d.n + 8; ++i) out[i] = 0;
  }
  REGRETLESS_INLINE void raise(const ExpertWorkspace& d) {
    exponents(d, powers, [&]<class P>(int r, std::int64_t i, const P&) REGRETLESS_LAMBDA {
      return regretless::REGRETLESS_ISA::read<P>(sums[r] + i) - everywhere<P>(base[r]);
    });
    for (std::int64_t i = 0; i < at_once * d.n; i += 8) put(powers + i, two_to(at(powers, i)));
    if constexpr (gaps == Gaps::noted) {
      Quartet led[at_once];
      for (int r = 0; r < at_once; ++r) led[r] = leaders_in(d.n, sums[r], charges[r], base[r]);
      folded<Most>(led, leader);
      exponents(d, growth, [&]<class P>(int r, std::int64_t i, const P&) REGRETLESS_LAMBDA {
        return regretless::REGRETLESS_ISA::read<P>(charges[r] + i) - everywhere<P>(leader[r]);
      });
      for (std::int64_t i = 0; i < at_once * d.n; i += 8) put(growth + i, two_to_less_one(at(growth, i)));
    }
  }
  REGRETLESS_INLINE void weigh(const ExpertWorkspace& d, const double* table, std::int64_t step) {
    raise(d);
    Quartet w[at_once], c[at_once], a[at_once], m[at_once];
    for (int r = 0; r < at_once; ++r) {
      const Weighing one =
          weighed<rows, gaps>(d, table + r * d.n, charges[r], powers + r * d.n, growth + r * d.n, step);
      w[r] = one.total, c[r] = one.charge, a[r] = one.said, m[r] = one.more;
    }
    folded<Adding>(w, total);
    folded<Adding>(c, charge);
    if constexpr (forecasts) folded<Adding>(a, said);
    if constexpr (gaps == Gaps::noted) folded<Adding>(m, more);
  }
  template <class LossOf>
  REGRETLESS_INLINE bool judge(const ExpertWorkspace& d, const double* y, LossOf loss_of) {
    int unusual = 0;
    for (int r = 0; r < at_once; ++r) {
      const double raw = charge[r] / total[r];
      mix[r] = between(raw, lowest[r], highest[r]);
      prediction[r] = forecasts ? said[r] / total[r] : raw;
      paid[r] = forecasts ? loss_of(y[r]).value(prediction[r]) : mix[r];
      const Usual seen{total[r], charge[r], said[r], paid[r], lowest[r], highest[r], least_said[r], most_said[r]};
      unusual |= !seen.template holds<rows>(d.setting.low, d.setting.high) | !(eta[r] < infinity);
    }
    if constexpr (gaps == Gaps::noted)
      for (int r = 0; r < at_once; ++r) {
        const QuickGap quick = quick_gap({mix[r], total[r], lowest[r], highest[r]}, leader[r], eta[r], more[r]);
        gap[r] = quick.gap;
        unusual |= !quick.fits;
      }
    return !unusual;
  }
  REGRETLESS_INLINE void write(ExpertWorkspace& d, const double* y, const Results& to, std::int64_t t) const {
    ExpertBook book = d.book;
    CombinerMemory memory = d.memory;
    for (int r = 0; r < at_once; ++r) {
      const Account account{{mix[r], total[r], lowest[r], highest[r]}, paid[r], mix[r], 0, lowest[r], highest[r]};
      write_usual(book, memory, account, eta[r]);
      if constexpr (forecasts) book.max_outcome2 = at_least(y[r] * y[r], book.max_outcome2);
      if constexpr (gaps == Gaps::noted) {
        book.gap += at_least(gap[r], 0);
        memory.gaps += at_least(gap[r], 0);
      }
      if (to.predictions) to.predictions[t + r] = prediction[r];
      if (to.losses) to.losses[t + r] = paid[r];
    }
    memory.least = least[at_once - 1];
    d.book = book;
    d.memory = memory;
    for (std::int64_t i = 0; i < d.padded_n; ++i) d.row[0][i] = i < d.n ? sums[at_once][i] : infinity;
  }
};

// Plays blocks of rounds up to the first that is not usual; returns its first round.
template <Rows rows, Gaps gaps, class LossOf>
static std::int64_t block_rows(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                               std::int64_t t, std::int64_t end, std::int64_t step, LossOf loss_of) {
  Block<rows, gaps> block;
  for (; t + at_once <= end && d.memory.least < infinity; t += at_once) {
    const double* y = outcomes ? outcomes + t : nullptr;
    bool refused = false;
    for (int r = 0; r < at_once && rows == Rows::forecasts; ++r) refused |= bool(outcome_fault(d.setting, y + r));
    if (refused) break;
    block.read(d, table + t * d.n, y, loss_of);
    block.rate(d);
    block.weigh(d, table + t * d.n, step);
    if (!block.judge(d, y, loss_of)) break;
    block.write(d, y, to, t);
  }
  return t;
}

}  // namespace regretless::REGRETLESS_ISA
