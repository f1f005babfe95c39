#include "host/report/page.h"

#include <catch2/catch.hpp>
#include <regex>

#include "host/report/chart.h"
#include "host/report/clock_shares.h"
#include "host/report/figures.h"
#include "tests/report/some_runs.h"

namespace systole::tests {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

// Every opened element is closed, in order: the first thing an XML parser checks.
bool well_formed(const std::string& svg) {
  static const std::regex tag("<(/?)([a-z]+)([^>]*)>");
  std::vector<std::string> open;
  for (std::sregex_iterator it(svg.begin(), svg.end(), tag), end; it != end; ++it) {
    const std::string attributes = (*it)[3];
    if ((*it)[1] == "/") {
      if (open.empty() || open.back() != (*it)[2]) return false;
      open.pop_back();
    } else if (attributes.empty() || attributes.back() != '/') {
      open.push_back((*it)[2]);
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("a comparison draws all its figures, well-formed and in bounds", "[report]") {
  const auto figures = draw_figures(some_comparison());
  std::vector<std::string> names;
  for (const Figure& figure : figures) {
    names.push_back(figure.name);
    const std::string svg = figure.svg.file(figure.title);
    INFO(svg);
    CHECK(well_formed(svg));
    CHECK_THAT(svg, !Catch::Contains("nan") && !Catch::Contains("inf"));
    CHECK_FALSE(figure.caption.empty());
  }
  CHECK(names == std::vector<std::string>{"training-time", "epoch-by-batch-size", "clocks",
                                          "accuracy-by-epoch", "first-epoch", "loss-by-step"});
}

TEST_CASE("figures of one run, one step and no progress are drawn too", "[report]") {
  Comparison comparison{.runs = {some_run("cpu")}};
  comparison.runs[0].losses = {0.0};
  comparison.runs[0].later_step_seconds = 0;
  comparison.runs[0].test_accuracy.reset();
  for (const Figure& figure : draw_figures(comparison)) {
    const std::string svg = figure.svg.file(figure.title);
    INFO(svg);
    CHECK(well_formed(svg));
    CHECK_THAT(svg, !Catch::Contains("nan") && !Catch::Contains("inf"));
  }
}

TEST_CASE("the shares of a run's clocks add up to 1", "[report]") {
  RecordedRun run = some_run("model");
  run.utilization = 0.5;
  run.stalls = {.load = 30'000, .store = 20'000, .weights = 10'000, .sums = 5'000, .idle = 1'000};
  double sum = 0;
  for (const ClockShare& share : clock_shares(run)) sum += share.share;
  CHECK(sum == Approx(1));
  CHECK(clock_shares(run)[1].share == Approx(0.28));  // rows that entered, less what was useful
}

TEST_CASE("the page is self-contained", "[report]") {
  const std::string page = report_page(some_comparison());
  for (const char* outside : {"http://", "https://", "src=", "href=", "url(", "@import"}) {
    std::string text = page;
    // SVG's namespace is a URL that nobody fetches.
    const std::string name = "http://www.w3.org/2000/svg";
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.erase(at, name.size());
    }
    CHECK_THAT(text, !Catch::Contains(outside));
  }
  CHECK(count(page, "<figure") == 6);
  CHECK(count(page, "<svg") == 6);
  for (const char* inside : {"The device wins from batch size 128 on", "assumed", "@media print",
                             "prefers-color-scheme: dark",
                             "systole compare mnist-mlp --dataset mnist --devices model"}) {
    CHECK_THAT(page, Catch::Contains(inside));
  }
}

TEST_CASE("a run on several cores is reproduced by train", "[report]") {
  nlohmann::ordered_json record = some_record("model", 32);
  record["cores"] = {{"count", 2}};
  record["config"]["augmentation"] = "flip, crop 4";
  const std::string page = report_page({.runs = {read_run(record, "a record")}});
  CHECK_THAT(page, Catch::Contains("model, 2 cores, 16 x 16 array") &&
                       Catch::Contains("systole train mnist-mlp --dataset mnist --device model "
                                       "--batch-size 32 --cores 2 --augment flip,crop"));
  CHECK(peak_gflops(read_run(record, "a record")) == 2 * peak_gflops(some_run("model", 32)));
}

TEST_CASE("a run of a framework is reproduced by its own program", "[report]") {
  auto record = some_record("model", 32);
  record["config"]["framework"] = "keras 3";
  const Comparison comparison{.runs = {read_run(record, "a record")}};
  CHECK_THAT(report_page(comparison),
             Catch::Contains("bf16, products alone: run its program in keras 3") &&
                 !Catch::Contains("systole compare"));
}

TEST_CASE("names in a record cannot inject HTML", "[report]") {
  Comparison comparison = some_comparison();
  for (RecordedRun& run : comparison.runs) run.dataset = "<script>alert(1)</script>";
  CHECK_THAT(report_page(comparison), !Catch::Contains("<script"));
}

TEST_CASE("numbers have three digits, and axes round ticks", "[report]") {
  CHECK(three_digits(0) == "0");
  CHECK(three_digits(0.01234) == "0.0123");
  CHECK(three_digits(1.234) == "1.23");
  CHECK(three_digits(99.96) == "100");
  CHECK(three_digits(1234.5) == "1234");
  CHECK(Axis::linear("", 0, 9.7).ticks == std::vector<double>{0, 2, 4, 6, 8});
  const Axis axis = Axis::logarithm("", 0.1, 10);
  CHECK(axis.share(axis.low) == Approx(0).margin(1e-9));
  CHECK(axis.share(axis.high) == Approx(1));
  CHECK(axis.ticks == std::vector<double>{0.1, 0.2, 0.5, 1, 2, 5, 10});
  CHECK(Axis::logarithm("", 2.1, 2.6).ticks == std::vector<double>{2, 2.2, 2.4, 2.6});
}

}  // namespace systole::tests
