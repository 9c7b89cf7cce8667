// Checks of files of true neighbours, which evaluate and bench compare answers with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::tools {

/// Throws InputError, with the file's `name`, if no query has a true neighbour at all, so that
/// there is nothing to judge; and, with the row, for a neighbour that is no row of an index of
/// `rows`.
void check_truth(const std::string& name, const vector::Matrix<std::int32_t>& truth,
                 std::size_t rows = std::numeric_limits<std::size_t>::max());

}  // namespace warpdex::tools
