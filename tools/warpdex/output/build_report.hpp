// What a build passed over or changed, for `warpdex index` and `warpdex add`.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "output/json.hpp"
#include "output/progress.hpp"
#include "warpdex/indexer/build/index_builder.hpp"

namespace warpdex::tools {

/// Tells on standard error of documents that are left out as bad: the first ten one by one, then
/// how many more.
class SkippedDocuments {
 public:
  /// Lines go above the progress that is shown, which must outlive this.
  explicit SkippedDocuments(Progress& progress) : progress_(progress) {}
  void tell(const std::string& message);
  void tell_rest() const;

 private:
  Progress& progress_;
  std::uint64_t count_ = 0;
};

/// A line for each kind of things that folders hold and that are no documents, with the paths of
/// the first, and one for weights that were raised to the smallest impact; none for what was not
/// there.
void print_passed_over(const BuildReport& report, std::ostream& out);

/// What print_passed_over() tells, as members "raised_weights" and "left_out" of the object that
/// `json` is in.
void write_passed_over(const BuildReport& report, JsonWriter& json);

/// The counts of a build, with these, as members of the object that `json` is in.
void write_build(const BuildReport& report, JsonWriter& json);

}  // namespace warpdex::tools
