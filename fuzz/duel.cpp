// Self-play on payoffs of every layout, any numbers among them, with state from the start or from anywhere; strategies
// alone are as the binding demands them. Fresh players on finite payoffs play strategies, and rounds in two calls leave
// the same bits.
#include "input.hpp"
#include "regretless/duel_types.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Payoffs {
  std::vector<double> doubles;
  std::vector<float> floats;
  std::vector<std::int16_t> shorts;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> starts;
  bool finite = true;
  Gains gains{};

  Payoffs(Input& in, std::int64_t mine, std::int64_t others, bool tame) {
    gains.kind = GainKind(in.below(3));
    gains.numbers = GainNumbers(in.below(gains.kind == GainKind::sparse ? 2 : 3));
    gains.mine = mine;
    gains.others = others;
    gains.sign = in.flag() ? -1 : 1;
    const bool turned = gains.kind == GainKind::combinations;
    const std::int64_t rows = turned ? others : mine, columns = turned ? mine : others;
    gains.stride = gains.numbers == GainNumbers::shorts ? duel_padded(columns) : columns;
    std::int64_t n = rows * gains.stride;
    if (gains.kind == GainKind::sparse) {
      starts.push_back(0);
      for (std::int64_t i = 0; i < mine; ++i) {
        for (std::int64_t k = in.below(4); k > 0; --k) indices.push_back(std::int32_t(in.below(others)));
        starts.push_back(std::int64_t(indices.size()));
      }
      indices.shrink_to_fit();
      starts.shrink_to_fit();
      n = std::int64_t(indices.size());
      gains.indices = at(indices);
      gains.starts = at(starts);
    }
    const auto number = [&] {
      const double x = tame ? in.unit() : in.any();
      finite &= std::fabs(x) < 1e30;
      return x;
    };
    switch (gains.numbers) {
      case GainNumbers::doubles: doubles = array<double>(n, number), gains.values = at(doubles); break;
      case GainNumbers::floats: {
        const auto single = [&] {
          const double x = number();
          return std::fabs(x) < 3e38 ? x : NAN;
        };
        floats = array<float>(n, single);
        gains.values = at(floats);
        break;
      }
      default: {
        std::int64_t k = 0;  // zero beyond the end of a row
        shorts = array<std::int16_t>(n, [&] { return k++ % gains.stride < columns ? in.raw<std::int16_t>() : 0; });
        gains.values = at(shorts);
      }
    }
  }
};

struct Players {
  std::int64_t rows, columns;
  std::vector<double> row_state, column_state, memory, book, joint;
  Aligned row_room, column_room;
  Dueling d{};
  bool exponential = false;

  Players(Input& in, std::int64_t m, std::int64_t n, bool sound)
      : rows(m), columns(n), row_room(duel_room(m)), column_room(duel_room(n)) {
    const auto methods = KERNELS(duelists_).methods;
    d.method = int(in.below(std::int64_t(methods.size())));
    exponential = methods[std::size_t(d.method)].exponential;
    d.alternate = in.flag();
    d.zero_sum = in.flag();
    d.falls = in.flag();
    d.power = int(in.below(3));
    const auto rate = [&] {
      const double x = std::fabs(in.finite());
      return sound && x > 100 ? 1 : x;
    };
    d.row.rate = rate();
    d.column.rate = rate();
    row_state = state(in, m, sound);
    column_state = state(in, n, sound);
    memory = array<double>(duel_memory_size, [&] { return sound ? 0.0 : in.any(); });
    book = array<double>(game_book_size, [&] { return sound ? 0.0 : in.any(); });
    reinterpret_cast<DuelMemory*>(at(memory))->broken = 0;
    if (const double before = std::fabs(in.finite()); !sound) book[0] = before < 9e15 ? before : 0;
    if (!d.alternate && in.flag()) joint = zeros(m * n);
  }
  Dueling now(const Payoffs& row, const Payoffs& column) {
    Dueling all = d;
    all.row = {rows, d.row.rate, at(row_state), at(row_room)};
    all.column = {columns, d.column.rate, at(column_state), at(column_room)};
    all.row_gains = row.gains;
    all.column_gains = column.gains;
    all.memory = reinterpret_cast<DuelMemory*>(at(memory));
    all.book = reinterpret_cast<GameBook*>(at(book));
    all.joint = joint.empty() ? nullptr : at(joint);
    return all;
  }
  bool is_like(const Players& other) const {
    return same(row_state, other.row_state) && same(column_state, other.column_state) && same(book, other.book) &&
           same(joint, other.joint);
  }

 private:
  std::vector<double> state(Input& in, std::int64_t n, bool sound) const {
    const std::int64_t padded = duel_padded(n);
    auto numbers = array<double>(duel_rows * padded, [&] { return sound ? 0.0 : in.any(); });
    for (std::int64_t i = 0; i < padded; ++i) {
      double& play = numbers[std::size_t(duel_play * padded + i)];
      if (sound)
        numbers[std::size_t(duel_prior * padded + i)] =
            i >= n        ? (exponential ? -std::numeric_limits<double>::infinity() : 0)
            : exponential ? -std::log(double(n))
                          : 1 / double(n);
      play = i >= n ? 0 : sound ? 1 / double(n) : 2 * in.unit();
    }
    return numbers;
  }
};

void check_strategy(const std::vector<double>& state, std::int64_t n) {
  const double* const play = at(state) + duel_play * duel_padded(n);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    MUST(play[i] >= 0);
    sum += play[i];
  }
  MUST(std::fabs(sum - 1) < 1e-6);
}

void shorten(Input& in) {
  const std::int64_t rows = in.below(5), columns = in.within(1, 20);
  const auto values = array<double>(rows * columns, [&] { return in.any(); });
  std::vector<std::int16_t> out(std::size_t(rows * duel_padded(columns)));
  KERNELS(duelists_).shorten(at(values), false, rows, columns, in.finite(), in.finite(), at(out));
  for (const std::int16_t x : out) MUST(x >= -32767);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  if (in.byte() >= 240) return shorten(in), 0;
  const bool sound = in.byte() < 160;
  const std::int64_t m = in.within(1, 20), n = in.within(1, 20), rounds = in.below(20);
  const Payoffs row(in, m, n, sound), column(in, n, m, sound);
  Input again = in;
  Players one(in, m, n, sound), two(again, m, n, sound);
  const double never =
      std::numeric_limits<double>::quiet_NaN();  // books that are not sound have gaps of minus infinity
  MUST(KERNELS(duelists_).play(one.now(row, column), rounds, never).played == rounds);
  const std::int64_t middle = in.within(0, rounds);
  KERNELS(duelists_).play(two.now(row, column), middle, never);
  KERNELS(duelists_).play(two.now(row, column), rounds - middle, never);
  MUST(one.is_like(two) || middle == 0 || middle == rounds || !sound);
  if (sound && row.finite && column.finite) {
    check_strategy(one.row_state, m);
    check_strategy(one.column_state, n);
    MUST(reinterpret_cast<const GameBook*>(at(one.book))->rounds == double(rounds));
  }
  const auto others = array<double>(n, [&] { return in.any(); });
  const Aligned room(duel_room(n)), out(duel_padded(m));
  KERNELS(duelists_).gains(row.gains, at(others), at(room), at(out));
  return 0;
}
