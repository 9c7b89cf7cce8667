// How long an index takes to find a term. Needs no GPU.
//
// Terms come from a file, one a line (an index's, or those of a log of queries), and are asked in
// random order, so that few lie in the processor's cache; half of them after a letter was appended,
// so that most of these are unknown.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "warpdex/indexer/format/index.hpp"

namespace warpdex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLookups = 1'000'000;
constexpr int kRuns = 5;

std::vector<std::string> read_terms(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> terms;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) terms.push_back(line.substr(0, line.find('\t')));
  }
  return terms;
}

/// Nanoseconds for each of the terms; `found` becomes how many are there.
double measure(const Index& index, const std::vector<std::string>& terms, std::size_t& found) {
  found = 0;
  const Clock::time_point start = Clock::now();
  for (const std::string& term : terms) found += index.find(term).has_value() ? 1 : 0;
  const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
  return spent.count() / static_cast<double>(terms.size());
}

int run(const char* folder, const char* path) {
  const Index index = Index::open(folder);
  const std::vector<std::string> words = read_terms(path);
  if (words.empty()) {
    std::cerr << "there is no term in '" << path << "'\n";
    return 2;
  }
  std::mt19937_64 random(1);
  std::vector<std::string> known;
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < kLookups; ++i) {
    known.push_back(words[random() % words.size()]);
    changed.push_back(words[random() % words.size()] + "q");
  }
  std::printf("terms of the index %llu\n", static_cast<unsigned long long>(index.counts().terms));
  for (const auto& [name, terms] : {std::pair("as in the file", &known), {"changed", &changed}}) {
    std::vector<double> times;
    std::size_t found = 0;
    for (int i = 0; i < kRuns; ++i) times.push_back(measure(index, *terms, found));
    std::sort(times.begin(), times.end());
    std::printf("%-15s %.0f ns a term (median of %d runs), %zu of %zu found\n", name,
                times[kRuns / 2], kRuns, found, terms->size());
  }
  return 0;
}

}  // namespace
}  // namespace warpdex

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: warpdex_bench_lookup INDEX TERMS.txt\n";
    return 2;
  }
  try {
    return warpdex::run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
