// Bytes of terms that live until the next text. Internal to indexer/analysis.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <string_view>

namespace warpdex::analysis {

/// Copies strings to places that do not move until clear(), which keeps 64 KiB and frees the rest.
class TermStorage {
 public:
  TermStorage() = default;
  TermStorage(const TermStorage&) = delete;
  TermStorage& operator=(const TermStorage&) = delete;

  std::string_view keep(std::string_view bytes) {
    char* place = static_cast<char*>(memory_.allocate(bytes.size(), 1));
    std::memcpy(place, bytes.data(), bytes.size());
    return {place, bytes.size()};
  }
  void clear() { memory_.release(); }

 private:
  std::array<std::byte, 65'536> first_;
  std::pmr::monotonic_buffer_resource memory_{first_.data(), first_.size()};
};

}  // namespace warpdex::analysis
