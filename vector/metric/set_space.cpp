// Sets of words under Jaccard's distance.
#include <algorithm>

#include "metric/spaces.hpp"

namespace warpdex::metric {
namespace {

/// A set by the numbers of its words, ascending.
class FromSet : public DistanceFrom {
 public:
  /// `unknown` words of the set are in no object.
  FromSet(const ObjectsView& view, std::vector<std::uint32_t> words, std::size_t unknown)
      : view_(view), words_(std::move(words)), unknown_(unknown) {}

  float to(std::size_t object, float /*limit*/) override {
    const std::uint64_t begin = view_.set_begins[object];
    const auto other = view_.set_words.subspan(begin, view_.set_begins[object + 1] - begin);
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < words_.size() && j < other.size();) {
      common += words_[i] == other[j] ? 1U : 0U;
      const bool moves_own = words_[i] <= other[j];
      j += words_[i] >= other[j] ? 1U : 0U;
      i += moves_own ? 1U : 0U;
    }
    const std::size_t all = words_.size() + unknown_ + other.size() - common;
    if (all == 0) return 0;
    return static_cast<float>(static_cast<double>(all - common) / static_cast<double>(all));
  }

 private:
  const ObjectsView& view_;
  std::vector<std::uint32_t> words_;
  std::size_t unknown_;
};

class SetSpace : public ObjectSpace {
 public:
  explicit SetSpace(const ObjectsView& view) : view_(view) {}
  std::size_t size() const override { return view_.objects; }

  std::unique_ptr<DistanceFrom> from_object(std::size_t object) const override {
    const std::uint64_t begin = view_.set_begins[object];
    const auto words = view_.set_words.subspan(begin, view_.set_begins[object + 1] - begin);
    return std::make_unique<FromSet>(view_, std::vector<std::uint32_t>(words.begin(), words.end()),
                                     0);
  }

  void check_text(std::string_view /*text*/) const override {}

  std::unique_ptr<DistanceFrom> from_text(std::string_view text) const override {
    QuerySet set = query_set(view_, text);
    return std::make_unique<FromSet>(view_, std::move(set.words), set.unknown);
  }

 private:
  ObjectsView view_;
};

}  // namespace

QuerySet query_set(const ObjectsView& view, std::string_view text) {
  QuerySet set;
  for (const std::string_view word : words_of(text)) {
    std::size_t low = 0;
    std::size_t high = view.words.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (view.words.text(middle) < word) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low < view.words.size() && view.words.text(low) == word) {
      set.words.push_back(static_cast<std::uint32_t>(low));
    } else {
      ++set.unknown;
    }
  }
  return set;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::vector<std::string_view> words;
  for (std::size_t begin = 0;
       (begin = line.find_first_not_of(kBlanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::unique_ptr<ObjectSpace> make_set_space(const ObjectsView& view) {
  return std::make_unique<SetSpace>(view);
}

}  // namespace warpdex::metric
