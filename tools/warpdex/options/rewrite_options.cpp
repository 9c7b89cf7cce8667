// Declares and reads the options, and shows progress.
#include "options/rewrite_options.hpp"

#include <iostream>

#include "options/build_options.hpp"
#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex::tools {

void RewriteArguments::add_to(CommandLine& command) {
  command.add_positional("INDEX", &input_, "the folder of an index");
  po::options_description work = option_group("Work");
  work.add_options()("output", po::value(&output_)->value_name("DIR")->required(), output_meaning_)(
      "memory", po::value(&memory_)->value_name("SIZE")->default_value(memory_),
      "memory to stay within, as 512M or 2GiB; at least 64M")(
      "quiet", po::bool_switch(&quiet_), "no progress and no report; errors are still told");
  add_threads_option(work, &threads_);
  command.add(work);
}

RewriteOptions RewriteArguments::options(Progress& progress) const {
  RewriteOptions options;
  if (input_.empty()) throw UsageError("INDEX is empty; name the folder of an index");
  if (output_.empty()) throw UsageError("--output is empty; name the folder of the new index");
  options.input = input_;
  options.output = output_;
  options.memory = parse_build_memory(memory_);
  options.threads = checked_threads(threads_);
  options.on_progress = [&progress, quiet = quiet_](const RewriteProgress& state) {
    InterruptGuard::check();
    if (!quiet) show(progress, state);
  };
  return options;
}

RewrittenFolder::RewrittenFolder(const RewriteArguments& arguments)
    : output_(resolve_target(arguments.output())), bytes_before_(folder_bytes(arguments.input())) {
  std::error_code ignored;
  is_current_ = std::filesystem::equivalent(output_, ".", ignored);
}

void show(Progress& progress, const RewriteProgress& state) {
  const bool is_writing = state.stage == "writing";
  progress.update(std::string(state.stage), is_writing ? counted(state.done, "posting") : "",
                  state.done, state.total,
                  is_writing ? Progress::Unit::kItems : Progress::Unit::kSteps);
}

std::uint64_t folder_bytes(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const std::uint64_t size = entry->file_size(ignored);
    if (!ignored && entry->is_regular_file(ignored)) bytes += size;
  }
  return bytes;
}

}  // namespace warpdex::tools
