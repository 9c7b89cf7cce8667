// Errors that say which part of a whole they come from.
#pragma once

#include <functional>
#include <string>

namespace warpdex::vector {

/// Calls `work`. An exception gets `name` and a colon before its message and keeps its type (others
/// than ours become a plain Error). A UsageError stays as it is, since it is about the arguments of
/// the whole search.
void with_name(const std::string& name, const std::function<void()>& work);

}  // namespace warpdex::vector
