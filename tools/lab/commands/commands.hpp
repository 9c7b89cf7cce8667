// The commands of warpdex-lab.
#pragma once

#include <string>
#include <vector>

namespace warpdex::tools {

int run_codecs(const std::vector<std::string>& arguments);
int run_generate(const std::vector<std::string>& arguments);
int run_http(const std::vector<std::string>& arguments);

}  // namespace warpdex::tools
