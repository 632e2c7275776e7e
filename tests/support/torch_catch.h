#pragma once

// Catch2 beside LibTorch, whose logging defines a CHECK of its own: included in this order, CHECK is
// Catch2's.
#include <c10/util/Logging.h>
#undef CHECK
#undef CHECK_FALSE
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
