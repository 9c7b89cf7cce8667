// The analyzer "whitespace": splits at ASCII white space and changes nothing. Too long runs are
// left out.
#include <array>

#include "analysis/analyzers.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

constexpr std::array<bool, 256> make_spaces() {
  std::array<bool, 256> spaces{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'})
    spaces[static_cast<std::size_t>(c)] = true;
  return spaces;
}

constexpr auto kSpaces = make_spaces();

bool is_space(char c) { return kSpaces[static_cast<unsigned char>(c)]; }

class WhitespaceAnalyzer final : public Analyzer {
 public:
  std::size_t analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    require_utf8(text);
    terms.clear();
    const char* next = text.data();
    const char* const end = next + text.size();
    std::size_t too_long = 0;
    while (true) {
      while (next < end && is_space(*next)) ++next;
      if (next == end) return too_long;
      const char* const start = next;
      while (next < end && !is_space(*next)) ++next;
      const auto size = static_cast<std::size_t>(next - start);
      if (size > kMaxTermBytes) {
        ++too_long;
      } else {
        terms.emplace_back(start, size);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Analyzer> make_whitespace_analyzer() {
  return std::make_unique<WhitespaceAnalyzer>();
}

}  // namespace warpdex::analysis
