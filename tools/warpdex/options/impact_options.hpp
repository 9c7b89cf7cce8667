// The options on impacts of commands that write an index.
#pragma once

#include <optional>

#include "options/options.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::tools {

/// Declared once, read after CommandLine::parse().
class ImpactOptions {
 public:
  /// Adds --impacts, --impact-k1 and --impact-b.
  void add_to(po::options_description& group);
  /// Likewise where an index has frequencies already.
  void add_change_to(po::options_description& group);
  /// Adds --weights.
  void add_weights_to(po::options_description& group);
  /// Whether --impacts was given.
  bool impacts() const { return impacts_; }
  /// What they say; none: lists hold frequencies. Throws UsageError for what they cannot.
  std::optional<ImpactSettings> settings(const CommandLine& command) const;

 private:
  void add_to(po::options_description& group, const char* help);

  bool impacts_ = false;
  bool weights_ = false;
  double k1_ = ImpactSettings{}.k1;
  double b_ = ImpactSettings{}.b;
};

}  // namespace warpdex::tools
