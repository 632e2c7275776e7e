#include <hob/abi/monitor.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/raw_file.h"
#include "support/temp_folder.h"
#include "unit/plugins/fake_host.h"

using namespace hob::test;
using Scalars = std::vector<hob_scalar>;

namespace {

void tell(const Instance& monitor, const TempFolder& run, hob_event_kind kind, uint64_t update,
          const Scalars& scalars = {}) {
  const std::string dir = run.path().string();
  hob_event event{};
  event.struct_size = sizeof event;
  event.kind = kind;
  event.update = update;
  event.total_updates = 10;
  event.total_epochs = 1;
  event.samples = 64 * update;
  event.elapsed_s = 0.5;
  event.scalars = scalars.data();
  event.n_scalars = static_cast<uint32_t>(scalars.size());
  event.run_name = "test";
  event.run_dir = dir.c_str();
  monitor.call(&hob_monitor::on_event, &event);
}

// Every line must be JSON to a strict parser.
std::vector<nlohmann::json> rows(const TempFolder& run) {
  std::istringstream in(read_raw(run / "metrics.jsonl"));
  std::vector<nlohmann::json> result;
  for (std::string line; std::getline(in, line);) result.push_back(nlohmann::json::parse(line));
  return result;
}

}  // namespace

TEST_CASE("jsonl writes a line at once for each event that it is told", "[jsonl]") {
  const TempFolder run;
  const Instance jsonl("jsonl");
  tell(jsonl, run, HOB_EVENT_RUN_BEGIN, 0);
  CHECK(rows(run).empty());
  tell(jsonl, run, HOB_EVENT_UPDATE_END, 1, {{"loss", 0.1}, {"lr", 1e-3}});
  REQUIRE(rows(run).size() == 1);  // before anything is closed: a killed run keeps its lines
  tell(jsonl, run, HOB_EVENT_EVAL_END, 1, {{"accuracy", 0.75}});
  const auto all = rows(run);
  CHECK(all[0] == nlohmann::json::parse(R"({"update":1,"event":"update","epoch":0,"samples":64,
                  "elapsed_s":0.5,"scalars":{"loss":0.1,"lr":0.001}})"));
  CHECK(all[1]["event"] == "eval");
  CHECK(all[1]["scalars"]["accuracy"] == 0.75);
}

// case MON-03
TEST_CASE("jsonl is strict JSON for any number and any name", "[jsonl]") {
  const TempFolder run;
  const Instance jsonl("jsonl");
  tell(jsonl, run, HOB_EVENT_RUN_BEGIN, 0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  tell(jsonl, run, HOB_EVENT_UPDATE_END, 1,
       {{"nan", std::nan("")},
        {"inf", kInfinity},
        {"-inf", -kInfinity},
        {"a \"quoted\"\\\n\tname\x01", 1.0},
        {"größe \xf0\x9f\x98\x80", 1e-300},
        {"bad \xff\xc0\x80\xed\xa0\x80 utf-8\xe2\x82", 2.0}});
  const nlohmann::json scalars = rows(run).at(0)["scalars"];
  CHECK(scalars["nan"] == "NaN");
  CHECK(scalars["inf"] == "Infinity");
  CHECK(scalars["-inf"] == "-Infinity");
  CHECK(scalars["a \"quoted\"\\\n\tname\x01"] == 1.0);
  CHECK(scalars["größe \xf0\x9f\x98\x80"] == 1e-300);
  CHECK(scalars.size() == 6);
}

// case MON-01
TEST_CASE("jsonl cuts what a resumed run does again, and a line that a crash cut short",
          "[jsonl]") {
  const TempFolder run;
  {
    const Instance jsonl("jsonl");
    tell(jsonl, run, HOB_EVENT_RUN_BEGIN, 0);
    for (uint64_t u = 1; u <= 10; ++u) tell(jsonl, run, HOB_EVENT_UPDATE_END, u, {{"loss", 1.0}});
  }
  write_raw(run / "metrics.jsonl", read_raw(run / "metrics.jsonl") + "{\"update\":3,\"ev");
  const Instance jsonl("jsonl");
  tell(jsonl, run, HOB_EVENT_RUN_BEGIN, 6);
  for (uint64_t u = 7; u <= 10; ++u) tell(jsonl, run, HOB_EVENT_UPDATE_END, u, {{"loss", 2.0}});
  const auto all = rows(run);
  REQUIRE(all.size() == 10);
  for (uint64_t i = 0; i < 10; ++i) {
    CHECK(all[i]["update"] == i + 1);
    CHECK(all[i]["scalars"]["loss"] == (i < 6 ? 1.0 : 2.0));
  }
}

TEST_CASE("jsonl begins anew with a run that begins anew", "[jsonl]") {
  const TempFolder run;
  write_raw(run / "metrics.jsonl", "{\"update\":3}\nwhat is this\n");
  const Instance jsonl("jsonl");
  tell(jsonl, run, HOB_EVENT_RUN_BEGIN, 0);
  CHECK(read_raw(run / "metrics.jsonl").empty());
}

TEST_CASE("jsonl says which file it cannot write", "[jsonl]") {
  const TempFolder run;
  std::filesystem::create_directory(run / "metrics.jsonl");
  const Instance jsonl("jsonl");
  CHECK_THROWS_WITH(tell(jsonl, run, HOB_EVENT_RUN_BEGIN, 0),
                    Catch::Matchers::ContainsSubstring((run / "metrics.jsonl").string()));
}
