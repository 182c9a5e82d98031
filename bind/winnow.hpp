#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_winnow(nanobind::module_& m);

}  // namespace regretless
