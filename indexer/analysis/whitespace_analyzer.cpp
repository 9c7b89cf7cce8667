// The analyzer "whitespace": splits at ASCII white space and changes nothing.
#include <array>

#include "analysis/analyzers.hpp"
#include "warpdex/core/error.hpp"
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
  void analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    require_utf8(text);
    terms.clear();
    const char* next = text.data();
    const char* const end = next + text.size();
    while (true) {
      while (next < end && is_space(*next)) ++next;
      if (next == end) return;
      const char* const start = next;
      while (next < end && !is_space(*next)) ++next;
      const auto size = static_cast<std::size_t>(next - start);
      if (size > kMaxTermBytes) refuse(static_cast<std::size_t>(start - text.data()), size);
      terms.emplace_back(start, size);
    }
  }

 private:
  [[noreturn]] static void refuse(std::size_t offset, std::size_t size) {
    throw InputError("the text has a run of " + std::to_string(size) +
                     " bytes without white space at byte " + std::to_string(offset) +
                     ", and a term may have " + std::to_string(kMaxTermBytes) +
                     ": split it, or use the analyzer standard or english");
  }
};

}  // namespace

std::unique_ptr<Analyzer> make_whitespace_analyzer() {
  return std::make_unique<WhitespaceAnalyzer>();
}

}  // namespace warpdex::analysis
