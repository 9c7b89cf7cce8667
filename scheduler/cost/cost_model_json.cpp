// The stored form of cost models: see docs/scheduler.md.
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/json_numbers.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/scheduler/cost_model.hpp"

namespace warpdex {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using rapidjson::Value;

constexpr const char* kFormat = "warpdex-costs";
constexpr unsigned kVersion = 4;
constexpr const char* kAdvice = "run 'warpdex calibrate' again, or remove the file";
constexpr std::size_t kMaxNodes = 4096;
/// Smaller weights are left out, and so read as 0: has_long_exponent() would refuse them.
constexpr double kMinWeight = 1e-90;

constexpr std::array<std::string_view, kFeatures> kFeatureNames{"constant",
                                                                "terms",
                                                                "shortest",
                                                                "second_shortest",
                                                                "sum",
                                                                "probes",
                                                                "root_of_probes",
                                                                "essential",
                                                                "root_of_essential",
                                                                "blocks",
                                                                "seed_share",
                                                                "root_of_k",
                                                                "k_terms",
                                                                "missing_bytes",
                                                                "longest",
                                                                "k",
                                                                "essential_lists",
                                                                "longest_essential",
                                                                "shortest_other",
                                                                "candidates",
                                                                "touched_blocks",
                                                                "matches",
                                                                "first_matches",
                                                                "probed_blocks"};

void write_text(Writer& json, std::string_view text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write_tree(Writer& json, const char* name, const ModelTree& tree) {
  json.Key(name);
  json.StartArray();
  for (const ModelTree::Node& node : tree.nodes) {
    json.StartObject();
    if (node.feature >= 0) {
      json.Key("feature");
      write_text(json, kFeatureNames[static_cast<std::size_t>(node.feature)]);
      json.Key("value");
      json.Double(node.value);
      json.Key("left");
      json.Uint(node.left);
      json.Key("right");
      json.Uint(node.right);
    } else {
      if (node.is_product) {
        json.Key("low");
        json.Double(node.low);
        json.Key("high");
        json.Double(node.high);
      }
      json.Key("weights");
      json.StartObject();
      for (std::size_t i = 0; i < kFeatures; ++i) {
        if (std::abs(node.weights[i]) < kMinWeight) continue;
        write_text(json, kFeatureNames[i]);
        json.Double(node.weights[i]);
      }
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
}

void write_index(Writer& json, const Snapshot& snapshot) {
  json.Key("documents");
  json.Uint64(snapshot.statistics().documents);
  json.Key("tokens");
  json.Uint64(snapshot.statistics().tokens);
  json.Key("commit");
  json.Uint64(snapshot.commit());
}

/// Reads one file; every failed check says which file it is.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  void check(bool is_right) const {
    if (is_right) return;
    throw FormatError("'" + name_ + "' is damaged, or holds no costs of queries; " + kAdvice);
  }
  void check_version(const Value& version) const {
    check(version.IsUint64());
    warpdex::check_version("'" + name_ + "' is", version.GetUint64(), kVersion, kVersion, kAdvice);
  }
  const Value& member(const Value& object, const char* name) const {
    check(object.IsObject() && object.HasMember(name));
    return object[name];
  }
  double number(const Value& object, const char* name) const {
    const Value& value = member(object, name);
    check(value.IsNumber() && std::isfinite(value.GetDouble()));
    return value.GetDouble();
  }
  std::size_t feature(const std::string& name) const {
    const auto found = std::find(kFeatureNames.begin(), kFeatureNames.end(), name);
    check(found != kFeatureNames.end());
    return static_cast<std::size_t>(found - kFeatureNames.begin());
  }

  ModelTree tree(const Value& object, const char* name) const {
    const Value& nodes = member(object, name);
    check(nodes.IsArray() && nodes.Size() > 0 && nodes.Size() <= kMaxNodes);
    ModelTree tree;
    for (const Value& node : nodes.GetArray()) {
      check(node.IsObject());
      tree.nodes.push_back(
          node.HasMember("weights") ? leaf(node) : inner(node, tree.nodes.size(), nodes.Size()));
    }
    return tree;
  }

 private:
  ModelTree::Node leaf(const Value& object) const {
    ModelTree::Node node;
    node.is_product = object.HasMember("low");
    if (node.is_product) {
      node.low = number(object, "low");
      node.high = number(object, "high");
      check(node.low > 0 && node.low <= node.high);
    }
    const Value& weights = member(object, "weights");
    check(weights.IsObject());
    for (const auto& weight : weights.GetObject()) {
      check(weight.value.IsNumber() && std::isfinite(weight.value.GetDouble()));
      node.weights[feature(weight.name.GetString())] = weight.value.GetDouble();
    }
    return node;
  }

  /// Children must come after their parents, so that a walk ends.
  ModelTree::Node inner(const Value& object, std::size_t place, std::size_t nodes) const {
    const Value& name = member(object, "feature");
    check(name.IsString());
    ModelTree::Node node;
    node.feature = static_cast<std::int32_t>(feature(name.GetString()));
    node.value = number(object, "value");
    for (const auto& [child, target] :
         {std::pair("left", &node.left), std::pair("right", &node.right)}) {
      const Value& value = member(object, child);
      check(value.IsUint() && value.GetUint() > place && value.GetUint() < nodes);
      *target = value.GetUint();
    }
    return node;
  }

  std::string name_;
};

rapidjson::Document parse(const std::string& json, const Reader& reader) {
  reader.check(!has_long_exponent(json));
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(json.data(),
                                                                                      json.size());
  reader.check(!document.HasParseError() && document.IsObject());
  const Value& format = reader.member(document, "format");
  reader.check(format.IsString() && std::string_view(format.GetString()) == kFormat);
  reader.check_version(reader.member(document, "version"));
  return document;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  try {
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {  // thrown where reading fails, as for a folder
  }
  throw IoError("cannot read '" + path.string() + "'; check that it is a file that you may read");
}

/// The index that stored costs belong to: this one (kCalibrated), this one before it changed
/// (kOlder), or another (kRough). Each commit raises an index's number of commits; an index that is
/// built in its place starts at 0.
CostOrigin origin_of(const rapidjson::Document& document, const Reader& reader,
                     const Snapshot& snapshot) {
  const auto count = [&](const char* name) {
    const Value& value = reader.member(document, name);
    reader.check(value.IsUint64());
    return value.GetUint64();
  };
  if (count("commit") < snapshot.commit()) return CostOrigin::kOlder;
  const bool is_same = count("documents") == snapshot.statistics().documents &&
                       count("tokens") == snapshot.statistics().tokens;
  return is_same ? CostOrigin::kCalibrated : CostOrigin::kRough;
}

}  // namespace

std::filesystem::path cost_file_of(const std::filesystem::path& folder) {
  std::filesystem::path file = folder.lexically_normal();
  if (!file.has_filename()) file = file.parent_path();
  file += ".costs.json";
  return file;
}

std::string cost_model_to_json(const CostModel& model, const Snapshot& snapshot) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("format");
  json.String(kFormat);
  json.Key("version");
  json.Uint(kVersion);
  write_index(json, snapshot);
  json.Key("classes");
  json.StartObject();
  for (std::size_t i = 0; i < kQueryClasses; ++i) {
    const ClassModels& models = model.models(i);
    write_text(json, query_class_name(i));
    json.StartObject();
    write_tree(json, "cpu", models.cpu);
    write_tree(json, "gpu_alone", models.gpu_alone);
    write_tree(json, "gpu_share", models.gpu_share);
    json.Key("gpu_base");
    json.Double(models.gpu_base);
    json.Key("cpu_idle");
    json.Double(models.cpu_idle);
    json.Key("gpu_idle");
    json.Double(models.gpu_idle);
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

CostModel cost_model_from_json(const std::string& json, const std::string& name) {
  const Reader reader(name);
  const rapidjson::Document document = parse(json, reader);
  const Value& classes = reader.member(document, "classes");
  CostModel model;
  model.set_origin(CostOrigin::kCalibrated);
  for (std::size_t i = 0; i < kQueryClasses; ++i) {
    const Value& stored = reader.member(classes, std::string(query_class_name(i)).c_str());
    ClassModels& models = model.models(i);
    models.cpu = reader.tree(stored, "cpu");
    models.gpu_alone = reader.tree(stored, "gpu_alone");
    models.gpu_share = reader.tree(stored, "gpu_share");
    models.gpu_base = reader.number(stored, "gpu_base");
    models.cpu_idle = reader.number(stored, "cpu_idle");
    models.gpu_idle = reader.number(stored, "gpu_idle");
    reader.check(models.gpu_base >= 0 && models.cpu_idle > 0 && models.gpu_idle > 0);
  }
  return model;
}

CostModel load_cost_model(const Snapshot& snapshot, double speed) {
  const std::filesystem::path path = cost_file_of(snapshot.folder());
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return CostModel(speed);
  const std::string json = read_text(path);
  const Reader reader(path.string());
  const rapidjson::Document document = parse(json, reader);
  const CostOrigin origin = origin_of(document, reader, snapshot);
  if (origin == CostOrigin::kRough) return CostModel(speed);
  CostModel model = cost_model_from_json(json, path.string());
  model.set_origin(origin);
  return model;
}

}  // namespace warpdex
