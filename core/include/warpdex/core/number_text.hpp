// Numbers in messages and files.
#pragma once

#include <string>

namespace warpdex {

/// By the fewest digits that give the number back: "0.1", "1e-09", "nan".
std::string shortest(float number);
std::string shortest(double number);

}  // namespace warpdex
