// Decimal numbers in text, each read to the double nearest to what is written. Up to 8 bytes before a number and behind
// it are looked at, so that digits are read eight at a time.
#pragma once
#include <cstdint>

#if defined(REGRETLESS_ISA)
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "simd_sum.hpp"
#include "text_block.hpp"
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#include "double_from_chars.hpp"
#endif

namespace regretless::REGRETLESS_ISA {

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

struct PowersOfFive {
  constexpr PowersOfFive() {
    for (int k = 1; k < 28; ++k) of[k] = 5 * of[k - 1];
  }
  std::uint64_t of[28] = {1};
};
inline constexpr PowersOfFive powers_of_five;

// The quotient, which must fit, and the remainder.
REGRETLESS_INLINE std::uint64_t divide(std::uint64_t high, std::uint64_t low, std::uint64_t by, std::uint64_t& rest) {
#if defined(__x86_64__)
  std::uint64_t quotient;
  __asm__("divq %4" : "=a"(quotient), "=d"(rest) : "a"(low), "d"(high), "r"(by) : "cc");
  return quotient;
#else
  const auto number = (unsigned __int128)(high) << 64 | low;
  rest = std::uint64_t(number % by);
  return std::uint64_t(number / by);
#endif
}

// The double nearest to digits / 10^places, ties to even; places from 1 to 27.
REGRETLESS_INLINE double quotient(std::uint64_t digits, int places) {
  if (digits == 0) return 0;
  const std::uint64_t five = powers_of_five.of[places];
  // Both with their highest bit set, so that the quotient has 63 or 64 bits: ten more than are kept.
  const int up = std::countl_zero(digits), five_up = std::countl_zero(five);
  digits <<= up;
  std::uint64_t rest;
  const std::uint64_t whole = divide(digits >> 1, digits << 63, five << five_up, rest);
  const int drop = 64 - std::countl_zero(whole) - 53;
  const std::uint64_t below = whole & ((std::uint64_t(1) << drop) - 1), half = std::uint64_t(1) << (drop - 1);
  std::uint64_t significand = whole >> drop;
  // Without a branch, for whether to round up is as good as random.
  significand +=
      std::uint64_t(below > half) | (std::uint64_t(below == half) & (std::uint64_t(rest != 0) | (significand & 1)));
  const int exponent = drop + five_up - up - places - 63;
  return double(std::int64_t(significand)) * std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52);
}

// Puts digits behind those of a number; false if some are none, or if they become too many.
REGRETLESS_INLINE bool more_digits(const char* begin, const char* end, std::uint64_t& number) {
  for (; begin < end; begin += std::min<std::int64_t>(end - begin, 8)) {
    const std::int64_t size = std::min<std::int64_t>(end - begin, 8);
    const std::uint64_t digits = digits_before(begin + size, size);
    const auto scale = std::uint64_t(std::int64_t(powers_of_ten[size]));
    if (beyond_nine(digits) || __builtin_mul_overflow(number, scale, &number) ||
        __builtin_add_overflow(number, join_eight(digits), &number))
      return false;
  }
  return true;
}

// [sign] digits . digits, that are all the digits of a double: below 2^64 without the point.
REGRETLESS_INLINE bool long_number(const char* begin, const char* end, double& out) {
  const bool minus = *begin == '-';
  begin += minus || *begin == '+';
  const std::uint64_t points = equal_bytes(load_word(begin), '.');
  const char* const point = begin + std::countr_zero(points | std::uint64_t(1) << 63) / 8;
  const std::int64_t places = end - point - 1;
  if (!points || point == begin || places < 1 || places > 27) return false;
  std::uint64_t digits = 0;
  if (!more_digits(begin, point, digits) || !more_digits(point + 1, end, digits)) return false;
  out = with_sign(quotient(digits, int(places)), minus);
  return true;
}

