#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_delimited(nanobind::module_& m);

}  // namespace regretless
