// Looks at places, and at what became of the index meanwhile.
#include "rewrite/source.hpp"

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/same_sections.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex::rewrite {
namespace {

namespace fs = std::filesystem;

bool is_same_index(const Index& one, const Index& other) {
  return are_same_sections(one.section_infos(), other.section_infos());
}

}  // namespace

void check_places(const fs::path& input, const fs::path& output) {
  const fs::path target = resolve_target(output);
  const fs::path source = resolve_target(input);
  if (target == source) return;
  std::error_code ignored;
  for (fs::path folder = target.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (folder == source || fs::equivalent(folder, source, ignored)) {
      throw UsageError("the output '" + output.string() + "' lies in the index '" + input.string() +
                       "'; choose a folder elsewhere");
    }
  }
}

Index open_again(const Index& opened_before, const fs::path& output) {
  Index index = Index::open(opened_before.folder());
  std::error_code ignored;
  if (fs::equivalent(opened_before.folder(), output, ignored) &&
      !is_same_index(opened_before, index)) {
    throw IoError("the index '" + opened_before.folder().string() +
                  "' was replaced by another build meanwhile; try again");
  }
  return index;
}

}  // namespace warpdex::rewrite
