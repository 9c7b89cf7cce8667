#include "options/at_most.hpp"

#include <iostream>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

std::size_t at_most(const std::string& option, std::int64_t wanted, const Supply& supply) {
  if (wanted < 1) {
    throw UsageError(option + " takes a whole number of 1 or more, not " + std::to_string(wanted));
  }
  const auto number = static_cast<std::size_t>(wanted);
  if (number <= supply.count) return number;
  std::cerr << "warpdex: note: " << supply.there << ", fewer than " << option << " " << wanted
            << "; " << supply.effect << "\n";
  return supply.count;
}

}  // namespace warpdex::tools
