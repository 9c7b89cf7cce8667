// warpdex verify: reads all of an index and says whether it is whole.
#include "warpdex/indexer/format/verify.hpp"

#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/target.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

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

/// Whether an index with problems is of another version, and so not damaged.
bool is_of_other_version(const std::string& folder) {
  try {
    if (vector::is_vector_index(folder)) {
      vector::VectorIndex::open(folder);
    } else if (metric::is_metric_index(folder)) {
      metric::MetricIndex::open(folder);
    } else {
      Snapshot::open(folder);
    }
  } catch (const VersionError&) {
    return true;
  } catch (const Error&) {  // told as a problem
  }
  return false;
}

/// What is no damage, but should be known before the next change.
void print_notes(const std::string& folder) {
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
  const auto show = [&](double share) { progress.update("verifying", share); };
  std::vector<std::string> problems;
  std::string whole = folder + " is whole: ";
  if (vector::is_vector_index(folder)) {
    const vector::VectorVerifyReport report = vector::verify_vectors(folder, show);
    problems = report.problems;
    whole += counted(report.sections, "section") + ", " + counted(report.rows, "vector");
  } else if (metric::is_metric_index(folder)) {
    const metric::MetricVerifyReport report = metric::verify_metric(folder, show);
    problems = report.problems;
    whole += counted(report.sections, "section") + ", " + counted(report.objects, "object");
  } else {
    const VerifyReport report = verify_index(folder, show);
    problems = report.problems;
    whole += counted(report.sections, "section") + ", " + counted(report.terms, "term") + ", " +
             counted(report.postings, "posting");
  }
  progress.clear();
  for (const std::string& problem : problems) std::cerr << "warpdex: " << problem << "\n";
  if (!problems.empty()) {
    if (!is_of_other_version(folder)) {
      std::cerr << "warpdex: " << folder << " is damaged; build it again\n";
    }
    return 1;
  }
  std::cout << whole << "\n";
  print_notes(folder);
  return is_clear ? 0 : 1;
}

}  // namespace warpdex::tools
