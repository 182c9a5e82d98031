// Tables of bits: turned over they have the same bits, and their rank is that of plain elimination.
#include "input.hpp"
#include "regretless/bit_tables.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

std::int64_t words_of(std::int64_t bits) { return (bits + 63) / 64; }

std::int64_t plain_rank(std::vector<std::uint64_t> rows, std::int64_t count, std::int64_t words) {
  std::int64_t rank = 0;
  for (std::int64_t bit = 0; bit < 64 * words && rank < count; ++bit) {
    const auto has = [&](std::int64_t i) { return rows[std::size_t(i * words + bit / 64)] >> (bit % 64) & 1; };
    std::int64_t pivot = rank;
    while (pivot < count && !has(pivot)) ++pivot;
    if (pivot == count) continue;
    for (std::int64_t w = 0; w < words; ++w)
      std::swap(rows[std::size_t(pivot * words + w)], rows[std::size_t(rank * words + w)]);
    for (std::int64_t i = rank + 1; i < count; ++i)
      if (has(i))
        for (std::int64_t w = 0; w < words; ++w)
          rows[std::size_t(i * words + w)] ^= rows[std::size_t(rank * words + w)];
    ++rank;
  }
  return rank;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const std::int64_t hypotheses = in.below(160), points = in.below(160);
  const std::int64_t words = words_of(points), across = words_of(hypotheses);
  auto rows = array<std::uint64_t>(hypotheses * words, [&] { return in.raw<std::uint64_t>(); });
  std::vector<std::uint64_t> columns(std::size_t(points * across), ~std::uint64_t(0));
  KERNELS(bit_tables_).transpose(at(rows), hypotheses, points, at(columns));
  for (std::int64_t x = 0; x < points; ++x)
    for (std::int64_t h = 0; h < 64 * across; ++h) {
      const bool wanted = h < hypotheses && (rows[std::size_t(h * words + x / 64)] >> (x % 64) & 1);
      MUST((columns[std::size_t(x * across + h / 64)] >> (h % 64) & 1) == wanted);
    }
  const std::int64_t rank = plain_rank(rows, hypotheses, words);
  MUST(KERNELS(bit_tables_).rank(at(rows), hypotheses, words) == rank);
  return 0;
}
