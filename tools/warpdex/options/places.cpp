// Compares places by the folders that they lead to.
#include "options/places.hpp"

#include <filesystem>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex::tools {

namespace fs = std::filesystem;

void check_outputs_outside(const std::string& index, const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs) {
    if (output.empty() || output == "-") continue;
    // Links are followed, as the writers do. A dataset's path may look like folders.
    std::error_code ignored;
    fs::path folder = fs::weakly_canonical(fs::absolute(output, ignored), ignored).parent_path();
    while (folder.has_relative_path() && !fs::exists(folder, ignored))
      folder = folder.parent_path();
    if (lies_within(folder, index)) {
      throw UsageError("the output '" + output + "' lies in the index '" + index +
                       "', which may hold nothing else; choose another place");
    }
  }
}

void check_inputs_outside(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (input == "-") continue;
    for (const std::string& file : {input, input.substr(0, input.rfind(':'))}) {
      if (file.empty() || !lies_within(file, output)) continue;
      throw UsageError("the input '" + file + "' lies in the output '" + output +
                       "', which is replaced as a whole; move it elsewhere or choose another "
                       "output");
    }
  }
}

void check_outputs_not_inputs(const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs) {
  for (const std::string& input : inputs) {
    for (const std::string& output : outputs) {
      std::error_code ignored;
      if (!fs::equivalent(input, output, ignored)) continue;
      throw UsageError("'" + output + "' is an input; choose another output");
    }
  }
}

}  // namespace warpdex::tools
