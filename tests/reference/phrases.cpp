#include "tests/reference/phrases.hpp"

#include <algorithm>
#include <cstddef>

namespace warpdex::reference {
namespace {

bool is_at(const std::vector<std::string>& document, std::size_t position, const PhraseWord& word) {
  return position < document.size() &&
         std::find(word.words.begin(), word.words.end(), document[position]) != word.words.end();
}

}  // namespace

double exact_frequency(const std::vector<std::string>& document,
                       const std::vector<PhraseWord>& phrase) {
  double count = 0;
  for (std::size_t begin = 0; begin < document.size(); ++begin) {
    bool is_match = true;
    for (const PhraseWord& word : phrase) {
      is_match = is_match && is_at(document, begin + word.offset, word);
    }
    count += is_match ? 1 : 0;
  }
  return count;
}

double sloppy_frequency(const std::vector<std::string>& document,
                        const std::vector<PhraseWord>& phrase, std::uint32_t slop) {
  std::vector<std::vector<long>> moved(phrase.size());  // positions less the offset
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    for (std::size_t position = 0; position < document.size(); ++position) {
      if (!is_at(document, position, phrase[i])) continue;
      moved[i].push_back(static_cast<long>(position) - static_cast<long>(phrase[i].offset));
    }
    if (moved[i].empty()) return 0;
  }
  std::vector<std::size_t> at(phrase.size());
  const auto here = [&](std::size_t i) { return moved[i][at[i]]; };
  double frequency = 0;
  while (true) {
    std::size_t behind = 0;
    for (std::size_t i = 1; i < phrase.size(); ++i) {
      if (here(i) < here(behind)) behind = i;
    }
    long furthest = here(behind);
    long next = here(behind == 0 ? 1 : 0);
    for (std::size_t i = 0; i < phrase.size(); ++i) {
      furthest = std::max(furthest, here(i));
      if (i != behind) next = std::min(next, here(i));
    }
    long length = furthest - here(behind);
    while (++at[behind] < moved[behind].size() && here(behind) <= next) {
      length = std::min(length, std::max(furthest, here(behind)) - here(behind));
    }
    if (length <= static_cast<long>(slop)) frequency += 1.0 / (1.0 + static_cast<double>(length));
    if (at[behind] == moved[behind].size()) return frequency;
  }
}

}  // namespace warpdex::reference
