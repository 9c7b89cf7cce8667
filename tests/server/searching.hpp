// An index, and what handlers work with, for tests of searches without a connection.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "opensearch/search/scrolls.hpp"
#include "services/services.hpp"
#include "v1/face.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::server {

/// Takes one answer.
class KeptExchange final : public Exchange {
 public:
  void respond(Response response) override { kept_.set_value(std::move(response)); }
  void begin(Response) override {}
  void write(std::string_view) override {}
  void end() override {}
  Response wait() { return kept_.get_future().get(); }

 private:
  std::promise<Response> kept_;
};

/// A folder with one index, "texts", whose documents are "alpha", and services over it with one
/// thread for searches.
class Searching : public ::testing::Test {
 protected:
  static constexpr int kDocuments = 20;

  void SetUp() override { exchange->route = &route; }

  std::string metrics_text() const {
    std::string text;
    metrics.write(text);
    return text;
  }

  struct Folder {
    Folder() {
      std::string name = ::testing::TempDir() + "warpdex-searching-XXXXXX";
      if (::mkdtemp(name.data()) == nullptr) throw IoError("no folder can be made");
      path = name;
      Writer writer(path / "texts");
      for (int i = 0; i < kDocuments; ++i) {
        writer.add({.id = "d" + std::to_string(i), .text = "alpha"});
      }
      writer.commit();
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
  };

  Folder folder;
  ServerOptions options{.folders = {folder.path}};
  const Route route{.pattern = "/", .face = &v1::kFace};
  WorkPool writers{"writer", 1, 100};
  WorkPool work{"work", 1, 100};
  Catalog catalog{options.folders, {}, writers};
  Dispatcher dispatcher{{.threads = 1, .queue = 100}};
  Metrics metrics{std::span(&route, 1)};
  LogFile slow_log{""};
  opensearch::Scrolls scrolls;
  std::atomic<bool> is_draining = false;
  Services services{options, catalog, dispatcher, work, metrics, slow_log, scrolls, is_draining};
  IndexPtr index = catalog.find("texts");
  std::shared_ptr<KeptExchange> exchange = std::make_shared<KeptExchange>();
};

}  // namespace warpdex::server
