// Seals a manifest's text with its checksum, and checks the seal.
#include "warpdex/core/storage/manifest.hpp"

#include "warpdex/core/checksum.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kChecksumKey = ",\n  \"checksum\": \"";
constexpr std::string_view kChecksumEnd = "\"\n}\n";

std::uint64_t checksum_of(std::string_view text) {
  return checksum({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

std::string with_checksum(std::string json) {
  json.resize(json.size() - 2);  // the closing "\n}" returns after the checksum
  const std::string hex = to_hex(checksum_of(json));
  return json.append(kChecksumKey).append(hex).append(kChecksumEnd);
}

void check_manifest_checksum(std::string_view text) {
  const std::size_t key = text.rfind(kChecksumKey);
  if (key == std::string_view::npos || !text.ends_with(kChecksumEnd)) {
    damaged_manifest("no checksum");
  }
  const std::string_view hex = text.substr(
      key + kChecksumKey.size(), text.size() - key - kChecksumKey.size() - kChecksumEnd.size());
  if (hex != to_hex(checksum_of(text.substr(0, key)))) {
    damaged_manifest("its checksum does not match");
  }
}

}  // namespace warpdex
