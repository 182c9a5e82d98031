// Matrix games, dense and sparse: ranges, the simplex method on payoffs that may be anything, and enclosures. What is
// kept here is what the binding demands: cells inside of the matrix, and a size that no payoff exceeds where that is
// promised. The simplex method ends with two strategies on tame payoffs, and enclosures contain what numbers of 113
// bits say.
#include "input.hpp"
#include "regretless/matrix_game.hpp"

#include <algorithm>
#include <utility>

namespace {

using namespace fuzz;
using namespace regretless;
#if defined(__SIZEOF_FLOAT128__)
using Wide = __float128;
#else
using Wide = long double;
#endif

struct Matrix {
  std::vector<double> doubles;
  std::vector<float> floats;
  std::vector<std::int64_t> indices64, starts64;
  std::vector<std::int32_t> indices32, starts32;
  std::vector<Wide> full;  // dense, whatever the layout
  double size = 0;
  GameMatrix game{};

  Matrix(Input& in, bool tame, bool sparse) {
    game.rows = in.within(1, 12);
    game.columns = in.within(1, 12);
    game.single = in.flag();
    game.wide = in.flag();
    full.assign(std::size_t(game.rows * game.columns), 0);
    std::vector<std::int64_t> indices, starts{0};
    for (std::int64_t i = 0; i < game.rows; ++i) {
      for (std::int64_t j = 0; j < game.columns; ++j)
        if (!sparse || in.flag()) indices.push_back(j);
      starts.push_back(std::int64_t(indices.size()));
    }
    const std::int64_t n = std::int64_t(indices.size());
    const auto number = [&] {
      const double x = tame ? in.finite() : in.any();
      return !(std::fabs(x) < (game.single ? 3e38 : 1e300)) && tame ? 1.0
             : game.single && !(std::fabs(x) < 3e38)                ? NAN
                                                                    : x;
    };
    if (game.single) floats = array<float>(n, number);
    else doubles = array<double>(n, number);
    game.values = game.single ? static_cast<const void*>(at(floats)) : at(doubles);
    for (std::int64_t i = 0; i < game.rows; ++i)
      for (std::int64_t k = starts[std::size_t(i)]; k < starts[std::size_t(i + 1)]; ++k) {
        const double x = game.single ? double(floats[std::size_t(k)]) : doubles[std::size_t(k)];
        full[std::size_t(i * game.columns + indices[std::size_t(k)])] = x;
        size = std::max(size, std::fabs(x));
      }
    if (!std::isfinite(size)) size = 1;
    std::frexp(size, &game.exponent);
    if (!sparse) return;
    std::size_t i = 0, s = 0;
    const auto next_index = [&] { return indices[i++]; };
    const auto next_start = [&] { return starts[s++]; };
    if (game.wide) {
      indices64 = array<std::int64_t>(n, next_index);
      starts64 = array<std::int64_t>(game.rows + 1, next_start);
      game.indices = at(indices64);
      game.starts = at(starts64);
    } else {
      indices32 = array<std::int32_t>(n, next_index);
      starts32 = array<std::int32_t>(game.rows + 1, next_start);
      game.indices = at(indices32);
      game.starts = at(starts32);
    }
  }
};

// What two strategies prove, and by how much these numbers may be wrong themselves.
struct Truth {
  Wide lower, upper, slack = 0;
};
Truth truth_of(const Matrix& m, const std::vector<double>& row, const std::vector<double>& column) {
  const std::int64_t rows = m.game.rows, columns = m.game.columns;
  const auto least = [&](const std::vector<double>& weights, std::int64_t n, std::int64_t others, auto of,
                         Wide& slack) {
    Wide sum = 0, best = 0;
    for (const double w : weights) sum += w;
    for (std::int64_t j = 0; j < others; ++j) {
      Wide value = 0;
      for (std::int64_t i = 0; i < n; ++i) value += Wide(weights[std::size_t(i)]) * of(i, j);
      value /= sum;
      if (j == 0 || value < best) best = value;
    }
    slack = std::max(slack, Wide(m.size) * Wide(1e-28) + Wide(1e-290));
    return best;
  };
  const auto cell = [&](std::int64_t i, std::int64_t j) { return m.full[std::size_t(i * columns + j)]; };
  Truth t{};
  t.lower = least(row, rows, columns, cell, t.slack);
  t.upper = -least(column, columns, rows, [&](std::int64_t j, std::int64_t i) { return -cell(i, j); }, t.slack);
  return t;
}

void enclose(Input& in) {
  const bool tame = in.byte() < 200;
  const Matrix m(in, tame, in.flag());
  const auto weight = [&] {
    const double x = in.any();
    return tame ? (std::fabs(x) < 1e20 ? std::fabs(x) : 1) : x;
  };
  const auto row = array<double>(m.game.rows, weight), column = array<double>(m.game.columns, weight);
  std::vector<double> room = zeros(product_room(m.game.columns));
  Interval bounds{};
  if (!KERNELS(game_kernels_).enclose(m.game, at(row), at(column), at(room), bounds) || !tame) return;
  const Truth truth = truth_of(m, row, column);
  MUST(Wide(bounds.lower) <= truth.lower + truth.slack && Wide(bounds.upper) >= truth.upper - truth.slack);
}

void range(Input& in) {
  const auto values = array<double>(in.within(1, 40), [&] { return in.any(); });
  Interval bounds{};
  const bool finite = KERNELS(game_kernels_).range(at(values), false, std::int64_t(values.size()), bounds);
  MUST(finite == all_finite(values));
  if (finite)
    MUST(bounds.lower == *std::min_element(values.begin(), values.end()) &&
         bounds.upper == *std::max_element(values.begin(), values.end()));
}

// As the binding lays a tableau out.
void solve(Input& in) {
  const bool tame = in.byte() < 160;
  const Matrix matrix(in, tame, false);
  Interval span{};
  Tableau t{};
  t.game = matrix.game;
  const std::int64_t m = t.game.rows, n = t.game.columns;
  KERNELS(game_kernels_).range(t.game.values, t.game.single, m * n, span);
  t.low = tame ? span.lower : in.finite();
  t.high = tame ? span.upper : in.finite();
  if (!(t.low < t.high)) return;
  std::frexp(std::fmax(std::fabs(t.low), std::fabs(t.high)), &t.game.exponent);
  t.patience = in.byte() < 200 ? 20 + 2 * std::min(m, n) : in.hostile();
  t.stride = in_eights(n + 2);
  const Aligned cells((m + 1) * t.stride), row_now(in_eights(m)), row_past(in_eights(m)), column_now(in_eights(n)),
      column_past(in_eights(n)), pivots_column(in_eights(m + 1)), room(product_room(n));
  std::vector<std::int32_t> basic(std::size_t(m), 0), free(std::size_t(n), 0), ended(std::size_t(m + n), 0);
  std::vector<double> row = zeros(m), column = zeros(n);
  t.cells = at(cells);
  t.row_now = at(row_now);
  t.row_past = at(row_past);
  t.column_now = at(column_now);
  t.column_past = at(column_past);
  t.pivots_column = at(pivots_column);
  t.room = at(room);
  t.basic = at(basic);
  t.free = at(free);
  t.ended = at(ended);
  t.row = at(row);
  t.column = at(column);
  KERNELS(game_kernels_).load(t);
  bool done = false;
  for (int k = 0; k < 100000 && !done; ++k) done = KERNELS(game_kernels_).pivot(t, in.within(1, 50));
  MUST(done);
  KERNELS(game_kernels_).polish(t);
  for (const std::int32_t v : ended) MUST(v >= 0 && v < m + n);
  if (!tame || !(t.high - t.low > 1e-290)) return;
  for (const std::vector<double>* p : {&row, &column}) {
    double sum = 0;
    for (const double x : *p) {
      MUST(x >= 0);
      sum += x;
    }
    MUST(std::fabs(sum - 1) < 1e-9);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  switch (in.below(4)) {
    case 0: enclose(in); break;
    case 1: range(in); break;
    default: solve(in);
  }
  return 0;
}
