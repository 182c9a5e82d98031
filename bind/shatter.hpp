#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_shatter(nanobind::module_& m);

}  // namespace regretless
