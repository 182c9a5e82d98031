#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_words(nanobind::module_& m);

}  // namespace regretless
