#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_bit_tables(nanobind::module_& m);

}  // namespace regretless
