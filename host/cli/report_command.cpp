#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/file_options.h"
#include "host/data/atomic_file.h"
#include "host/report/comparison_table.h"
#include "host/report/figure_files.h"
#include "host/report/page.h"

namespace systole {
namespace {

struct ReportOptions {
  std::vector<std::string> records;
  std::string page = "report.html";
  std::string plot_folder;
};

void run_report(const ReportOptions& options) {
  std::vector<RecordedRuns> records;
  for (const std::string& path : options.records) records.push_back(read_record(path));
  const Comparison comparison = join(records);
  need_writable(options.page);
  const FigureFolder folder(options.plot_folder);
  fmt::print("{}", comparison_table(comparison));
  for (const std::string& file : folder.write(draw_figures(comparison))) {
    fmt::print("figure: {}\n", file);
  }
  write_file_atomically(options.page, report_page(comparison));
  fmt::print("page: {}\n", options.page);
}

}  // namespace

void add_report_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Make one HTML page from recorded trainings and comparisons");
  reads_file(
      command
          ->add_option("records", options->records, "Files that train or compare wrote with --json")
          ->required()
          ->type_name("RUN.json"));
  writes_file(command->add_option("--output", options->page, "The page: one self-contained file")
                  ->type_name("FILE.html")
                  ->capture_default_str());
  command
      ->add_option("--plot", options->plot_folder,
                   "Also draw the figures into this folder as SVG (and PNG, with rsvg-convert)")
      ->type_name("DIR");
  command->footer(
      "All records must be of one network on one data set. Where two hold the same run, the later\n"
      "file counts. docs/comparison.md says how to read the figures.\n"
      "\n"
      "Example:\n"
      "  systole compare mnist-mlp --devices cpu,model --batch-sizes 32,128 --json small.json\n"
      "  systole compare mnist-mlp --devices model --array 32 --batch-sizes 32,128 --json "
      "big.json\n"
      "  systole report small.json big.json --output page.html");
  command->callback([options] { run_report(*options); });
}

}  // namespace systole
