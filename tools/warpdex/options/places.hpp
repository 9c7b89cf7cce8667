// Which files may be outputs: none in the folder of an index, and no inputs.
#pragma once

#include <string>
#include <vector>

namespace warpdex::tools {

/// Throws UsageError for an output that would lie in an index's folder, which could then not be
/// replaced any more. Empty names and "-" are passed over.
void check_outputs_outside(const std::string& index, const std::vector<std::string>& outputs);

/// A build replaces its output's folder as a whole. Throws UsageError for an input that lies there;
/// FILE:DATASET counts as FILE. Inputs that do not exist are passed over.
void check_inputs_outside(const std::string& output, const std::vector<std::string>& inputs);

/// Throws UsageError for an output that is the same file as one of the inputs. Empty names, "-" and
/// FILE:DATASET are passed over: a dataset is added to its file.
void check_outputs_not_inputs(const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs);

}  // namespace warpdex::tools
