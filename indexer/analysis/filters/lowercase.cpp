// Case folding, and Turkish I.
#include "analysis/filters/lowercase.hpp"

#include "analysis/filters/filters.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::analysis {
namespace {

class TurkishLowercase final : public WordFilter {
 public:
  explicit TurkishLowercase(std::uint32_t version) : folder_(version) {}

  std::string_view apply(std::string_view word) override {
    constexpr std::string_view kDottedCapital = "İ", kDotAbove = "\u0307";
    lowered_.clear();
    while (!word.empty()) {
      std::size_t done = 1;
      if (word.starts_with(kDottedCapital)) {
        lowered_ += 'i';
        done = kDottedCapital.size();
      } else if (word[0] != 'I') {
        lowered_ += word[0];
      } else if (word.substr(1).starts_with(kDotAbove)) {
        lowered_ += 'i';
        done += kDotAbove.size();
      } else {
        lowered_ += "ı";
      }
      word.remove_prefix(done);
    }
    return folder_.fold(lowered_);
  }

 private:
  WordFolder folder_;
  std::string lowered_;
};

}  // namespace

std::unique_ptr<WordFilter> make_lowercase(const Part& part, const FilterContext& context) {
  const std::string* const language = part.find<std::string>("language");
  if (language == nullptr) return std::make_unique<LowercaseFilter>(context.version);
  if (*language == "turkish") return std::make_unique<TurkishLowercase>(context.version);
  throw UsageError("the language '" + *language + "' has no case of its own; there is turkish");
}

}  // namespace warpdex::analysis
