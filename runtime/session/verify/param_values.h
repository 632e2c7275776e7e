#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipe/recipe.h"

// Values for a component's parameters, made of what its descriptor says of them.

namespace hob::session::verify {

// A value for a parameter without a default: within its range, and of an ordinary size. None where
// the descriptor cannot tell: paths, and strings without choices.
std::optional<recipe::Value> made_up_value(const recipe::ParamSchema& param);

// The outermost values that the descriptor allows, just inside where a bound is open: each end of a
// range, each choice, both booleans. For a list, with each element that value; `usual` says how
// many there are.
std::vector<recipe::Value> values_at_bounds(const recipe::ParamSchema& param,
                                            const recipe::Value& usual);

// What the descriptor allows and hardly anybody thinks of: the largest numbers where a range has no
// end, empty and long texts, texts of other scripts, empty lists.
std::vector<recipe::Value> far_values(const recipe::ParamSchema& param, const recipe::Value& usual);

}  // namespace hob::session::verify
