// Gathers characters as long as no gap lies between them, then pairs them.
#include "analysis/bigrams.hpp"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include "analysis/icu_status.hpp"

namespace warpdex::analysis {
namespace {

bool is_mark(UChar32 c) { return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0; }

bool is_cjk(UChar32 c) {
  if (u_getIntPropertyValue(c, UCHAR_WORD_BREAK) == U_WB_KATAKANA) return true;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  require_icu(status, "tell the script of a character");
  return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
         script == USCRIPT_HANGUL;
}

/// Moves `at` past a character of UTF-8.
UChar32 next_character(std::string_view text, std::size_t& at) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 c;
  U8_NEXT_UNSAFE(bytes, at, c);
  return c;
}

bool is_all_cjk(std::string_view term) {
  if (static_cast<unsigned char>(term[0]) < 0x80) return false;
  for (std::size_t at = 0; at < term.size();) {
    const bool is_first = at == 0;
    const UChar32 c = next_character(term, at);
    if (!is_cjk(c) && (is_first || !is_mark(c))) return false;
  }
  return true;
}

}  // namespace

void Bigrams::append_characters(const Token& token) {
  // Where the word was folded to another length, each of its characters has the word's place.
  const bool has_places = token.end - token.begin == token.term.size();
  const std::size_t known = run_.size();
  for (std::size_t at = 0; at < token.term.size();) {
    const std::size_t begin = at;
    const UChar32 c = next_character(token.term, at);
    if (run_.size() > known && is_mark(c)) {
      Token& character = run_.back();
      character.term = {character.term.data(), character.term.size() + at - begin};
      if (has_places) character.end = token.begin + at;
      continue;
    }
    run_.push_back({token.term.substr(begin, at - begin), token.position,
                    has_places ? token.begin + begin : token.begin,
                    has_places ? token.begin + at : token.end});
  }
}

void Bigrams::append_run(std::uint32_t position, TermStorage& storage) {
  for (std::size_t i = 0; i < run_.size(); ++i) {
    const Token& character = run_[i];
    const auto at = static_cast<std::uint32_t>(position + i);
    if (unigrams_ || run_.size() == 1) {
      joined_.push_back({character.term, at, character.begin, character.end});
    }
    if (i + 1 == run_.size()) break;
    pair_.assign(character.term).append(run_[i + 1].term);
    joined_.push_back({storage.keep(pair_), at, character.begin, run_[i + 1].end});
  }
}

std::uint32_t Bigrams::join(std::vector<Token>& tokens, std::uint32_t positions,
                            TermStorage& storage) {
  joined_.clear();
  std::uint32_t shift = 0;  // how many positions pairs took beyond those of their words; it wraps
  for (std::size_t i = 0; i < tokens.size();) {
    const std::uint32_t first = tokens[i].position + shift;
    if (!is_all_cjk(tokens[i].term)) {
      joined_.push_back(tokens[i++]);
      joined_.back().position = first;
      continue;
    }
    run_.clear();
    std::size_t end = i;
    do {
      append_characters(tokens[end++]);
    } while (end < tokens.size() && tokens[end].begin == tokens[end - 1].end &&
             tokens[end].position == tokens[end - 1].position + 1 && is_all_cjk(tokens[end].term));
    append_run(first, storage);
    const std::size_t taken = unigrams_ || run_.size() == 1 ? run_.size() : run_.size() - 1;
    const std::uint32_t words = tokens[end - 1].position - tokens[i].position + 1;
    shift += static_cast<std::uint32_t>(taken) - words;
    i = end;
  }
  tokens.swap(joined_);
  return positions + shift;
}

}  // namespace warpdex::analysis
