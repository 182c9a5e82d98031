// Fixed vectors against the rounds, each exactly as it is: what it is charged, its smallest margin and its largest
// score.
#pragma once
#include <array>
#include <concepts>
#include <limits>
#include <string_view>
#include <variant>

#include "loss.hpp"
#include "multi_target.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// Of so few vectors over more columns than the nearest caches hold those of the next row are fetched.
inline constexpr std::int64_t near_room = 8;

// The scores of all rows, each of them in the scratch when `use` is called with its place.
template <Rows X, class Use>
LinearVerdict score_rows(const X& rows, std::int64_t count, double intercept, const FixedVectors& v, const Use& use) {
  for (std::int64_t t = 0; t < count; ++t) {
    if (const LinearRefusal c = rows.check(t, v.columns); c != LinearRefusal::none) return {t, c};
    rows.prefetch(t, count);
    if (v.columns > near_columns && v.room <= near_room && t + 1 < count)
      rows.prefetch_weights(t + 1, v.vectors, v.room * std::int64_t(sizeof(double)));
    const double norm2 = products_and_norm(rows[t], v.vectors, v.room, v.scratch) + intercept * intercept;
    if (!(norm2 < std::numeric_limits<double>::infinity())) return {t, LinearRefusal::not_finite};
    v.norms[0] += 1;
    if (norm2 > v.norms[1]) v.norms[1] = norm2;
    v.norms[2] += norm2;
    use(t);
  }
  return {count, LinearRefusal::none};
}

// What fixed vectors may be charged besides their hinge losses and the squares of these: a loss of the catalogue that
// says what it charges them, or nothing.
template <class L>
concept Charge = requires(const Quartet& margins) {
  { L::charge(margins) } -> std::same_as<Quartet>;
};
struct NoCharge {
  static constexpr std::string_view name = "nothing";
  static Quartet charge(const Quartet&) { return spread<4>(0); }
};
template <class... L>
static constexpr auto charge_names(std::variant<L...>*) {
  std::array<std::string_view, (std::size_t(Charge<L>) + ... + 1)> names{NoCharge::name};
  std::size_t place = 1;
  ((Charge<L> ? void(names[place++] = L::name) : void()), ...);
  return names;
}

// Adds up what the vectors k, ..., k + 3 are charged in a round whose products are in the scratch. A round that counts
// zero times is not theirs at all.
template <Charge C>
REGRETLESS_INLINE void charge_four(std::int64_t k, std::int32_t label, double intercept, const ChargedVectors& v) {
  const Quartet times = load<4>(v.times + k), none = spread<4>(0);
  const Quartet score = load<4>(v.scratch + k) + spread<4>(intercept) * load<4>(v.biases + k);
  const Quartet margin = score * collect<4>([&](int l) { return v.whose[k + l] == label ? 1.0 : -1.0; });
  const Quartet hinge = Hinge::charge(margin);
  const auto add = [&](int place, const Quartet& charge) REGRETLESS_LAMBDA {
    double* const sum = v.sums + place * v.count + k;
    store(sum, load<4>(sum) + where_positive(times, times * charge, none));
  };
  add(0, hinge);
  add(1, hinge * hinge);
  add(2, C::charge(margin));
  double *const least = v.ends + k, *const largest = v.ends + v.count + k;
  store(least, lower(where_positive(times, margin, load<4>(least)), load<4>(least)));
  store(largest, upper(where_positive(times, upper(score, none - score), none), load<4>(largest)));
}

template <Charge C, Rows X>
LinearVerdict charge_all(const X& rows, std::int64_t count, const Labels& labels, const Rules& rules,
                         const ChargedVectors& v) {
  const double b = rules.intercept;
  return score_rows(rows, count, b, v, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < v.count; k += 4) charge_four<C>(k, labels.label[t], b, v);
  });
}

}  // namespace regretless::REGRETLESS_ISA
