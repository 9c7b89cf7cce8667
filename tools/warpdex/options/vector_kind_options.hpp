// The options that say how vectors of a new index are found: the kind, its lists and its codes.
#pragma once

#include <cstdint>
#include <string>

#include "options/options.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {

/// Options of commands that build: declared in groups, read after CommandLine::parse().
class VectorKindOptions {
 public:
  /// `option` names the kind: "index".
  explicit VectorKindOptions(std::string option) : option_(std::move(option)) {}

  void add_kind_to(po::options_description& group);
  /// --lists, --train and --seed.
  void add_lists_to(po::options_description& group);
  /// --bits.
  void add_bits_to(po::options_description& group);
  /// A group for each of product and binary codes. `has_dimension`: also --opq-dimension.
  void add_codes_to(CommandLine& command, bool has_dimension = false);

  const std::string& kind() const { return kind_; }
  /// Throws UsageError for an unknown kind, for numbers out of range, and for options that are for
  /// other kinds.
  NewVectorIndex settings(const CommandLine& command) const;
  /// Throws UsageError, which says what for, if one of the options was given.
  void refuse_all(const CommandLine& command, const std::string& purpose) const;
  /// Throws UsageError if an option was given that does not suit the kind: `purpose` names what it
  /// is for.
  static void check(const CommandLine& command, bool suits,
                    std::initializer_list<const char*> options, const std::string& purpose);

 private:
  void check_options(const NewVectorIndex& settings, const CommandLine& command) const;

  std::string option_;
  std::string kind_ = "flat";
  std::int64_t lists_ = 0;
  std::int64_t train_ = 0;
  std::uint64_t seed_ = 1;
  std::int64_t bytes_ = 0;
  std::int64_t bits_ = 0;
  bool opq_ = false;
  std::int64_t opq_dimension_ = 0;
  bool rotate_ = false;
  bool correct_ = false;
  double clip_ = 0;
};

}  // namespace warpdex::tools
