// How often a phrase occurs in a document, written apart from the code under test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpdex::reference {

/// A place of a phrase: how far from its first place, and the words of which one is to stand there.
struct PhraseWord {
  std::uint32_t offset = 0;
  std::vector<std::string> words;
};

/// How often `phrase` stands in `document`, the words by their positions. O(words · phrase).
double exact_frequency(const std::vector<std::string>& document,
                       const std::vector<PhraseWord>& phrase);

/// The sum over its matches of 1 / (1 + how far its places must move together), as Lucene finds
/// matches: the place that is behind moves on until it passes another one. No word is in two
/// places. O(words · phrase).
double sloppy_frequency(const std::vector<std::string>& document,
                        const std::vector<PhraseWord>& phrase, std::uint32_t slop);

}  // namespace warpdex::reference
