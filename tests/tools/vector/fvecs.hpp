// Files of vectors that tests make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpdex::test {

/// The bytes of a .fvecs file.
inline std::string fvecs(const std::vector<std::vector<float>>& rows) {
  std::string bytes;
  for (const std::vector<float>& row : rows) {
    const auto dimension = static_cast<std::int32_t>(row.size());
    bytes.append(reinterpret_cast<const char*>(&dimension), 4);
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * 4);
  }
  return bytes;
}

}  // namespace warpdex::test
