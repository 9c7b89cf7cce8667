// Command lines: what all subcommands share of declaring, parsing and explaining their options.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace warpdex::tools {

namespace po = boost::program_options;

/// A group of options with the layout that every --help has.
po::options_description option_group(const std::string& caption);

/// A subcommand's command line. Options store into variables of the caller when parse() ends.
class CommandLine {
 public:
  /// `synopsis` is what stands after "warpdex NAME"; `about` and `notes` are paragraphs before and
  /// after the options.
  CommandLine(std::string name, std::string synopsis, std::string about, std::string notes = "");

  /// Adds a group of options, shown under its caption.
  void add(const po::options_description& group);
  /// The next positional argument: a required one. `help` is shown among the options' texts.
  void add_positional(const std::string& name, std::string* target, const std::string& help);
  /// All further positional arguments.
  void add_rest(const std::string& name, std::vector<std::string>* target, const std::string& help);
  /// Sets the advice in the error for an argument that belongs to no option. Default: --help.
  void advise_on_surplus(const std::string& advice) { surplus_advice_ = advice; }

  /// Parses. False if --help was asked for: it has been printed, and there is nothing more to do.
  /// Throws UsageError, which points at --help, for anything that cannot be taken.
  bool parse(const std::vector<std::string>& arguments);

  /// Whether the option was given, and not only defaulted. After parse().
  bool given(const std::string& option) const;

 private:
  void print_help() const;
  std::string help_advice() const;

  std::string name_;
  std::string synopsis_;
  std::string about_;
  std::string notes_;
  po::options_description shown_;
  po::options_description positional_options_;
  po::positional_options_description positional_;
  std::vector<std::pair<std::string, std::string>> positional_help_;
  bool takes_rest_ = false;
  std::string surplus_advice_;
  po::variables_map values_;
};

/// The value of an option that takes the file of an output, where "-" is standard output. What else
/// names that, as /dev/stdout and /dev/fd/1 do, becomes "-".
po::typed_value<std::string>* output_value(std::string* target);

/// Options that many commands have, added to a group of theirs.
void add_threads_option(po::options_description& group, std::int64_t* threads);
/// `what` is written there: "figures", "report".
void add_json_option(po::options_description& group, const std::string& what, std::string* path);
void add_quiet_option(po::options_description& group, bool* quiet);

/// UsageError if more than one of these options was given "-", which stands for `stream` ("standard
/// input"): there is only one. Each option with its value.
void check_shared_stream(const std::string& stream,
                         std::initializer_list<std::pair<const char*, std::string>> options);

/// UsageError if one of the values of --input is empty.
void check_inputs_named(const std::vector<std::string>& inputs);

/// `value` if it lies in [low, high]; UsageError naming the option and the range if not.
std::uint32_t checked_number(const std::string& option, std::int64_t value, std::int64_t low,
                             std::int64_t high = std::numeric_limits<std::uint32_t>::max());

/// The whole number, from 1 to 2^32 - 1, that is a part of a list; UsageError naming the option for
/// others.
std::uint32_t whole_number_of(const std::string& option, const std::string& text);

/// The value of --threads, 0 to 1024.
std::uint32_t checked_threads(std::int64_t value);

/// A size in bytes: digits with an optional fraction and an optional unit, K, M, G, T (powers of
/// 1024, as are KiB and the like; KB, MB, GB, TB are powers of 1000). UsageError for others
/// and from 9e18 bytes on.
std::uint64_t parse_size(const std::string& option, const std::string& text);

/// "a, b,c" to its parts, without the blanks around them; empty parts are dropped.
std::vector<std::string> split_list(const std::string& text);
/// The same of an option's value; UsageError where there is text and no part.
std::vector<std::string> split_list(const std::string& option, const std::string& text);

}  // namespace warpdex::tools
