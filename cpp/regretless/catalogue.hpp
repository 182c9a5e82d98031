// A catalogue is a tuple of types, each of which has its `facts`, its name among them, or a variant of types that have
// names. A place or a name in it becomes a type again.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

namespace regretless::REGRETLESS_ISA {

template <class... T>
static constexpr auto facts_of(std::type_identity<std::tuple<T...>>) {
  return std::array{T::facts...};
}

// f is a template over the type.
template <class Catalogue, std::size_t place = 0, class F>
static auto with_type(int wanted, F f) {
  if constexpr (place + 1 < std::tuple_size_v<Catalogue>)
    if (wanted != int(place)) return with_type<Catalogue, place + 1>(wanted, f);
  return f.template operator()<std::tuple_element_t<place, Catalogue>>();
}

// The names in a variant, and `more` of what is no alternative of it.
template <class... T, class... More>
static constexpr auto names_of(std::variant<T...>*, More... more) {
  return std::array<std::string_view, sizeof...(T) + sizeof...(More)>{T::name..., more...};
}

// Whether two names are the same. The operator of the library may become a function that instruction sets share.
static inline bool same_name(std::string_view one, std::string_view other) {
  return one.size() == other.size() && __builtin_memcmp(one.data(), other.data(), one.size()) == 0;
}

// The alternative of the variant V with this name, constructed from `argument`. The binding has refused other names.
template <class V, std::size_t place = 0, class Argument>
static V named(std::string_view name, const Argument& argument) {
  if constexpr (place == std::variant_size_v<V>) {
    __builtin_unreachable();
  } else {
    using T = std::variant_alternative_t<place, V>;
    return same_name(name, T::name) ? V(T(argument)) : named<V, place + 1>(name, argument);
  }
}

}  // namespace regretless::REGRETLESS_ISA
