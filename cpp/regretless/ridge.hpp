// Ridge logistic regression of rows whose columns are in units of the penalty: the v for which
//   over sum_t [ln(1 + exp(-y_t s_t)) + stiff max(|s_t| - reach, 0)^2 / 2] + <tilt, v> + |v|^2 / 2,  s_t = <v, x_t>,
// is about the smallest, by L-BFGS (Nocedal and Wright 2006, algorithms 7.4 and 7.5), with steps halved until they
// descend. Each vector on the way is a combination of the rows and of the tilt. Where these are fewer than the columns,
// it is kept as its coefficients and as its products with the rows and the tilt: a product of two vectors is then one
// of the coefficients of the first with the products of the second.
#pragma once
#include <utility>

#include "any_rows.hpp"
#include "ridge_types.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// y <- y + a x, and y <- a x.
REGRETLESS_INLINE void add_times(double a, const double* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}
REGRETLESS_INLINE void set_times(double a, const double* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = a * x[i];
}

template <Rows X>
class Ridge {
 public:
  Ridge(const X& x, const std::int32_t* labels, std::int64_t rows, const RidgeProblem& p)
      : x_(x), p_(p), rows_(rows), size_(ridge_vector_size(rows, p.columns)), by_rows_(size_ != p.columns),
        far_(p.columns > 1 << 13), free_(p.room) {
    v_ = take(size_);
    slope_ = take(size_);
    next_ = take(size_);
    step_ = take(size_);
    for (Pair& pair : pairs_) pair = {take(size_), take(size_), 0};
    sum_ = take(p.columns);
    for (double** each : {&signs_, &scores_, &trial_, &along_, &rises_, &tilted_}) *each = take(rows + 8);
    for (std::int64_t t = 0; t < rows; ++t) signs_[t] = labels[t];
  }

  void minimise() {
    begin();
    double value = charge(scores_);
    find_slope(slope_);
    for (int step = 0; step < most_steps; ++step) {
      direct();
      const double descent = dot(slope_, step_), size = value < 0 ? -value : value;
      if (!(descent < -close * (size < 1 ? 1 : size)) || !descend(value, descent)) break;
      find_slope(next_);
      remember();
    }
    finish();
  }

 private:
  struct Pair {
    double *moved, *bent, inverse;
  };
  static constexpr int most_steps = 60;
  static constexpr double stiff = 10, close = 1e-9, shortest = 1e-10;  // what ends it, and the shortest share of a step

  double* take(std::int64_t n) {
    double* const here = free_;
    free_ += n;
    return here;
  }

  // ---- vectors

  double dot(const double* a, const double* b) const {
    return by_rows_ ? product(a, b + rows_ + 1, rows_ + 1) : product(a, b, size_);
  }
  double with_tilt(const double* v) const { return by_rows_ ? v[size_ - 1] : product(p_.tilt, v, size_); }
  const double* scores_of(const double* v) {
    if (by_rows_) return v + rows_ + 1;
    score(v, along_);
    return along_;
  }

  void score(const double* v, double* scores) const {
    for (std::int64_t t = 0; t < rows_; ++t) {
      x_.prefetch(t, rows_);
      if (far_ && t + 1 < rows_) x_.prefetch_weights(t + 1, v + 1, sizeof(double));
      double norm2;  // looked at there for zeros, which are no part of the order of the sums
      scores[t] = product_and_norm(x_[t], v + 1, norm2) + p_.intercept * v[0];
    }
  }
  void combine(const double* by, double* v) const {
    for (std::int64_t i = 0; i < p_.columns; ++i) v[i] = 0;
    double all = 0;
    for (std::int64_t t = 0; t < rows_; ++t) {
      x_.prefetch(t, rows_);
      if (far_ && t + 1 < rows_) x_.prefetch_weights(t + 1, v + 1, sizeof(double));
      add(x_[t], by[t], v + 1);
      all += by[t];
    }
    v[0] = p_.intercept * all;
  }

  // ---- the search

  void begin() {
    for (std::int64_t i = 0; i < size_; ++i) v_[i] = 0;
    for (std::int64_t t = 0; t < rows_; ++t) scores_[t] = 0;
    if (!by_rows_) return;
    score(p_.tilt, tilted_);
    tilt2_ = product(p_.tilt, p_.tilt, p_.columns);
  }

  // What scores cost; the slope of that in each of them is written down.
  double charge(const double* scores) {
    Octet sum = eight(0);
    const Octet none = eight(0), one = eight(1), reach = eight(p_.reach), over = eight(p_.over), stiffly = eight(stiff);
    for (std::int64_t t = 0; t < rows_; t += 8) {
      const Octet s = eight_of(scores, t, rows_, 0.0), y = eight_of(signs_, t, rows_, 0.0);
      const Octet m = s * y, against = none - m, away = upper(m, against), e = exp_of(none - away);
      const Octet beyond = upper(away - reach, none) * stiffly, sign = where_positive(s, one, none - one);
      const Octet wrong = where_positive(m, e, one) / (one + e);
      const Octet loss = upper(none, against) + log_one_plus_of(e);
      const Octet square = beyond * beyond / (stiffly + stiffly);
      sum = sum + y * y * (loss + square);  // beyond the last row the sign is 0
      put(rises_ + t, over * (beyond * sign - y * wrong));
    }
    return p_.over * in_all(sum);
  }

