// Reads options of commands that write an index.
#include "options/build_options.hpp"

#include "options/options.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

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

std::string text_of_file(const std::string& path) {
  LineReader lines(path);
  std::string text;
  for (std::string line; lines.next(line);) text += line + '\n';
  return text;
}

Schema read_schema(const std::string& path) {
  const std::string text = text_of_file(path);
  try {
    return parse_schema(text);
  } catch (const UsageError& error) {
    throw UsageError("--schema " + path + ": " + error.what());
  }
}

std::string known_analyzers() {
  std::string text;
  for (const std::string& name : analyzer_names()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace warpdex::tools
