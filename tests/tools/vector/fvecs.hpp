// Files of vectors that tests make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpdex::test {

/// The bytes of a .fvecs or an .ivecs file.
template <class T>
std::string vecs(const std::vector<std::vector<T>>& rows) {
  std::string bytes;
  for (const std::vector<T>& row : rows) {
    const auto dimension = static_cast<std::int32_t>(row.size());
    bytes.append(reinterpret_cast<const char*>(&dimension), 4);
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * 4);
  }
  return bytes;
}

inline std::string fvecs(const std::vector<std::vector<float>>& rows) { return vecs(rows); }

}  // namespace warpdex::test
