#include "data/file_format.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::vector {
namespace {

struct Suffix {
  std::string_view text;
  FileFormat format;
  std::optional<Element> element;
};

constexpr std::array<Suffix, 10> kSuffixes{{
    {".fvecs", FileFormat::kVecs, Element::kFloat32},
    {".bvecs", FileFormat::kVecs, Element::kUint8},
    {".ivecs", FileFormat::kVecs, Element::kInt32},
    {".fbin", FileFormat::kBin, Element::kFloat32},
    {".u8bin", FileFormat::kBin, Element::kUint8},
    {".i8bin", FileFormat::kBin, Element::kInt8},
    {".ibin", FileFormat::kBin, Element::kInt32},
    {".npy", FileFormat::kNpy, std::nullopt},
    {".hdf5", FileFormat::kHdf5, std::nullopt},
    {".h5", FileFormat::kHdf5, std::nullopt},
}};

/// ASCII letters small.
std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Where the colon of FILE.hdf5:NAME stands, or npos.
std::size_t find_dataset_colon(const std::string& lowered) {
  std::size_t colon = std::string::npos;
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.format != FileFormat::kHdf5) continue;
    const std::size_t at = lowered.find(std::string(suffix.text) + ":");
    if (at != std::string::npos) colon = std::min(colon, at + suffix.text.size());
  }
  return colon;
}

}  // namespace

std::optional<DataPath> find_data_path(const std::string& path) {
  DataPath found;
  const std::size_t colon = find_dataset_colon(lower(path));
  found.file = path.substr(0, colon);
  if (colon != std::string::npos) found.dataset = path.substr(colon + 1);
  const std::string lowered = lower(found.file);
  for (const Suffix& suffix : kSuffixes) {
    if (!lowered.ends_with(suffix.text)) continue;
    found.format = suffix.format;
    found.element = suffix.element;
    return found;
  }
  return std::nullopt;
}

std::string suffix_advice(const SuitsElement& suits) {
  std::vector<std::string_view> known;
  for (const Suffix& suffix : kSuffixes) {
    if (!suffix.element || suits(*suffix.element)) known.push_back(suffix.text);
  }
  std::string text = "name a file that ends in ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) text += i + 1 == known.size() ? " or " : ", ";
    text += known[i];
  }
  return text;
}

DataPath parse_data_path(const std::string& path, const SuitsElement& suits) {
  std::optional<DataPath> found = find_data_path(path);
  if (found) return std::move(*found);
  throw UsageError("the name '" + path + "' does not tell what format the file has; " +
                   suffix_advice(suits));
}

DataPath parse_data_path(const std::string& path) {
  return parse_data_path(path, [](Element) { return true; });
}

std::string advice_to_write(Element element) {
  return suffix_advice([&](Element own) { return own == element; });
}

std::optional<Element> element_of_format(const std::string& path) {
  return parse_data_path(path).element;
}

bool is_same_data_file(const std::string& path, const std::string& other) {
  std::error_code none_there;
  return std::filesystem::equivalent(parse_data_path(path).file, parse_data_path(other).file,
                                     none_there);
}

}  // namespace warpdex::vector
