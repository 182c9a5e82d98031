// Masses under which a leaf is found, and one changed, in O(log n): every node has eight children side by side, the top
// one up to sixteen. A node that changes is summed anew from its children in a fixed order, so that nodes are a
// function of the leaves and no error piles up.
#pragma once
#include "simd_math.hpp"
#include "bandit_types.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double least_mass = 0x1p-960;  // what is divided by it stays finite

// Sums of the first 1, 2, ... 7 of eight masses, and of all of them: they never fall, and two neighbours are equal
// where the mass between them is zero.
struct Sums {
  double first[8];
  double all;
};
REGRETLESS_INLINE Sums sums_of(const double* a) {
  const double s01 = a[0] + a[1], s23 = a[2] + a[3], s45 = a[4] + a[5], s67 = a[6] + a[7];
  const double s03 = s01 + s23;
  return {{0, a[0], s01, s01 + a[2], s03, s03 + a[4], s03 + s45, s03 + (s45 + a[6])}, s03 + (s45 + s67)};
}

// How many of eight numbers are at most x.
#if defined(__AVX512F__)
REGRETLESS_INLINE std::int64_t at_most(const Octet& numbers, double x) {
  return __builtin_popcount(_mm512_cmp_pd_mask(__m512d(numbers.all), _mm512_set1_pd(x), _CMP_LE_OQ));
}
#elif defined(__AVX2__)
REGRETLESS_INLINE std::int64_t at_most(const Octet& numbers, double x) {
  const __m256d all = _mm256_set1_pd(x);
  const int low = _mm256_movemask_pd(_mm256_cmp_pd(__m256d(numbers.low.all), all, _CMP_LE_OQ));
  const int high = _mm256_movemask_pd(_mm256_cmp_pd(__m256d(numbers.high.all), all, _CMP_LE_OQ));
  return __builtin_popcount(unsigned(low | high << 4));
}
#else
REGRETLESS_INLINE std::int64_t at_most(const Octet& numbers, double x) {
  double lanes[8];
  put(lanes, numbers);
  std::int64_t count = 0;
  for (int k = 0; k < 8; ++k) count += lanes[k] <= x;
  return count;
}
#endif

// The same from numbers that were just found, which would wait in memory for each other.
REGRETLESS_INLINE Octet octet_of(const double (&a)[8]) {
#if defined(__AVX512F__)
  return {Octet::Register(_mm512_setr_pd(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]))};
#else
  return collect<8>([&](int l) { return a[l]; });
#endif
}

class SumTree {
 public:
  REGRETLESS_INLINE SumTree(double* nodes, std::int64_t n) : nodes_(nodes), n_(n) {
    double* room = nodes + 8;
    std::int64_t level = n;
    for (; level > tree_top; level = padded_arms(level) / 8) {
      levels_[depth_] = room;
      counts_[depth_] = level;
      room += (depth_ ? 2 : 1) * padded_arms(level);
      ++depth_;
    }
    counts_[depth_] = level;
    before_ = room;
    masses_ = room + tree_top;
  }

  REGRETLESS_INLINE double total() const { return *nodes_; }
  REGRETLESS_INLINE double* leaves() const { return depth_ ? levels_[0] : masses_; }
  REGRETLESS_INLINE std::int64_t leaves_room() const { return depth_ ? padded_arms(n_) : tree_top; }
  REGRETLESS_INLINE double leaf(std::int64_t i) const { return leaves()[i]; }

  // All nodes from the leaves, those past n being zero.
  void build() {
    for (int d = 0; d < depth_; ++d) {
      const std::int64_t groups = counts_[d + 1];
      for (std::int64_t g = 0; g < groups; ++g) *mass(d + 1, g) = sum(d, g);
      const std::int64_t room = d + 1 < depth_ ? padded_arms(groups) : tree_top;
      for (std::int64_t g = groups; g < room; ++g) *mass(d + 1, g) = 0;
    }
    sum_top();
  }

  REGRETLESS_INLINE void set(std::int64_t i, double leaf) {
    leaves()[i] = leaf;
    for (int d = 0; d < depth_; ++d) {
      i >>= 3;
      *mass(d + 1, i) = sum(d, i);
    }
    sum_top();
  }

  // The leaf whose stretch of [0, total) holds x, up to the rounding of sums; never one whose mass is zero or all but
  // zero, if masses are finite, not negative, and some of them larger. Rounding may lead past the last child of a node.
  REGRETLESS_INLINE std::int64_t find(double x) const {
    if (!(x < infinity)) return 0;
    std::int64_t i = at_most(at(before_, 0), x) + at_most(at(before_, 8), x) - 1;
    if (i >= counts_[depth_]) return find_positive(x);
    if (depth_ == 0) return masses_[i] > least_mass ? i : find_positive(x);
    double rest = x - before_[i];
    for (int d = depth_ - 1; d > 0; --d) {
      const double* before = levels_[d] + 16 * i;
      const std::int64_t k = at_most(at(before, 0), rest) - 1;
      rest -= before[k];
      i = 8 * i + k;
      if (i >= counts_[d]) return find_positive(x);
    }
    i = 8 * i + at_most(octet_of(sums_of(levels_[0] + 8 * i).first), rest) - 1;
    return levels_[0][i] > least_mass ? i : find_positive(x);
  }

 private:
  // Eight masses of a level, those of node g; above the leaves they lie behind the sums before them.
  REGRETLESS_INLINE double* node(int d, std::int64_t g) const {
    if (d == depth_) return masses_ + 8 * g;
    return d ? levels_[d] + 16 * g + 8 : levels_[0] + 8 * g;
  }
  REGRETLESS_INLINE double* mass(int d, std::int64_t i) const { return node(d, i >> 3) + (i & 7); }

  REGRETLESS_INLINE double sum(int d, std::int64_t g) {
    double* masses = node(d, g);
    const Sums s = sums_of(masses);
    if (d > 0) put(masses - 8, octet_of(s.first));
    return s.all;
  }

  REGRETLESS_INLINE void sum_top() {
    const Sums low = sums_of(masses_), high = sums_of(masses_ + 8);
    put(before_, octet_of(low.first));
    put(before_ + 8, octet_of(high.first) + eight(low.all));
    *nodes_ = low.all + high.all;
  }

  // The same way down, which stops at the last child that has a mass; what it enters is large enough for one of its
  // eight parts to be.
  REGRETLESS_APART std::int64_t find_positive(double rest) const {
    std::int64_t i = 0;
    for (int d = depth_; d >= 0; --d) {
      const int room = d == depth_ ? tree_top : 8;
      const double* masses = node(d, i);
      const double least = least_mass * double(std::int64_t(1) << 4 * d);
      int last = 0;
      for (int k = 0; k < room; ++k)
        if (masses[k] > least) last = k;
      double before = 0;
      int k = 0;
      for (; k < last && !(masses[k] > least && rest < before + masses[k]); ++k) before += masses[k];
      rest -= before;
      i = 8 * i + k;
    }
    return i;
  }

  static constexpr int most_levels = 13;  // 16 * 8^13 leaves
  double* nodes_;
  std::int64_t n_;
  int depth_ = 0;  // levels below the top
  double* levels_[most_levels];
  std::int64_t counts_[most_levels + 1];  // of the masses of a level
  double *before_, *masses_;              // of the top
};

}  // namespace regretless::REGRETLESS_ISA
