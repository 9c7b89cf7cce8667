// Encoded lists decoded on the GPU, and compared with what they must decode to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/codecs/lists.hpp"

namespace warpdex::test {

/// Which device decoder: whole blocks of docIDs or of values, or the values of each block singly,
/// by one thread.
enum class What {
  kDocids,
  kValues,
  kUsualValues,  ///< usual blocks by usual_values()
  kEachAlone,
};

/// A list, what it must decode to, and what to say if it does not.
struct DeviceCase {
  Values values;
  EncodedValues encoded;
  std::string name;
};

/// A block to decode.
struct DeviceJob {
  std::uint32_t list;
  std::uint32_t block;
};

/// Decodes all blocks of all lists at once, and compares.
class DeviceDecoding {
 public:
  explicit DeviceDecoding(const CodecSettings& settings) : settings_(settings) {}

  void add(Values values, EncodedValues encoded, const std::string& name) {
    cases_.push_back({std::move(values), std::move(encoded), name});
  }

  /// By the device. Does nothing for codecs that have no such decoder.
  void check(What what) const;
  /// That the host's decoder agrees with the expected values, too.
  void check_host_docids(std::mt19937_64& random) const;
  void check_host_values(std::mt19937_64& random) const;

 private:
  void compare(What what, const std::vector<DeviceJob>& jobs, const Values& got) const;

  CodecSettings settings_;
  std::vector<DeviceCase> cases_;
};

}  // namespace warpdex::test
