// The folder that warpdex-lab generate writes, and what in it may be replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace warpdex::tools {

/// An index, a file of queries, and generated.json, which holds the checksum of these queries. What
/// was not made by generate, or was changed since, is never replaced: an index is generate's if its
/// settings say so, queries if their checksum is in the mark.
class GeneratedFolder {
 public:
  /// The queries are to be `queries`: queries.tsv or queries.jsonl. Changes nothing. Throws
  /// UsageError, naming it, if something is there that would have to be replaced and is not
  /// generate's.
  GeneratedFolder(std::filesystem::path folder, std::string queries);

  std::filesystem::path index() const { return folder_ / "index"; }
  std::filesystem::path queries() const { return folder_ / queries_; }

  /// Replaces the queries, also those of the other name, and marks them. A process that dies on the
  /// way leaves a folder that the next one takes. Throws as the constructor does, and IoError.
  void write_queries(std::string_view text);

 private:
  /// Checksums of queries that generate wrote: two while a new file takes the place of an old one.
  struct Mark {
    std::optional<std::uint64_t> queries;
    std::optional<std::uint64_t> earlier_queries;
  };

  std::filesystem::path mark() const { return folder_ / "generated.json"; }
  Mark read_mark() const;
  void write_mark(const Mark& mark) const;
  void check_index() const;
  std::optional<std::uint64_t> check_queries() const;

  std::filesystem::path folder_;
  std::string queries_;
};

}  // namespace warpdex::tools
