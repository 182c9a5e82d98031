// Rows against the records of several targets (see multi_target.hpp): each target's sums run in the order that `add_up`
// uses for one.
#pragma once
#include "multi_target.hpp"
#include "second_order_scales.hpp"

namespace regretless::REGRETLESS_ISA {

// The terms; `pick` reads the numbers of the targets at hand from an array.
template <class Scale>
struct Product {
  Scale scale;
  const double *weights, *squares, *sizes;
  template <int N, class Pick>
  REGRETLESS_INLINE Pack<double, N> of(const Pick& pick, const Pack<double, N>& x) const {
    return scale.coordinate(pick(weights), pick(squares), [&] { return pick(sizes); }, x * x).weight * x;
  }
};
struct Shrunk {  // of u' (A + x x')^-1 x
  const double *sums, *squares;
  double prior;
  template <int N, class Pick>
  REGRETLESS_INLINE Pack<double, N> of(const Pick& pick, const Pack<double, N>& x) const {
    return pick(sums) * x / ((pick(squares) + spread<N>(prior)) + x * x);
  }
};
template <class Scale>
struct Doubt {  // of x' A^-1 x
  Scale scale;
  const double *squares, *sizes;
  template <int N, class Pick>
  REGRETLESS_INLINE Pack<double, N> of(const Pick& pick, const Pack<double, N>& x) const {
    return x * (x / scale.coordinate(Pack<double, N>{}, pick(squares), [&] { return pick(sizes); }, x * x).entry);
  }
};

// The sums of a row's terms for all targets, whose numbers lie side by side, `stride` of them a feature; and the
// squared length of the row. sums[l * company + c] is lane l of target c.
template <int N, class Term>
REGRETLESS_APART static void add_terms(const Stretch& s, bool first, std::int64_t c, const Term& term, double* sums) {
  for (std::int64_t l = 0; l < 8; ++l) {
    auto lane = first ? Pack<double, N>{} : load<N>(sums + l * company);
    for (std::int64_t k = (l - s.lane) & 7; k < s.n; k += 8) {
      const auto x = spread<N>(s.value[k]);
      lane = lane + term.template of<N>([&](const double* from) { return load<N>(from + s.place[k] + c); }, x);
    }
    store(sums + l * company, lane);
  }
}

template <class Row, class Term>
REGRETLESS_APART static double totals(const Row& row, const Term& term, std::int64_t stride, std::int64_t targets,
                                      double* out) {
  double norm[8] = {}, sums[8 * company];
  for (std::int64_t c = 0; c < targets; c += company) {
    const std::int64_t here = targets - c < company ? targets - c : company;
    Stretch s;
    std::int64_t k = 0;
    do {
      unpack(row, k, stride, s);
      grouped<one_register>(0, here,
                            [&](std::int64_t d, auto size) { add_terms<size>(s, k == 0, c + d, term, sums + d); });
      if (c == 0) add_squares(s, norm);
      k += Stretch::room;
    } while (k < row.n);
    climb_trees(sums, here, out + c);
  }
  return tree(load<8>(norm));
}

// w <- w + step x / A for all targets, before A changes; u <- u + sum x and A <- A + confidence x^2. Those that do not
// move have zeros, and adding a zero of either sign changes nothing, as no number that is kept is -0; nor do they see
// how large the row is.
template <int N, class Scale>
REGRETLESS_APART static void add_to_weights(const Stretch& s, const Scale& scale, const double* step,
                                            const double* moving, const double* squares, double* sizes,
                                            double* weights) {
  const auto by = load<N>(step), sees = load<N>(moving);
  for (std::int64_t k = 0; k < s.n; ++k) {
    const auto x = spread<N>(s.value[k]), square = sees * (x * x);
    double *const at = weights + s.place[k], *const size = sizes + s.place[k];
    const auto now =
        scale.coordinate(load<N>(at), load<N>(squares + s.place[k]), [&] { return load<N>(size); }, square);
    store(at, now.weight + by * (x / now.entry));
    if constexpr (std::same_as<Scale, InSizes>) store(size, greatest(load<N>(size), square));
  }
}
template <int N>
REGRETLESS_APART static void add_to_sums(const Stretch& s, const double* sum, const double* confidence, double* sums,
                                         double* squares) {
  const auto signed_by = load<N>(sum), by = load<N>(confidence);
  for (std::int64_t k = 0; k < s.n; ++k) {
    const auto x = spread<N>(s.value[k]);
    store(sums + s.place[k], load<N>(sums + s.place[k]) + signed_by * x);
    store(squares + s.place[k], load<N>(squares + s.place[k]) + by * (x * x));
  }
}

}  // namespace regretless::REGRETLESS_ISA
