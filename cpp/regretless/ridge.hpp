// Ridge logistic regression of rows whose columns are in units of the penalty: the v for which
//   over sum_t [ln(1 + exp(-y_t s_t)) + stiff max(|s_t| - reach, 0)^2 / 2] + <tilt, v> + |v|^2 / 2,  s_t = <v, x_t>,
// is about the smallest, by Newton's method: each step is about the solution of its linear equations by conjugate
// gradients (Nocedal and Wright 2006, algorithm 7.1), halved until it descends. Each vector on the way is a combination
// of the rows and of the tilt. Where these are fewer than the columns, it is kept as its coefficients and as its
// products with the rows and the tilt: a product of two vectors is then one of the coefficients of the first with the
// products of the second, and columns matter only by what two rows have in common.
#pragma once
#include <utility>

#include "any_rows.hpp"
#include "ridge_types.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// y <- y + a x, and y <- x + a y.
REGRETLESS_INLINE void add_times(double a, const double* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}
REGRETLESS_INLINE void take_on(double a, const double* x, double* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] + a * y[i];
}

// Rows with the constant feature, of which vectors have the weight first.
template <Rows X>
struct WithConstant {
  const X& x;
  std::int64_t rows, columns;
  double intercept;
  const double* alone;  // of each row, what columns of its own add to its product with itself; null: nothing

  REGRETLESS_INLINE void fetch(std::int64_t t, const double* v) const {
    x.prefetch(t, rows);
    if (columns > 1 << 13 && t + 1 < rows) x.prefetch_weights(t + 1, v + 1, sizeof(double));
  }
  void score(const double* v, double* scores) const {
    for (std::int64_t t = 0; t < rows; ++t) {
      fetch(t, v);
      double norm2;  // looked at there for zeros, which are no part of the order of the sums
      scores[t] = product_and_norm(x[t], v + 1, norm2) + intercept * v[0];
    }
  }
  void combine(const double* by, double* v) const {
    for (std::int64_t i = 0; i < columns; ++i) v[i] = 0;
    double all = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      fetch(t, v);
      add(x[t], by[t], v + 1);
      all += by[t];
    }
    v[0] = intercept * all;
  }
  // The sum of squares of each column, each times a number of its row.
  void combine_squares(const double* by, double* v) const {
    for (std::int64_t i = 0; i < columns; ++i) v[i] = 0;
    double all = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      fetch(t, v);
      const auto row = x[t];
      for (std::int64_t k = 0; k < row.n; ++k) v[1 + row.column(k)] += by[t] * (row.x[k] * row.x[k]);
      all += by[t];
    }
    v[0] = intercept * intercept * all;
  }
};

template <Rows X>
class Ridge {
 public:
  // `tilted`: the products of the rows with the tilt, where they are fewer than the columns.
  Ridge(const WithConstant<X>& x, const std::int32_t* labels, const RidgeProblem& p, const double* tilted, double* room)
      : x_(x), p_(p), rows_(x.rows), size_(ridge_vector_size(x.rows, p.columns)), by_rows_(size_ != p.columns),
        tilt_(p.tilt), free_(room) {
    for (double** each : {&v_, &slope_, &step_, &onward_, &image_, &rest_, &scaled_, &inverse_}) *each = take(size_);
    for (double** each : {&signs_, &scores_, &trial_, &along_, &rises_, &bends_, &bent_}) *each = take(rows_ + 8);
    sum_ = take(x.columns);
    for (std::int64_t t = 0; t < rows_; ++t) signs_[t] = labels[t];
    if (by_rows_) put_tilt(tilted);
  }

  // The minimiser; or, where rows are fewer than columns, the coefficients of each of them, and that of the tilt.
  const double* minimise() {
    for (std::int64_t i = 0; i < size_; ++i) v_[i] = 0;
    for (std::int64_t t = 0; t < rows_; ++t) scores_[t] = 0;
    double value = charge(scores_);
    for (const int most = rows_ <= few_rows ? 2 * most_turns : most_turns; turns_ < most;) {
      find_slope();
      direct();
      const double descent = dot(slope_, step_), size = value < -1 || value > 1 ? __builtin_fabs(value) : 1;
      if (!descend(value, descent) || !(descent < -close * size)) break;
    }
    return v_;
  }

 private:
  static constexpr int few_rows = 1000, most_turns = 60, most_in_a_step = 15;  // of conjugate gradients
  static constexpr double stiff = 10, shortest = 1e-10;                        // the shortest share of a step
  static constexpr double loose = 0.1;   // which part of the squared slope a step may leave
  static constexpr double close = 1e-4;  // what the last step descends by: the next would by a small part of it

