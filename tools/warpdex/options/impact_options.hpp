// The options on impacts of commands that write an index.
#pragma once

#include <optional>

#include "options/options.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex::tools {

/// Declared once, read after CommandLine::parse().
class ImpactOptions {
 public:
  /// Adds --impacts, --impact-k1, --impact-b and --weights.
  void add_to(po::options_description& group);
  /// What they say; none: lists hold frequencies. Throws UsageError for what they cannot.
  std::optional<ImpactSettings> settings(const CommandLine& command) const;

 private:
  bool impacts_ = false;
  bool weights_ = false;
  double k1_ = ImpactSettings{}.k1;
  double b_ = ImpactSettings{}.b;
};

}  // namespace warpdex::tools
