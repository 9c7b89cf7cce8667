// Hashes names and sorts docIDs by the hashes.
#include "format/name_order.hpp"

#include <algorithm>

#include "warpdex/core/checksum.hpp"

namespace warpdex {

std::uint32_t name_hash(std::string_view name) {
  return static_cast<std::uint32_t>(
      checksum({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()}) >> 32);
}

std::vector<std::uint32_t> order_by_hash(const std::vector<std::uint32_t>& hashes) {
  std::vector<std::uint64_t> keys(hashes.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::uint64_t{hashes[i]} << 32 | i;
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(),
                 [](std::uint64_t key) { return static_cast<std::uint32_t>(key); });
  return order;
}

}  // namespace warpdex
