// Decimal numbers in text, each read to the double nearest to what is written. Up to 8 bytes before a number and behind
// it are looked at, so that digits are read eight at a time.
#pragma once
#include <cstdint>

#if defined(REGRETLESS_ISA)
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE std::uint64_t load_word(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline constexpr std::uint64_t every_byte = 0x0101010101010101;

// The high bit of each byte that is `wanted`.
template <class Word>
REGRETLESS_INLINE Word equal_bytes(Word word, char wanted) {
  word ^= std::uint8_t(wanted) * every_byte;
  return ~(((word & 0x7F * every_byte) + 0x7F * every_byte) | word | 0x7F * every_byte);
}

REGRETLESS_INLINE int count_ones(std::uint64_t x) {
#if defined(__POPCNT__) || !defined(__x86_64__)
  return std::popcount(x);
#else  // would be a call of a library function
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return int(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
#endif
}

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t largest_exact = std::uint64_t(1) << 53;  // integers up to here are doubles
inline constexpr std::uint64_t eight_zeros = '0' * every_byte;

// The last `count` (1 to 8) characters before `end`, less '0', behind leading zeros.
REGRETLESS_INLINE std::uint64_t digits_before(const char* end, std::int64_t count) {
  const int shift = int(64 - 8 * count);
  return ((load_word(end - 8) ^ eight_zeros) >> shift) << shift;
}

// Not zero when one of the eight bytes is above 9. (A carry reaches only bytes behind one that is reported itself.)
template <class Word>
REGRETLESS_INLINE Word beyond_nine(Word digits) {
  return ((digits + 0x76 * every_byte) | digits) & 0x80 * every_byte;
}

REGRETLESS_INLINE std::uint64_t join_eight(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8);  // every second byte: a number below 100
  return ((digits & 0x000000FF000000FF) * 0x000F424000000064 +
          ((digits >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
         32;
}

// A run of up to 16 digits.
REGRETLESS_INLINE bool whole(const char* begin, const char* end, std::uint64_t& out) {
  const std::int64_t size = end - begin;
  if (size < 1 || size > 16) return false;
  const std::uint64_t low = digits_before(end, std::min<std::int64_t>(size, 8));
  if (beyond_nine(low)) return false;
  out = join_eight(low);
  if (size > 8) {
    const std::uint64_t high = digits_before(end - 8, size - 8);
    if (beyond_nine(high)) return false;
    out += join_eight(high) * 100000000;
  }
  return true;
}

REGRETLESS_INLINE double with_sign(double size, bool minus) {  // no branch: signs are often random
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | std::uint64_t(minus) << 63);
}

// [sign] digits [. digits], few enough. The quotient of two exact doubles is the double nearest to the number written.
REGRETLESS_INLINE bool plain_number(const char* begin, const char* end, double& out) {
  const bool minus = *begin == '-';
  begin += minus | (*begin == '+');
  std::uint64_t digits = 0, fraction = 0;
  std::int64_t places = 0;
  if (begin[0] == '0' && begin[1] == '.') {
    places = end - begin - 2;
    if (!whole(begin + 2, end, digits)) return false;
  } else {
    const std::uint64_t points = equal_bytes(load_word(begin), '.');
    const char* const point = points ? std::min(begin + std::countr_zero(points) / 8, end) : end;
    if (!whole(begin, point, digits)) return false;
    if (point < end) {
      places = end - point - 1;
      if (places > 8 || !whole(point + 1, end, fraction)) return false;
      digits = digits * std::uint64_t(std::int64_t(powers_of_ten[places])) + fraction;  // at most 7 digits, times 10^8
    }
  }
  if (digits > largest_exact) return false;
  const double size = places ? double(std::int64_t(digits)) / powers_of_ten[places] : double(std::int64_t(digits));
  out = with_sign(size, minus);
  return true;
}

// [sign] digits [. digits] [e exponent], short enough to be exact as a product or quotient of two doubles.
REGRETLESS_INLINE bool short_number(const char* begin, const char* end, double& out) {
  const auto digit = [&] { return begin < end && std::uint8_t(*begin - '0') < 10; };
  const bool minus = *begin == '-';
  begin += minus || *begin == '+';
  if (end - begin > 24) return false;
  std::uint64_t digits = 0;
  const char* const first = begin;
  for (; digit(); ++begin) digits = digits * 10 + std::uint64_t(*begin - '0');
  std::int64_t written = begin - first, exponent = 0;
  if (begin < end && *begin == '.') {
    const char* const fraction = ++begin;
    for (; digit(); ++begin) digits = digits * 10 + std::uint64_t(*begin - '0');
    exponent = fraction - begin;
    written -= exponent;
  }
  if (written == 0 || written > 19 || digits > largest_exact) return false;
  if (begin < end && (*begin | 0x20) == 'e') {
    ++begin;
    const bool down = begin < end && *begin == '-';
    begin += begin < end && (*begin == '-' || *begin == '+');
    if (end - begin < 1 || end - begin > 3) return false;
    std::int64_t shift = 0;
    for (; digit(); ++begin) shift = shift * 10 + (*begin - '0');
    exponent += down ? -shift : shift;
  }
  if (begin != end || exponent < -22 || exponent > 22) return false;
  const double power = powers_of_ten[exponent < 0 ? -exponent : exponent];
  const double size = exponent < 0 ? double(std::int64_t(digits)) / power : double(std::int64_t(digits)) * power;
  out = with_sign(size, minus);
  return true;
}

// Whether a decimal number that no double can hold is too large rather than too small. (from_chars does not say.)
REGRETLESS_INLINE bool is_large(const char* begin, const char* end) {
  constexpr std::int64_t plenty = std::int64_t(1) << 40;
  std::int64_t order = 0, exponent = 0;  // 10^order is the place of the first digit that is not 0
  bool found = false, point = false, down = false;
  for (begin += *begin == '-'; begin < end && (*begin | 0x20) != 'e'; ++begin) {
    if (*begin == '.') {
      point = true;
    } else {
      if (!found && point) --order;
      if (found && !point) ++order;
      found = found || *begin != '0';
    }
  }
  for (++begin; begin < end; ++begin) {
    if (*begin == '-') down = true;
    if (std::uint8_t(*begin - '0') < 10) exponent = std::min(exponent * 10 + (*begin - '0'), plenty);
  }
  return order + (down ? -exponent : exponent) > 0;
}

enum class Reading { good, not_a_number, not_finite, too_large };

// Any decimal number, to the double that strtod gives.
REGRETLESS_APART static Reading any_number(const char* begin, const char* end, double& out) {
  if (begin == end) return Reading::not_a_number;
  if (short_number(begin, end, out)) return Reading::good;
  if (*begin == '+' && (++begin == end || *begin == '-')) return Reading::not_a_number;
  const auto [stop, error] = std::from_chars(begin, end, out);
  if (error == std::errc::invalid_argument || stop != end) return Reading::not_a_number;
  if (error == std::errc::result_out_of_range) {
    if (is_large(begin, end)) return Reading::too_large;
    out = *begin == '-' ? -0.0 : 0.0;
  }
  return __builtin_isfinite(out) ? Reading::good : Reading::not_finite;
}

}  // namespace regretless::REGRETLESS_ISA
#endif
