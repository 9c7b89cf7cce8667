// Reads options of commands that write an index.
#include "options/build_options.hpp"

#include "options/options.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/index_builder.hpp"

namespace warpdex::tools {

std::uint64_t parse_build_memory(const std::string& text) {
  const std::uint64_t memory = parse_size("--memory", text);
  if (memory >= kMinBuildMemory) return memory;
  throw UsageError("--memory " + text + " is too little; give 64M or more");
}

bool skips_bad_documents(const std::string& text) {
  if (text == "fail" || text == "skip") return text == "skip";
  throw UsageError("--on-bad-document takes fail or skip, not '" + text + "'");
}

std::string known_analyzers() {
  std::string text;
  for (const std::string& name : analyzer_names()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace warpdex::tools
