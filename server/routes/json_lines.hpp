// Bodies of JSON values, one a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex::server {

/// Goes through the lines of a body, which must outlive this. Lines end with \n or \r\n; empty ones
/// are passed over.
class JsonLines {
 public:
  explicit JsonLines(std::string_view body) : rest_(body) {}

  /// The next line; false at the end.
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty()) return true;
    }
    return false;
  }
  /// Of the last line, for messages: "line 3", from 1.
  std::string name() const { return "line " + std::to_string(number_); }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace warpdex::server
