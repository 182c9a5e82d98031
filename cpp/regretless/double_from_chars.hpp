// The C library's reading of a double for libc++, which has no std::from_chars of floats before its version 20; both
// round correctly. Without templates of the library, which instruction sets would share.
#pragma once
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <locale.h>
#include <system_error>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace regretless {

// As std::from_chars reads [begin, end): no blank, no plus, no hexadecimal digits, whatever the locale.
static inline std::from_chars_result double_from_chars(const char* begin, const char* end, double& out) {
  const char* const first = begin + (begin != end && *begin == '-');
  const auto is = [&](char low, char high) { return first != end && *first >= low && *first <= high; };
  const bool number = is('0', '9') || is('.', '.');
  const bool word = is('i', 'i') || is('I', 'I') || is('n', 'n') || is('N', 'N');
  const bool hexadecimal = is('0', '0') && end - first > 1 && (first[1] | 0x20) == 'x';
  if ((!number && !word) || hexadecimal) return {begin, std::errc::invalid_argument};
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  if (!plain) return {begin, std::errc::not_enough_memory};
  const std::size_t size = std::size_t(end - begin);
  char few[64];  // which nearly all numbers have
  char* const text = size < sizeof few ? few : static_cast<char*>(std::malloc(size + 1));
  if (!text) return {begin, std::errc::not_enough_memory};
  std::memcpy(text, begin, size);
  text[size] = 0;
  char* stop = text;
  out = strtod_l(text, &stop, plain);
  const std::size_t read = std::size_t(stop - text);
  if (text != few) std::free(text);
  if (read == 0) return {begin, std::errc::invalid_argument};
  const bool large = number && __builtin_isinf(out);
  return {begin + read, large ? std::errc::result_out_of_range : std::errc()};
}

}  // namespace regretless