  double* take(std::int64_t n) {
    double* const here = free_;
    free_ += n;
    return here;
  }
  void put_tilt(const double* tilted) {
    double* const tilt = take(size_);
    for (std::int64_t t = 0; t < rows_; ++t) {
      tilt[t] = 0;
      tilt[rows_ + 1 + t] = tilted[t];
    }
    tilt[rows_] = 1;
    tilt[size_ - 1] = product(p_.tilt, p_.tilt, p_.columns);
    tilt_ = tilt;
  }

  // ---- vectors

  double dot(const double* a, const double* b) const {
    return by_rows_ ? product(a, b + rows_ + 1, rows_ + 1) : product(a, b, size_);
  }
  const double* scores_of(const double* v) {
    if (by_rows_) return v + rows_ + 1;
    x_.score(v, along_);
    return along_;
  }
  // The sum of the rows times these numbers.
  void combine(const double* by, double* v) {
    if (!by_rows_) {
      x_.combine(by, v);
      return;
    }
    double* const products = v + rows_ + 1;
    x_.combine(by, sum_);
    x_.score(sum_, products);
    for (std::int64_t t = 0; t < rows_; ++t) {
      v[t] = by[t];
      if (x_.alone) products[t] += x_.alone[t] * by[t];
    }
    v[rows_] = 0;
    products[rows_] = product(tilt_ + rows_ + 1, by, rows_);
  }

  // ---- the search

  // What scores cost; the slope of that in each of them is written down, and its curvature.
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
      put(bends_ + t, over * (e / ((one + e) * (one + e)) + where_positive(beyond, stiffly, none)));
    }
    return p_.over * in_all(sum);
  }

  void find_slope() {
    combine(rises_, slope_);
    for (std::int64_t i = 0; i < size_; ++i) slope_[i] += tilt_[i] + v_[i];
  }

  // The curvature times a vector.
  void bend(const double* v, double* image) {
    const double* const along = scores_of(v);
    for (std::int64_t t = 0; t < rows_; ++t) bent_[t] = bends_[t] * along[t];
    combine(bent_, image);
    for (std::int64_t i = 0; i < size_; ++i) image[i] += v[i];
  }

  // What is left, each number over the curvature along its column; vectors of coefficients stay what they are.
  const double* scaled() {
    if (by_rows_) return rest_;
    for (std::int64_t i = 0; i < size_; ++i) scaled_[i] = inverse_[i] * rest_[i];
    return scaled_;
  }

  // About the inverse of the curvature times the slope, with its sign changed; the more nearly, the smaller the slope.
  void direct() {
    if (!by_rows_) {
      x_.combine_squares(bends_, inverse_);
      for (std::int64_t i = 0; i < size_; ++i) inverse_[i] = 1 / (1 + inverse_[i]);
    }
    for (std::int64_t i = 0; i < size_; ++i) {
      step_[i] = onward_[i] = 0;
      rest_[i] = -slope_[i];
    }
    const double* its = scaled();
    double square = dot(rest_, its), before = 0;
    if (first_ == 0) first_ = square;
    const double part = __builtin_sqrt(square / first_), enough = square * (part < loose ? part : loose);
    for (int turn = 0; square > enough && turn < most_in_a_step; ++turn, ++turns_) {
      take_on(before > 0 ? square / before : 0, its, onward_, size_);
      bend(onward_, image_);
      const double length = square / dot(onward_, image_);
      add_times(length, onward_, step_, size_);
      add_times(-length, image_, rest_, size_);
      its = scaled();
      before = square;
      square = dot(rest_, its);
    }
  }

  // A step along the direction, half as long until it descends; false if none does. The value is moved along.
  bool descend(double& value, double descent) {
    const double* const along = scores_of(step_);
    const double tilted = dot(tilt_, v_), tilting = dot(tilt_, step_);
    const double still = dot(v_, v_), across = dot(v_, step_), moving = dot(step_, step_);
    for (double length = 1; length >= shortest && descent < 0; length /= 2) {
      for (std::int64_t t = 0; t < rows_; ++t) trial_[t] = scores_[t] + length * along[t];
      const double loss = charge(trial_);
      const double lower = loss + (tilted + length * tilting) + (still + length * (2 * across + length * moving)) / 2;
      if (!(lower <= value + 1e-4 * length * descent)) continue;
      value = lower;
      add_times(length, step_, v_, size_);
      std::swap(scores_, trial_);
      return true;
    }
    return false;
  }

  const WithConstant<X>& x_;
  const RidgeProblem& p_;
  const std::int64_t rows_, size_;
  const bool by_rows_;
  const double* tilt_;
  double *free_, *v_, *slope_, *step_, *onward_, *image_, *rest_, *scaled_, *inverse_;
  double *signs_, *scores_, *trial_, *along_, *rises_, *bends_, *bent_, *sum_;
  double first_ = 0;
  int turns_ = 0;
};

