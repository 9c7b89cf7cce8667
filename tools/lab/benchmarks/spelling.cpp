// How often and how fast a misspelt word is corrected: by a scan (SpellingCorrector), and, to
// compare, by a walk over a trie. Needs no GPU.
//
// Words come from a file, one a line, each with a tab and how many documents have it, or
// without: 1. Each query is one of them, drawn by these numbers, after random edits: a letter
// inserted, left out or changed; edits that make another word of the file are drawn again.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "warpdex/query/spelling.hpp"

namespace warpdex {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Words in order of their bytes stand for the trie: what two neighbours share is one path. A row
/// of Levenshtein's table a byte is kept for the path; where all of a row is past the limit, the
/// words below are passed over.
class Trie {
 public:
  explicit Trie(std::vector<std::string> words) : words_(std::move(words)) {
    std::sort(words_.begin(), words_.end());
    shared_.resize(words_.size() + 1);
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const auto limit = std::min(words_[i - 1].size(), words_[i].size());
      while (shared_[i] < limit && words_[i - 1][shared_[i]] == words_[i][shared_[i]]) {
        ++shared_[i];
      }
    }
  }

  /// How many words are within `limit` edits.
  std::size_t count(const std::string& term, std::uint32_t limit) {
    const std::size_t width = term.size() + 1;
    std::size_t found = 0;
    rows_.assign(width, 0);
    for (std::size_t j = 0; j < width; ++j) rows_[j] = static_cast<std::uint32_t>(j);
    std::size_t depth = 0;  // rows that hold for the path
    for (std::size_t i = 0; i < words_.size();) {
      const std::string& word = words_[i];
      depth = std::min(depth, shared_[i]);
      bool is_past = false;
      for (; depth < word.size() && !is_past; ++depth)
        is_past = add_row(term, word[depth], depth) > limit;
      if (!is_past && rows_[depth * width + width - 1] <= limit) ++found;
      ++i;
      if (is_past) {
        while (i < words_.size() && shared_[i] >= depth) ++i;
      }
    }
    return found;
  }

 private:
  /// The row behind `depth` bytes and `letter`; returns its smallest number.
  std::uint32_t add_row(const std::string& term, char letter, std::size_t depth) {
    const std::size_t width = term.size() + 1;
    if (rows_.size() < (depth + 2) * width) rows_.resize((depth + 2) * width);
    const std::uint32_t* const above = rows_.data() + depth * width;
    std::uint32_t* const row = rows_.data() + (depth + 1) * width;
    std::uint32_t smallest = row[0] = above[0] + 1;
    for (std::size_t j = 1; j < width; ++j) {
      row[j] =
          std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (term[j - 1] == letter ? 0 : 1)});
      smallest = std::min(smallest, row[j]);
    }
    return smallest;
  }

  std::vector<std::string> words_;
  std::vector<std::size_t> shared_;  ///< bytes that each word shares with the one before
  std::vector<std::uint32_t> rows_;
};

std::string edited(std::string word, std::mt19937_64& random) {
  const char letter = static_cast<char>('a' + random() % 26);
  const std::size_t kind = random() % 3;
  if (kind == 0) {
    word.insert(word.begin() + static_cast<std::ptrdiff_t>(random() % (word.size() + 1)), letter);
  } else if (kind == 1 && word.size() > 1) {
    word.erase(random() % word.size(), 1);
  } else {
    word[random() % word.size()] = letter;
  }
  return word;
}

std::map<std::string, std::uint64_t> read_words(const std::string& file) {
  std::ifstream in(file);
  std::map<std::string, std::uint64_t> words;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (line.empty() || tab == 0) continue;
    words[line.substr(0, tab)] = tab == line.npos ? 1 : std::stoull(line.substr(tab + 1));
  }
  if (words.empty()) throw std::runtime_error("there are no words in '" + file + "'");
  return words;
}

/// A word, and what becomes of it: no word of the file.
std::pair<std::string, std::string> draw_query(const std::vector<std::string>& words,
                                               const std::map<std::string, std::uint64_t>& known,
                                               std::discrete_distribution<std::size_t>& draw,
                                               int edits, std::mt19937_64& random) {
  for (;;) {
    const std::string& word = words[draw(random)];
    std::string query = word;
    for (int i = 0; i < edits; ++i) query = edited(query, random);
    if (!known.contains(query)) return {word, query};
  }
}

void run(const std::string& file, std::size_t queries) {
  const std::map<std::string, std::uint64_t> known = read_words(file);
  std::vector<SpellingCorrector::Word> listed;
  std::vector<std::string> words;
  std::vector<double> weights;
  for (const auto& [word, documents] : known) {
    listed.push_back({word, documents});
    words.push_back(word);
    weights.push_back(static_cast<double>(documents));
  }
  const Clock::time_point start = Clock::now();
  const SpellingCorrector corrector(listed);
  std::cout << words.size() << " words, made ready in " << microseconds_since(start) / 1e6
            << " s\nedits  true word among 3  scan, us: mean    largest  trie, us: mean\n";
  Trie trie(words);
  std::mt19937_64 random(1);
  std::discrete_distribution<std::size_t> draw(weights.begin(), weights.end());
  for (const int edits : {1, 2}) {
    std::size_t right = 0;
    double scan = 0;
    double largest = 0;
    double walk = 0;
    for (std::size_t i = 0; i < queries; ++i) {
      const auto drawn = draw_query(words, known, draw, edits, random);
      const std::string& word = drawn.first;
      const std::string& query = drawn.second;
      const Clock::time_point begin = Clock::now();
      const std::vector<Correction> offers = corrector.corrections(query, 3);
      const double took = microseconds_since(begin);
      scan += took;
      largest = std::max(largest, took);
      right += static_cast<std::size_t>(std::count_if(
          offers.begin(), offers.end(), [&](const Correction& one) { return one.term == word; }));
      const Clock::time_point second = Clock::now();
      trie.count(query, 2);
      walk += microseconds_since(second);
    }
    const auto count = static_cast<double>(queries);
    std::cout << edits << "  " << static_cast<double>(right) / count << "  " << scan / count << "  "
              << largest << "  " << walk / count << "\n";
  }
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) {
  try {
    if (count < 2) throw std::runtime_error("give a file of words");
    warpdex::run(values[1], count > 2 ? std::stoul(values[2]) : 1000);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_spelling WORDS [QUERIES]: " << error.what() << "\n";
    return 1;
  }
}
