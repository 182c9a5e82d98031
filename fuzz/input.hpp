// What a fuzzer's bytes become: choices, sizes, and numbers with a liking for the ends of their range. Behind the last
// byte all bytes are 0.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

#define FUZZ_PASTE(a, b) a##b
#define FUZZ_OF_ISA(name, isa) FUZZ_PASTE(name, isa)
#define KERNELS(name) FUZZ_OF_ISA(name, FUZZ_ISA)  // KERNELS(pullers_) is the table of the instruction set at hand

// What must hold whatever the input is.
#define MUST(condition)                                                                        \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                            \
    }                                                                                          \
  } while (false)

namespace fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *at_++; }
  bool flag() { return byte() & 1; }
  template <class T>
  T raw() {
    T value{};
    for (std::size_t i = 0; i < sizeof value; ++i) reinterpret_cast<std::uint8_t*>(&value)[i] = byte();
    return value;
  }
  // A whole number in 0 ... n - 1.
  std::int64_t below(std::int64_t n) { return (n <= 256 ? byte() : std::int64_t(raw<std::uint32_t>())) % n; }
  std::int64_t within(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  // Mostly small numbers, else any.
  std::int64_t hostile() {
    const std::uint8_t kind = byte();
    if (kind < 200) return std::int64_t(kind) - 40;
    return kind < 230 ? raw<std::int32_t>() : raw<std::int64_t>();
  }

  double any() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double ends[] = {0.0,     -0.0,     1e-320,
                               5e-324,  2.3e-308, 1e-300,
                               1e-200,  1e-160,   1e-154,
                               1e-100,  1e-20,    1e20,
                               1e100,   1e150,    1.4e154,
                               1e160,   1e200,    1e300,
                               8.9e307, 1.79e308, 0.1,
                               0.3,     0.5,      3.4e38,
                               1e-45,   1e15,     9007199254740993.0,
                               1e-8,    infinity, std::numeric_limits<double>::quiet_NaN()};
    constexpr int count = sizeof ends / sizeof *ends;
    const std::uint8_t kind = byte();
    if (kind < 2 * count) return kind & 1 ? -ends[kind / 2] : ends[kind / 2];
    if (kind < 128) return raw<double>();
    return kind < 240 ? double(std::int64_t(kind) - 184) / 4 : double(raw<std::int16_t>()) / 256;
  }
  double finite() {
    const double x = any();
    return std::isfinite(x) ? x : 0;
  }
  // In 0 ... 1, either end included.
  double unit() {
    const std::uint8_t kind = byte();
    if (kind < 250) return double(kind) / 249;
    const double x = std::fabs(finite());
    return x <= 1 ? x : 1 / x;
  }

 private:
  const std::uint8_t *at_, *end_;
};

// As long as it must be and no longer, so that the sanitizer sees who goes past its end.
template <class T, class F>
std::vector<T> array(std::int64_t n, F number) {
  std::vector<T> numbers;
  numbers.reserve(std::size_t(n));
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(T(number()));
  return numbers;
}
// The address of numbers; numpy's empty arrays have one, too, and copies of vectors have none.
template <class T>
T* at(std::vector<T>& numbers) {
  static T none;
  return numbers.empty() ? &none : numbers.data();
}
template <class T>
const T* at(const std::vector<T>& numbers) {
  return at(const_cast<std::vector<T>&>(numbers));
}
inline std::vector<double> zeros(std::int64_t n) {
  return array<double>(n, [] { return 0.0; });
}

// The same, aligned like a cache line.
class Aligned {
 public:
  explicit Aligned(std::int64_t n) : numbers_(new(std::align_val_t{64}) double[std::size_t(n)]()) {}
  ~Aligned() { operator delete[](numbers_, std::align_val_t{64}); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  double* data() const { return numbers_; }

 private:
  double* numbers_;
};

inline double* at(const Aligned& numbers) { return numbers.data(); }

// The same number, -0 told from 0; that of a NaN nobody looks at.
inline bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}
inline bool all_finite(const std::vector<double>& numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x)) return false;
  return true;
}
inline bool is_count(double x, double most) { return x >= 0 && x <= most && x == std::floor(x); }

}  // namespace fuzz
