// Answers the queries of the search-benchmark-game: a line of a command, a tab and a query in; a
// line with a number out. One thread.
#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <warpdex/warpdex.hpp>

namespace {

/// What a command asks for: the k best, or the number of matches, or both.
struct Command {
  std::string_view name;
  std::uint32_t k;  ///< 0: none
  bool counts;
};

constexpr std::array<Command, 8> kCommands{{{"COUNT", 0, true},
                                            {"UNOPTIMIZED_COUNT", 0, true},
                                            {"TOP_10", 10, false},
                                            {"TOP_100", 100, false},
                                            {"TOP_1000", 1000, false},
                                            {"TOP_10_COUNT", 10, true},
                                            {"TOP_100_COUNT", 100, true},
                                            {"TOP_1000_COUNT", 1000, true}}};

std::optional<std::uint64_t> answer(const warpdex::Searcher& searcher, std::string_view line) {
  const std::size_t tab = line.find('\t');
  const auto command = std::ranges::find(kCommands, line.substr(0, tab), &Command::name);
  if (tab == line.npos || command == kCommands.end()) return std::nullopt;
  warpdex::SearchOptions options;
  options.k = std::max(1U, command->k);
  options.count = command->counts;
  options.syntax = warpdex::QuerySyntax::kLucene;
  options.threads = 1;
  const warpdex::Answer found = searcher.search(line.substr(tab + 1), options);
  return command->counts ? found.matches : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw warpdex::UsageError("say where the index is: do_query INDEX");
  const warpdex::Searcher searcher(argv[1], {.threads = 1});
  for (std::string line; std::getline(std::cin, line);) {
    std::optional<std::uint64_t> count;
    try {
      count = answer(searcher, line);
    } catch (const warpdex::InputError&) {  // what the language or the index has not
    }
    if (count) {
      std::cout << *count << std::endl;
    } else {
      std::cout << "UNSUPPORTED" << std::endl;
    }
  }
} catch (const warpdex::Error& error) {
  std::cerr << "do_query: " << error.what() << '\n';
  return 1;
}
