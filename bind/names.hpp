// Catalogues of the kernels, by name.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace regretless {

// The place of a name in a catalogue; what it names is a "rule", or a "method".
template <class Facts>
int place_of(std::span<const Facts> catalogue, const std::string& name, const char* what) {
  const auto known = std::ranges::find(catalogue, name, &Facts::name);
  if (known == catalogue.end()) throw std::invalid_argument("no " + std::string(what) + " is called " + name);
  return int(known - catalogue.begin());
}

}  // namespace regretless
