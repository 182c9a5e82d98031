// A catalogue is a tuple of types, each of which says its `facts`, its name among them. A place in it becomes a type
// again.
#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

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

}  // namespace regretless::REGRETLESS_ISA
