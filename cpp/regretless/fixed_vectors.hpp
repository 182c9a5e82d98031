// Fixed vectors against the rounds, each exactly as it is: what it is charged, its smallest margin and its largest
// score.
#pragma once
#include <limits>
#include <string_view>
#include <variant>

#include "multi_target.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// The scores of all rows, each of them in the scratch when `use` is called with its place.
template <Rows X, class Use>
LinearVerdict score_rows(const X& rows, std::int64_t count, double intercept, const FixedVectors& v, const Use& use) {
  for (std::int64_t t = 0; t < count; ++t) {
    if (const LinearRefusal c = rows.check(t, v.columns); c != LinearRefusal::none) return {t, c};
    rows.prefetch(t, count);
    const double norm2 = products_and_norm(rows[t], v.vectors, v.room, v.scratch) + intercept * intercept;
    if (!(norm2 < std::numeric_limits<double>::infinity())) return {t, LinearRefusal::not_finite};
    v.norms[0] += 1;
    if (norm2 > v.norms[1]) v.norms[1] = norm2;
    v.norms[2] += norm2;
    use(t);
  }
  return {count, LinearRefusal::none};
}

// max(0, 1 - m) of four margins; not a number where the margin is none.
REGRETLESS_INLINE Quartet hinge_of(const Quartet& margins) {
  return apply([](auto m) REGRETLESS_LAMBDA { return m >= 1.0 ? decltype(m){} : 1.0 - m; }, margins);
}

// What fixed vectors may be charged besides their hinge losses and the squares of these.
struct NoCharge {
  static constexpr std::string_view name = "nothing";
  explicit NoCharge(const Rules&) {}
  static Quartet of(const Quartet&) { return spread<4>(0); }
};
struct HingeCharge {
  static constexpr std::string_view name = "hinge";
  explicit HingeCharge(const Rules&) {}
  static Quartet of(const Quartet& margins) { return hinge_of(margins); }
};
struct SquaredHingeCharge {
  static constexpr std::string_view name = "squared-hinge";
  explicit SquaredHingeCharge(const Rules&) {}
  static Quartet of(const Quartet& margins) { return hinge_of(margins) * hinge_of(margins); }
};
struct SquareCharge {
  static constexpr std::string_view name = "square";
  explicit SquareCharge(const Rules&) {}
  static Quartet of(const Quartet& margins) {
    return apply([](auto m) REGRETLESS_LAMBDA { return (1.0 - m) * (1.0 - m); }, margins);
  }
};
struct LogisticCharge {
  static constexpr std::string_view name = "logistic";
  explicit LogisticCharge(const Rules&) {}
  static Quartet of(const Quartet& margins) {
    const Quartet against = apply([](auto m) REGRETLESS_LAMBDA { return -m; }, margins);
    return upper(spread<4>(0), against) + log_one_plus_of(exp_of(lower(margins, against)));
  }
};
struct NegativePartCharge {
  static constexpr std::string_view name = "negative-part";
  explicit NegativePartCharge(const Rules&) {}
  static Quartet of(const Quartet& margins) {
    return apply([](auto m) REGRETLESS_LAMBDA { return m >= 0.0 ? decltype(m){} : -m; }, margins);
  }
};
using AnyCharge =
    std::variant<NoCharge, HingeCharge, SquaredHingeCharge, SquareCharge, LogisticCharge, NegativePartCharge>;

// Adds up what the vectors k, ..., k + 3 are charged in a round whose products are in the scratch. A round that counts
// zero times is not theirs at all.
template <class Charge>
REGRETLESS_INLINE void charge_four(std::int64_t k, std::int32_t label, double intercept, const ChargedVectors& v) {
  const Quartet times = load<4>(v.times + k), none = spread<4>(0);
  const Quartet score = load<4>(v.scratch + k) + spread<4>(intercept) * load<4>(v.biases + k);
  const Quartet margin = score * collect<4>([&](int l) { return v.whose[k + l] == label ? 1.0 : -1.0; });
  const Quartet hinge = hinge_of(margin);
  const auto add = [&](int place, const Quartet& charge) REGRETLESS_LAMBDA {
    double* const sum = v.sums + place * v.count + k;
    store(sum, load<4>(sum) + where_positive(times, times * charge, none));
  };
  add(0, hinge);
  add(1, hinge * hinge);
  add(2, Charge::of(margin));
  double *const least = v.ends + k, *const largest = v.ends + v.count + k;
  store(least, lower(where_positive(times, margin, load<4>(least)), load<4>(least)));
  store(largest, upper(where_positive(times, upper(score, none - score), none), load<4>(largest)));
}

template <class Charge, Rows X>
LinearVerdict charge_all(const X& rows, std::int64_t count, const Labels& labels, const Rules& rules,
                         const ChargedVectors& v) {
  const double b = rules.intercept;
  return score_rows(rows, count, b, v, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < v.count; k += 4) charge_four<Charge>(k, labels.label[t], b, v);
  });
}

}  // namespace regretless::REGRETLESS_ISA
