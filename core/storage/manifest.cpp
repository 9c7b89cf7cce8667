// Names of files, and the checksum that seals a manifest's text.
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

std::uint64_t count_named(const NamedCounts& counts, std::string_view name) {
  for (const auto& [key, value] : counts) {
    if (key == name) return value;
  }
  return 0;
}

std::string segment_folder(std::uint64_t number) { return "segment-" + std::to_string(number); }

std::string segment_file(std::uint64_t number) { return segment_folder(number) + ".packed"; }

std::string removals_file(std::uint64_t number, std::uint64_t commit) {
  return segment_folder(number) + ".removed-" + std::to_string(commit);
}

std::vector<std::string> files_of(const SegmentInfo& segment) {
  std::vector<std::string> files;
  if (segment.is_packed) {
    files.push_back(segment.place);
  } else {
    for (const SectionInfo& section : segment.sections) {
      files.push_back(segment.place + "/" + section.name);
    }
  }
  if (segment.removals) files.push_back(segment.removals->file);
  return files;
}

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