// Entries that are not 0 of some rows, in memory that is another's.
struct Entered {
  double* values;
  std::int32_t *indices, *numbers;  // numbers: what the columns are called there, or -1 of those left out
  std::int64_t* starts;
  double* alone;

  Entered(double*& free, std::int64_t rows, std::int64_t columns, std::int64_t entries)
      : values(free), indices(reinterpret_cast<std::int32_t*>(values + entries)), numbers(indices + entries),
        starts(reinterpret_cast<std::int64_t*>(values + entries + (entries + columns + 1) / 2)),
        alone(reinterpret_cast<double*>(starts + rows + 1)) {
    free = alone + rows;
  }

  // Numbers those columns afresh in which two rows or more have an entry; how many they are.
  template <Rows X>
  std::int64_t number(const X& x, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j) numbers[j] = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      const auto row = x[t];
      for (std::int64_t k = 0; k < row.n; ++k) {
        std::int32_t& count = numbers[row.column(k)];
        count += row.x[k] != 0 && count < 2;
      }
    }
    std::int32_t several = 0;
    for (std::int64_t j = 0; j < columns; ++j) numbers[j] = numbers[j] == 2 ? several++ : -1;
    return several;
  }

  // Without those of columns that were left out, whose squares are added up row by row.
  template <Rows X>
  Block enter(const X& x, std::int64_t rows, bool numbered) {
    std::int64_t n = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      const auto row = x[t];
      starts[t] = n;
      alone[t] = 0;
      for (std::int64_t k = 0; k < row.n; ++k) {
        const double value = row.x[k];
        const std::int32_t j = numbered ? numbers[row.column(k)] : std::int32_t(row.column(k));
        if (value == 0) continue;
        if (j < 0) alone[t] += value * value;
        else {
          values[n] = value;
          indices[n++] = j;
        }
      }
    }
    starts[rows] = n;
    Block block;
    block.values = values;
    block.indices = indices;
    block.starts = starts;
    block.wide_starts = true;
    block.rows = rows;
    block.entries = n;
    return block;
  }
};

REGRETLESS_INLINE bool has_zeros(const double* values, std::int64_t n) {
  bool any = false;
  for (std::int64_t i = 0; i < n; ++i) any |= values[i] == 0;
  return any;
}

template <Rows X>
LinearVerdict ridge(const X& x, const Block& block, const Labels& labels, const RidgeProblem& p) {
  const std::int64_t rows = block.rows;
  for (std::int64_t t = 0; t < rows; ++t)
    if (const LinearRefusal c = x.check(t, p.columns - 1); c != LinearRefusal::none) return {t, c};
  const WithConstant<X> all{x, rows, p.columns, p.intercept, nullptr};
  const bool by_rows = ridge_vector_size(rows, p.columns) != p.columns;
  double* free = p.room;
  double* const tilted = free;
  if (by_rows) all.score(p.tilt, tilted);
  free += rows;
  const double* v;
  if (!block.starts && !has_zeros(static_cast<const double*>(block.values), block.entries)) {
    v = Ridge<X>(all, labels.label, p, tilted, free).minimise();
  } else {
    Entered entered(free, rows, p.columns - 1, block.entries);
    const std::int64_t columns = by_rows ? entered.number(x, rows, p.columns - 1) : p.columns - 1;
    const Sparse<double, std::int32_t> some(entered.enter(x, rows, by_rows));
    const WithConstant<Sparse<double, std::int32_t>> few{some, rows, 1 + columns, p.intercept,
                                                         by_rows ? entered.alone : nullptr};
    v = Ridge<Sparse<double, std::int32_t>>(few, labels.label, p, tilted, free).minimise();
  }
  if (by_rows) {
    all.combine(v, p.best);
    add_times(v[rows], p.tilt, p.best, p.columns);
  } else {
    for (std::int64_t i = 0; i < p.columns; ++i) p.best[i] = v[i];
  }
  return {rows, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
