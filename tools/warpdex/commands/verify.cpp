// warpdex verify: reads all of an index and says whether it is whole.
#include "warpdex/verify.hpp"

#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Checks an index: the checksum of every section, that every list decodes to ascending docIDs,\n"
    "and that all counts are those of the manifest; of an index of vectors, that all components\n"
    "are finite and the norms are theirs; of a permutation index, that all permutations and\n"
    "objects are sound. If something is wrong, names the section and ends with status 1.\n"
    "Notes what is no damage: files in the folder that are not the index's, which stand in the "
    "way\n"
    "of changes, and folders that killed builds left beside it.";

/// Returns whether nothing stays that should not.
bool repair(const std::string& folder) {
  const Leftovers leftovers = repair_target(folder);
  if (leftovers.put_back) {
    std::cout << "put back " << folder << ", which a killed build had moved aside\n";
  }
  if (leftovers.removed > 0) {
    std::cout << "removed " << counted(leftovers.removed, "folder")
              << " that killed builds had left beside " << folder << "\n";
  }
  for (const std::string& problem : leftovers.problems) std::cerr << "warpdex: " << problem << "\n";
  return leftovers.problems.empty();
}

std::string counts_of(const IndexCheck& check) {
  const std::string sections = counted(check.sections, "section") + ", ";
  switch (check.content) {
    case IndexContent::kVectors: return sections + counted(check.vectors, "vector");
    case IndexContent::kObjects: return sections + counted(check.objects, "object");
    case IndexContent::kDocuments: break;
  }
  return sections + counted(check.terms, "term") + ", " + counted(check.postings, "posting");
}

/// What is no damage, but should be known before the next change.
void print_notes(const std::string& folder, const IndexCheck& check) {
  if (check.journal_changes > 0) {
    std::cerr << "warpdex: note: the journal of '" << folder << "' has "
              << counted(check.journal_changes, "change")
              << " that no commit has; the next change of the index takes "
              << (check.journal_changes == 1 ? "it" : "them") << " in\n";
  }
  const std::string foreign = foreign_in_index(folder);
  if (!foreign.empty()) {
    std::cerr << "warpdex: note: '" << folder << "' holds more than an index: " << foreign
              << "; move that elsewhere before you change the index\n";
  }
  const std::size_t leftovers = count_leftovers(folder);
  if (leftovers == 0) return;
  std::cerr << "warpdex: note: " << counted(leftovers, "folder") << " of killed builds "
            << (leftovers == 1 ? "lies" : "lie") << " beside '" << folder
            << "'; the next change removes " << (leftovers == 1 ? "it" : "them")
            << ", or --repair now\n";
}

}  // namespace

int run_verify(const std::vector<std::string>& arguments) {
  std::string folder;
  bool wants_repair = false;
  CommandLine command("verify", "INDEX [options]", kAbout);
  command.add_positional("INDEX", &folder, "the folder of an index");
  po::options_description options = option_group("Options");
  options.add_options()("repair", po::bool_switch(&wants_repair),
                        "first clear what killed builds left beside the index, and put it back "
                        "if one had moved it aside; damage is not repaired");
  command.add(options);
  if (!command.parse(arguments)) return 0;
  const bool is_clear = !wants_repair || repair(folder);

  Progress progress = Progress::to_standard_error();
  const IndexCheck check =
      verify(folder, [&](double share) { progress.update("verifying", share); });
  progress.clear();
  for (const std::string& problem : check.problems) std::cerr << "warpdex: " << problem << "\n";
  if (!check.problems.empty()) {
    if (check.is_journal_alone) {
      std::cerr << "warpdex: all but the journal of " << folder << " is whole\n";
    } else if (!check.is_of_other_version) {
      std::cerr << "warpdex: " << folder << " is damaged; build it again\n";
    }
    return 1;
  }
  std::cout << folder << " is whole: " << counts_of(check) << "\n";
  print_notes(folder, check);
  return is_clear ? 0 : 1;
}

}  // namespace warpdex::tools
