// What a class of so many hypotheses whose Littlestone dimension is known is worth at most.
#pragma once
#include "randomized_node.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

// most(n, d) = max over a + b = n of (1 + most(a, d) + most(b, d - 1)) / 2, for of the sides of a split one at least
// has a smaller dimension. Larger classes than the table holds are bounded by their size, and by the dimension itself.
class MostWorth {
 public:
  // False: no memory.
  bool make(std::int64_t hypotheses, int dimension) {
    sizes_ = hypotheses < largest ? hypotheses : largest;
    if (!table_.reach((sizes_ + 1) * (dimension + 1))) return false;
    for (std::int64_t n = 0; n <= sizes_; ++n) at(n, 0) = 0;
    for (int d = 1; d <= dimension; ++d) {
      at(0, d) = at(1, d) = 0;
      for (std::int64_t n = 2; n <= sizes_; ++n) {
        Word most = 0;
        for (std::int64_t a = 1; a < n; ++a) {
          const Word value = split_worth(at(a, d), at(n - a, d - 1));
          if (value > most) most = value;
        }
        at(n, d) = most;
      }
    }
    return true;
  }

  // What making it takes.
  static std::int64_t cost(std::int64_t hypotheses, int dimension) {
    const std::int64_t sizes = hypotheses < largest ? hypotheses : largest;
    return dimension * sizes * sizes / 2;
  }

  Word of(std::int64_t size, int dimension) const {
    const Word by_size = most_worth(size), whole = Word(dimension) << value_bits;
    const Word by_both = size <= sizes_ ? table_[dimension * (sizes_ + 1) + size] : whole;
    return by_size < by_both ? by_size : by_both;
  }
  // Of a split of a class of this dimension.
  Word of_split(std::int64_t a, std::int64_t b, int dimension) const {
    const Word one = split_worth(of(a, dimension), of(b, dimension - 1)),
               other = split_worth(of(a, dimension - 1), of(b, dimension));
    return one > other ? one : other;
  }

 private:
  static constexpr std::int64_t largest = 1024;
  Word& at(std::int64_t size, int dimension) { return table_[dimension * (sizes_ + 1) + size]; }
  Room<Word> table_;
  std::int64_t sizes_ = 0;
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
