// Numbers as people and scripts read them.
#pragma once

#include <cstdint>
#include <string>

namespace warpdex::tools {

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number);
/// With `decimals` digits after the point.
std::string fixed(double number, int decimals);
/// Bytes as "1.2 MB" (powers of 1000).
std::string bytes_text(std::uint64_t bytes);
/// Seconds as "0.84 s", "12 s", "3 min 05 s" or "2 h 10 min".
std::string duration_text(double seconds);
/// `count` and the noun, in the plural where it is one: "1 document", "2 documents".
std::string counted(std::uint64_t count, const std::string& noun);

}  // namespace warpdex::tools
