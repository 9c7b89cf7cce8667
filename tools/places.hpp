// Which files may be outputs: none in the folder of an index, and no inputs.
#pragma once

#include <string>
#include <vector>

namespace warpdex::tools {

/// A file in an index's folder would make it one that nothing may replace. Throws UsageError for an
/// output that would lie there. Empty ones and "-" are none.
void check_outputs_outside(const std::string& index, const std::vector<std::string>& outputs);

/// A build replaces its output's folder as a whole. Throws UsageError for an input that lies there;
/// FILE:DATASET is FILE. Those that are not there are somebody else's concern.
void check_inputs_outside(const std::string& output, const std::vector<std::string>& inputs);

/// Throws UsageError for an output that is one of the inputs, by whatever name. Empty ones, "-" and
/// FILE:DATASET are none: datasets are added to a file.
void check_outputs_not_inputs(const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs);

}  // namespace warpdex::tools
