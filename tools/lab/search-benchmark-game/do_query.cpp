// Answers the queries of the search-benchmark-game: a line of a command, a tab and a query in; a
// line out. One thread.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <warpdex/warpdex.hpp>

namespace {

/// What a command asks for: COUNT, TOP_k, TOP_k_COUNT or FACETS; and behind it _FILTER_n: of the
/// documents only those whose column `part` is below n.
struct Command {
  std::uint32_t k = 1;
  bool counts = false;
  bool has_facets = false;
  std::string filter{};
};

/// Takes `prefix` and a number off the text.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view prefix) {
  std::uint32_t number = 0;
  if (!text.starts_with(prefix)) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + prefix.size(), end, number);
  if (read.ec != std::errc()) return std::nullopt;
  text = {read.ptr, end};
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Command> parse_command(std::string_view text) {
  Command command;
  if (take(text, "FACETS")) {
    command.has_facets = true;
  } else if (take(text, "COUNT") || take(text, "UNOPTIMIZED_COUNT")) {
    command.counts = true;
  } else {
    const auto k = take_number(text, "TOP_");
    if (!k) return std::nullopt;
    command.k = *k;
    command.counts = take(text, "_COUNT");
  }
  if (const auto part = take_number(text, "_FILTER_")) {
    command.filter = "part < " + std::to_string(*part);
  }
  return text.empty() ? std::optional(command) : std::nullopt;
}

std::string answer(const warpdex::Searcher& searcher, const Command& command,
                   std::string_view text) {
  warpdex::SearchOptions options;
  options.k = command.k;
  options.count = command.counts;
  options.filter = command.filter;
  if (command.has_facets) options.facets = {{.column = "topic"}};
  options.syntax = warpdex::QuerySyntax::kLucene;
  options.threads = 1;
  const warpdex::Answer found = searcher.search(text, options);
  if (!command.counts && !command.has_facets) return "1";
  std::string line = std::to_string(found.matches);
  for (const warpdex::Facet& facet : found.facets) {
    for (const warpdex::FacetCount& count : facet.top) {
      line += " " + count.value + ":" + std::to_string(count.documents);
    }
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw warpdex::UsageError("say where the index is: do_query INDEX");
  const warpdex::Searcher searcher(argv[1], {.threads = 1});
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const auto command = parse_command(std::string_view(line).substr(0, tab));
    std::string said = "UNSUPPORTED";
    try {
      if (command)
        said = answer(searcher, *command,
                      std::string_view(line).substr(std::min(tab + 1, line.size())));
    } catch (const warpdex::InputError&) {  // what the language or the index has not
    }
    std::cout << said << std::endl;
  }
} catch (const warpdex::Error& error) {
  std::cerr << "do_query: " << error.what() << '\n';
  return 1;
}
