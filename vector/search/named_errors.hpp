// Errors that say which part of a whole they come from.
#pragma once

#include <functional>
#include <string>

namespace warpdex::vector {

/// Calls `work`. What it throws comes out with `name` and a colon before its message, and of the
/// same type (a plain Error where it was none of ours); but UsageError as it is, since that is
/// about what the whole was asked.
void with_name(const std::string& name, const std::function<void()>& work);

}  // namespace warpdex::vector
