// Reads a file of static scores, and says which of its lines is wrong.
#include "build/static_scores.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex::build {
namespace {

// The value, or a negative one for text that is no finite number of 0 or more.
float parse_score(std::string_view text) {
  double exact = 0;  // so that values too small for a float become 0
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), exact);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  const auto value = static_cast<float>(exact);
  if (!whole || !std::isfinite(value) || value < 0) return -1;
  return value == 0 ? 0 : value;  // no negative zero
}

/// Where a file names the id first, as ", on line 3"; "" where it cannot be read again.
std::string first_place(const std::filesystem::path& file, std::string_view id) {
  if (!std::filesystem::is_regular_file(file)) return "";
  LineReader lines(file);
  for (std::string line; lines.next(line);) {
    if (std::string_view(line).substr(0, line.find('\t')) != id) continue;
    return ", on line " + std::to_string(lines.line_number());
  }
  return "";
}

}  // namespace

IdTable read_static_scores(const std::filesystem::path& file, const std::function<void()>& on_read,
                           std::uint64_t memory) {
  IdTable scores(true);
  LineReader lines(file, on_read, kMaxLineBytes, unpack_limit_of(memory));
  const auto bad_line = [&](const std::string& what) {
    return InputError(lines.name() + ":" + std::to_string(lines.line_number()) + ": " + what);
  };
  for (std::string line; lines.next(line);) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || tab == 0) {
      throw bad_line("not a static score; write a document's id, a tab and its value");
    }
    const std::string_view id = std::string_view(line).substr(0, tab);
    const std::string_view text = std::string_view(line).substr(tab + 1);
    const float value = parse_score(text);
    if (value < 0) {
      throw bad_line("the static score '" + std::string(text.substr(0, 40)) +
                     "' is not a finite number of 0 or more; correct it");
    }
    if (!scores.insert(hash_id(id), value)) {
      throw bad_line("the id '" + std::string(id.substr(0, 200)) + "' has a static score already" +
                     first_place(file, id) + "; leave one of them");
    }
  }
  return scores;
}

}  // namespace warpdex::build