  void find_slope(double* slope) {
    if (!by_rows_) {
      combine(rises_, slope);
      for (std::int64_t i = 0; i < size_; ++i) slope[i] += p_.tilt[i] + v_[i];
      return;
    }
    double* const products = slope + rows_ + 1;
    const double* const old = v_ + rows_ + 1;
    combine(rises_, sum_);
    score(sum_, products);
    for (std::int64_t t = 0; t < rows_; ++t) {
      slope[t] = rises_[t] + v_[t];
      products[t] += tilted_[t] + old[t];
    }
    slope[rows_] = 1 + v_[rows_];
    products[rows_] = product(p_.tilt, sum_, p_.columns) + (tilt2_ + old[rows_]);
  }

  // The slope times the inverse of the curvature that the last steps showed, with its sign changed.
  void direct() {
    set_times(-1, slope_, step_, size_);
    double factors[ridge_pairs];
    for (int k = count_ - 1; k >= 0; --k) {
      const Pair& pair = pair_of(k);
      factors[k] = pair.inverse * dot(pair.moved, step_);
      add_times(-factors[k], pair.bent, step_, size_);
    }
    double by = 0;
    if (count_) {
      const Pair& last = pair_of(count_ - 1);
      by = 1 / (last.inverse * dot(last.bent, last.bent));
    } else {
      const double length = __builtin_sqrt(dot(slope_, slope_));
      by = 1 / (length < 1 ? 1 : length);
    }
    set_times(by, step_, step_, size_);
    for (int k = 0; k < count_; ++k) {
      const Pair& pair = pair_of(k);
      add_times(factors[k] - pair.inverse * dot(pair.bent, step_), pair.moved, step_, size_);
    }
  }

  // A step along the direction, half as long until it descends; false if none does. The value is moved along.
  bool descend(double& value, double descent) {
    const double* const along = scores_of(step_);
    const double tilted = with_tilt(v_), tilting = with_tilt(step_);
    const double still = dot(v_, v_), across = dot(v_, step_), moving = dot(step_, step_);
    for (double length = 1; length >= shortest; length /= 2) {
      for (std::int64_t t = 0; t < rows_; ++t) trial_[t] = scores_[t] + length * along[t];
      const double loss = charge(trial_);
      const double lower = loss + (tilted + length * tilting) + (still + length * (2 * across + length * moving)) / 2;
      if (!(lower <= value + 1e-4 * length * descent)) continue;
      value = lower;
      if (length != 1) set_times(length, step_, step_, size_);
      add_times(1, step_, v_, size_);
      std::swap(scores_, trial_);
      return true;
    }
    return false;
  }

  // The step and what it changed of the slope, where the function is curved, and in whose place if there are many.
  void remember() {
    Pair& pair = pairs_[(first_ + count_) % ridge_pairs];
    for (std::int64_t i = 0; i < size_; ++i) pair.bent[i] = next_[i] - slope_[i];
    std::swap(slope_, next_);
    const double curved = dot(step_, pair.bent);
    if (!(curved > 0)) return;
    std::swap(pair.moved, step_);
    pair.inverse = 1 / curved;
    if (count_ < ridge_pairs) ++count_;
    else first_ = (first_ + 1) % ridge_pairs;
  }
  const Pair& pair_of(int k) const { return pairs_[(first_ + k) % ridge_pairs]; }

  void finish() const {
    if (!by_rows_) {
      set_times(1, v_, p_.best, size_);
      return;
    }
    combine(v_, p_.best);
    add_times(v_[rows_], p_.tilt, p_.best, p_.columns);
  }

  const X& x_;
  const RidgeProblem& p_;
  const std::int64_t rows_, size_;
  const bool by_rows_, far_;
  double *free_, *v_, *slope_, *next_, *step_, *sum_, *signs_, *scores_, *trial_, *along_, *rises_, *tilted_;
  double tilt2_ = 0;
  Pair pairs_[ridge_pairs];
  int first_ = 0, count_ = 0;
};

template <Rows X>
LinearVerdict ridge(const X& x, std::int64_t rows, const Labels& labels, const RidgeProblem& p) {
  for (std::int64_t t = 0; t < rows; ++t)
    if (const LinearRefusal c = x.check(t, p.columns - 1); c != LinearRefusal::none) return {t, c};
  Ridge<X>(x, labels.label, rows, p).minimise();
  return {rows, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