// Whether a decimal number that no double can hold is too large rather than too small. (from_chars does not say.)
REGRETLESS_INLINE bool is_large(const char* begin, const char* end) {
  constexpr std::int64_t plenty = std::int64_t(1) << 40;
  std::int64_t order = 0, exponent = 0;  // 10^order is the place of the first digit that is not 0
  bool significant = false, point = false, down = false;
  for (begin += *begin == '-'; begin < end && (*begin | 0x20) != 'e'; ++begin) {
    if (*begin == '.') {
      point = true;
    } else {
      if (!significant && point) --order;
      if (significant && !point) ++order;
      significant = significant || *begin != '0';
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
  if (long_number(begin, end, out) || short_number(begin, end, out)) return Reading::good;
  if (*begin == '+' && (++begin == end || *begin == '-')) return Reading::not_a_number;
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
  const auto [stop, error] = double_from_chars(begin, end, out);
#else
  const auto [stop, error] = std::from_chars(begin, end, out);
#endif
  if (error == std::errc::invalid_argument || stop != end) return Reading::not_a_number;
  if (error == std::errc::result_out_of_range) {
    if (is_large(begin, end)) return Reading::too_large;
    out = *begin == '-' ? -0.0 : 0.0;
  }
  return __builtin_isfinite(out) ? Reading::good : Reading::not_finite;
}

// ---- several numbers at a time

#if defined(__AVX2__)
#if defined(__AVX512DQ__) && defined(__AVX512BW__)
inline constexpr int group = 8;
#else
inline constexpr int group = 4;
#endif
typedef std::uint64_t Words __attribute__((vector_size(8 * group)));
typedef double Doubles __attribute__((vector_size(8 * group)));
typedef float Floats __attribute__((vector_size(4 * group)));
typedef std::int32_t Ints __attribute__((vector_size(4 * group)));

#if defined(__AVX512DQ__) && defined(__AVX512BW__)
REGRETLESS_INLINE Words join_eight(Words digits) {
  const __m512i pairs = _mm512_maddubs_epi16(__m512i(digits), _mm512_set1_epi16(0x010A));
  const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
  return Words(_mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32)));
}
REGRETLESS_INLINE bool any(Words w) { return _mm512_test_epi64_mask(__m512i(w), __m512i(w)); }
REGRETLESS_INLINE Words sum_bytes(Words w) { return Words(_mm512_sad_epu8(__m512i(w), _mm512_setzero_si512())); }
REGRETLESS_INLINE Ints narrow(Words w) { return Ints(_mm512_cvtepi64_epi32(__m512i(w))); }
REGRETLESS_INLINE Doubles doubles(Words w) { return Doubles(_mm512_cvtepi64_pd(__m512i(w))); }
REGRETLESS_INLINE Doubles power_of_ten(Words exponent) {
  return Doubles(
      _mm512_permutex2var_pd(_mm512_loadu_pd(powers_of_ten), __m512i(exponent), _mm512_loadu_pd(powers_of_ten + 8)));
}
#else
REGRETLESS_INLINE Words join_eight(Words digits) {
  const __m256i pairs = _mm256_maddubs_epi16(__m256i(digits), _mm256_set1_epi16(0x010A));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064));
  return Words(_mm256_add_epi64(_mm256_mul_epu32(fours, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(fours, 32)));
}
REGRETLESS_INLINE bool any(Words w) { return !_mm256_testz_si256(__m256i(w), __m256i(w)); }
REGRETLESS_INLINE Words sum_bytes(Words w) { return Words(_mm256_sad_epu8(__m256i(w), _mm256_setzero_si256())); }
REGRETLESS_INLINE Ints narrow(Words w) {
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  return Ints(_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(__m256i(w), low_halves)));
}
REGRETLESS_INLINE Doubles doubles(Words w) { return __builtin_convertvector(narrow(w), Doubles); }
REGRETLESS_INLINE Doubles power_of_ten(Words exponent) {
  return Doubles(_mm256_i64gather_pd(powers_of_ten, __m256i(exponent), 8));
}
#endif

// The eight bytes from each of several places.
REGRETLESS_INLINE Words words_of(auto place) {
  return [&]<int... l>(std::integer_sequence<int, l...>) {
    return Words{load_word(place(l))...};
  }(std::make_integer_sequence<int, group>());
}

// 12.5 becomes 125 with one place. Not zero where there is more than one point, or nothing but a point.
REGRETLESS_INLINE Words take_out_point(Words& digits, Words size, Words& places) {
  const Words high = equal_bytes(digits, '.' ^ '0'), dots = Words(high != 0), low = high >> 7;
  const Words wrong = (high & (high - 1)) | (dots & Words(size == 1)) | (dots & Words(places != 0));
  const Words point = (low << 8) - low, below = (low - 1) & dots, above = ~(point | below) & dots;
  digits = (digits & ~(point | below)) | (digits & below) << 8;
  places += sum_bytes(above & every_byte);
  return wrong;
}

// Numbers of at most eight digits (a point within one counts as one, 0. in front of it does not), by the eight bytes
// from the first of each, the eight up to its end, and its size. False where one is none of these.
REGRETLESS_INLINE bool plain_numbers(Words begin, Words end, Words size, Words bad, Doubles& out) {
  const Words minus = Words((begin & 0xFF) == '-');  // all bits, or none
  begin >>= minus & 8;
  const Words point = Words((begin & 0xFFFF) == ('0' | '.' << 8));
  const Words digits = size + minus + point + point;
  bad |= (digits - 1) & ~Words{} << 3;
  const Words shift = (0 - digits) * 8 & 56;
  end = (end ^ eight_zeros) >> shift << shift;
  Words places = digits & point;
  if (any(bad | beyond_nine(end))) {
    bad |= take_out_point(end, digits, places);
    if (any(bad | beyond_nine(end))) return false;
  }
  const Doubles number = doubles(join_eight(end)) / power_of_ten(places);
  out = Doubles(Words(number) ^ minus << 63);
  return true;
}
#else
inline constexpr int group = 1;
#endif

}  // namespace regretless::REGRETLESS_ISA
#endif
