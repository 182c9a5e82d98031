// The names of a closed table of kinds, for Python.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <string_view>
#include <utility>

namespace regretless {

template <class K, std::size_t N>
nanobind::tuple names_of(const std::pair<std::string_view, K> (&kinds)[N]) {
  nanobind::list names;
  for (const auto& [name, kind] : kinds) names.append(name);
  return nanobind::tuple(names);
}

}  // namespace regretless
