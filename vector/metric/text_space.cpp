// Texts under Levenshtein's or Hamming's distance.
#include <algorithm>
#include <string>

#include "metric/spaces.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::metric {
namespace {

/// The largest whole distance within the limit.
std::uint32_t whole(float limit) {
  constexpr float kMax = 2e9F;
  return limit < kMax ? static_cast<std::uint32_t>(std::max(limit, 0.0F)) : 2'000'000'000U;
}

class FromLevenshtein : public DistanceFrom {
 public:
  FromLevenshtein(const TextsView& texts, std::string_view text, TextUnit unit)
      : texts_(texts), from_(text, unit) {}
  float to(std::size_t object, float limit) override {
    return static_cast<float>(from_.to(texts_.text(object), whole(limit)));
  }

 private:
  const TextsView& texts_;
  LevenshteinFrom from_;
};

class FromHamming : public DistanceFrom {
 public:
  FromHamming(const TextsView& texts, std::string_view text) : texts_(texts), text_(text) {}
  float to(std::size_t object, float /*limit*/) override {
    const std::string_view other = texts_.text(object);
    std::uint32_t differ = 0;
    const std::size_t bytes = std::min(other.size(), text_.size());
    for (std::size_t i = 0; i < bytes; ++i) differ += text_[i] != other[i] ? 1U : 0U;
    // Lengths differ in damaged indexes only.
    return static_cast<float>(differ + std::max(other.size(), text_.size()) - bytes);
  }

 private:
  const TextsView& texts_;
  std::string text_;
};

class TextSpace : public ObjectSpace {
 public:
  explicit TextSpace(const ObjectsView& view) : view_(view) {}
  std::size_t size() const override { return view_.objects; }

  std::unique_ptr<DistanceFrom> from_object(std::size_t object) const override {
    return prepared(view_.texts.text(object));
  }

  void check_text(std::string_view text) const override {
    const ObjectSettings& settings = view_.settings;
    if (settings.distance == DistanceKind::kHamming && view_.objects > 0 &&
        text.size() != view_.texts.text(0).size()) {
      throw InputError("has " + std::to_string(text.size()) + " bytes, the texts of the index " +
                       std::to_string(view_.texts.text(0).size()) +
                       "; the Hamming distance is of texts of one length");
    }
    if (settings.unit == TextUnit::kCodePoints && !is_utf8(text)) {
      throw InputError("is not UTF-8; convert it, or build the index without code points");
    }
  }

  std::unique_ptr<DistanceFrom> from_text(std::string_view text) const override {
    check_text(text);
    return prepared(text);
  }

 private:
  std::unique_ptr<DistanceFrom> prepared(std::string_view text) const {
    if (view_.settings.distance == DistanceKind::kHamming) {
      return std::make_unique<FromHamming>(view_.texts, text);
    }
    return std::make_unique<FromLevenshtein>(view_.texts, text, view_.settings.unit);
  }

  ObjectsView view_;
};

}  // namespace

std::unique_ptr<ObjectSpace> make_text_space(const ObjectsView& view) {
  return std::make_unique<TextSpace>(view);
}

}  // namespace warpdex::metric
