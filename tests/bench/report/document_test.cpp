#include "bench/report/document.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <set>

#include "bench/fake_rows.hpp"
#include "core/check.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::bench {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

Json document_of(const Row& row) {
    return benchmarks(std::span(&row, 1), {"avx2", {}});
}

const Json& aggregate(const Json& rows, const std::string& name) {
    static const Json none;
    for (const Json& row : rows) {
        if (row.value("aggregate_name", "") == name) {
            return row;
        }
    }
    ADD_FAILURE() << "no aggregate " << name;
    return none;
}

Row complete_row() {
    Row row = fake_row({1, 3, 2, 4, 6, 5});
    row.limit.emplace();
    row.limit->add({{"local add", {1.5}}});
    row.limit->add({{"local add", {2}}});
    row.note = "window on huge pages";
    row.set_up = {0.5};
    return row;
}

TEST(Document, HasGoogleBenchmarksKeysInEachIteration) {
    const Json rows = document_of(fake_row({0.5, 0.25}));
    const Json& second = rows.at(1);
    const std::string name = "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1";

    EXPECT_EQ(second.at("name"), name);
    EXPECT_EQ(second.at("run_name"), name);
    EXPECT_EQ(second.at("run_type"), "iteration");
    EXPECT_EQ(second.at("repetitions"), 2);
    EXPECT_EQ(second.at("repetition_index"), 1);
    EXPECT_EQ(second.at("threads"), 1);
    EXPECT_EQ(second.at("iterations"), 1);
    EXPECT_EQ(second.at("real_time"), 250);
    EXPECT_EQ(second.at("cpu_time"), 125);
    EXPECT_EQ(second.at("time_unit"), "ms");
    EXPECT_EQ(second.at("MiB/s"), 800);
    EXPECT_EQ(second.at("bytes_per_second"), 800.0 * 1048576);
    EXPECT_EQ(second.at("pushes"), 100);
    EXPECT_EQ(second.at("rank_seconds"), Json({0.25, 0.0625}));
    EXPECT_EQ(second.at("phases"), Json({{"push", 0.03125}}));
}

TEST(Document, HasThePhasesOfEachRoleWhereRanksHaveSeveral) {
    Row row = fake_row({0.5});
    EXPECT_FALSE(document_of(row).at(0).contains("phases_by_role"));

    PhaseSeconds merging{};
    merging[static_cast<std::size_t>(Phase::merge)] = 0.25;
    row.runs[0].roles = {{comm::Role::reducer, 0, 0.375, merging},
                         {comm::Role::worker, 2, 0.5, {}}};
    const Json rows = document_of(row);
    const Json expected{
        {"reducer", {{"rank", 0}, {"seconds", 0.375}, {"phases", {{"merge", 0.25}}}}},
        {"worker", {{"rank", 2}, {"seconds", 0.5}, {"phases", Json::object()}}}};
    EXPECT_EQ(rows.at(0).at("phases_by_role"), expected);
    EXPECT_EQ(aggregate(rows, "median").at("phases_by_role"), expected);
}

TEST(Document, HasTheKernelsOwnFiguresOnTheMedianRow) {
    Row row = complete_row();
    row.details.numbers = {{"bytes_read", 4096}, {"broken", std::nan("")}};
    row.details.series = {{"residual_history", {1, 0.5, std::nan("")}}};
    row.details.flags = {{"huge_pages", false}};
    const Json rows = document_of(row);
    const Json& median = aggregate(rows, "median");
    EXPECT_EQ(median.at("bytes_read"), 4096);
    EXPECT_FALSE(median.contains("broken"));
    EXPECT_EQ(median.at("residual_history"), Json({1, 0.5, nullptr}));
    EXPECT_EQ(median.at("huge_pages"), false);
    EXPECT_FALSE(aggregate(rows, "mean").contains("bytes_read"));
}

TEST(Document, HasGoogleBenchmarksKeysInEachAggregate) {
    const Json rows = document_of(complete_row());
    std::set<std::string> found;
    for (const Json& row : rows) {
        if (row.at("run_type") == "aggregate") {
            const std::string aggregate_name = row.at("aggregate_name");
            found.insert(aggregate_name);
            EXPECT_EQ(row.at("name"), row.at("run_name").get<std::string>() + "_" + aggregate_name);
            EXPECT_EQ(row.at("aggregate_unit"), aggregate_name == "cv" ? "percentage" : "time");
            EXPECT_EQ(row.at("repetitions"), 6);
            EXPECT_EQ(row.at("iterations"), 6);
            EXPECT_EQ(row.at("time_unit"), "ms");
            EXPECT_TRUE(row.at("real_time").is_number() && row.at("cpu_time").is_number());
            EXPECT_TRUE(row.at("MiB/s").is_number());
        }
    }
    EXPECT_EQ(found, (std::set<std::string>{"median", "mean", "stddev", "cv", "min", "max",
                                            "ci95_low", "ci95_high"}));
}

TEST(Document, AggregatesTimesAndRates) {
    const Json rows = document_of(complete_row());
    const auto time = [&](const char* name) { return aggregate(rows, name).at("real_time"); };

    EXPECT_EQ(time("median"), 3500);
    EXPECT_EQ(time("mean"), 3500);
    EXPECT_EQ(time("min"), 1000);
    EXPECT_EQ(time("max"), 6000);
    EXPECT_EQ(time("ci95_low"), 1000);
    EXPECT_EQ(time("ci95_high"), 6000);
    EXPECT_DOUBLE_EQ(time("stddev"), std::sqrt(3.5) * 1000);
    EXPECT_DOUBLE_EQ(time("cv"), std::sqrt(3.5) / 3.5);
    EXPECT_EQ(aggregate(rows, "median").at("cpu_time"), 1750);
    EXPECT_DOUBLE_EQ(aggregate(rows, "median").at("MiB/s"), 200 / 3.5);
    EXPECT_DOUBLE_EQ(aggregate(rows, "min").at("MiB/s"), 200) << "of the shortest time";
}

TEST(Document, SpreadsOfRatesAreTakenOfTheRates) {
    const Json rows = document_of(fake_row({1, 2}));  // 200 and 100 MiB/s
    EXPECT_DOUBLE_EQ(aggregate(rows, "stddev").at("MiB/s"), std::sqrt(5000.0));
    EXPECT_DOUBLE_EQ(aggregate(rows, "cv").at("MiB/s"), std::sqrt(5000.0) / 150);
}

TEST(Document, HasNoIntervalBelowSixRuns) {
    for (const Json& row : document_of(fake_row({1, 2, 3, 4, 5}))) {
        EXPECT_THAT(row.at("name"), Not(HasSubstr("ci95")));
    }
}

TEST(Document, HasWhatEachNodesInterfacesSent) {
    Row row = fake_row({1, 1});
    EXPECT_FALSE(aggregate(document_of(row), "median").contains("network_path")) << "nobody looked";
    row.network = {R"({"host": "n1"})", R"({"host": "n2"})"};
    EXPECT_EQ(aggregate(document_of(row), "median").at("network_path"),
              Json::parse(R"([{"host": "n1"}, {"host": "n2"}])"));
}

TEST(Document, SaysWhetherARowCanBeTrusted) {
    Row row = fake_row({1, 1, 1, 1, 1, 1});
    row.flags = {{FlagKind::unsteady, "the runs differ"}};
    row.limit.emplace();
    row.limit->add({{"local add", {0.5}}});
    for (bench::Run& run : row.runs) {
        run.limit_seconds = 0.5;
    }
    row.runs[1].round = 7;
    row.runs[1].limit_seconds = 0.25;
    const Json rows = document_of(row);
    const Json& median = aggregate(rows, "median");
    EXPECT_EQ(median.at("distrusted"), true);
    EXPECT_EQ(median.at("flags"),
              Json::parse(R"([{"kind": "unsteady", "text": "the runs differ"}])"));
    EXPECT_EQ(median.at("fraction_of_limit_ci95"), Json::array({0.25, 0.5}));
    EXPECT_EQ(rows.at(1).at("round"), 7);
    EXPECT_EQ(rows.at(1).at("limit_seconds"), 0.25);
    EXPECT_EQ(aggregate(document_of(fake_row({1})), "median").at("distrusted"), false);
}

TEST(Document, SaysHowLongTheWholeTaskTakes) {
    Row row = complete_row();
    row.write_results = {0.25};
    const auto of_task = [&] {
        return aggregate(benchmarks(std::span(&row, 1), {"avx2", {2}}), "median");
    };
    EXPECT_EQ(of_task().at("whole_task_seconds"), 2 + 0.5 + 3.5 + 0.25);
    row.name.suffix = "paper";
    EXPECT_FALSE(of_task().contains("whole_task_seconds"));
}

TEST(Document, EveryRowHasItsFactorsAsTypedValues) {
    Row row = fake_row({1});
    row.name.words = {{"storage", "full"}};
    row.name.factors.emplace_back("pipeline", "off");
    row.name.nodes = 2;
    row.name.suffix = "pair:1-0";
    Row error = row;
    error.error = "none";
    for (const Json& each : benchmarks(std::vector{row, error}, {})) {
        const Json& factors = each.at("factors");
        EXPECT_EQ(factors.at("kernel"), "stream");
        EXPECT_EQ(factors.at("formulation"), "native");
        EXPECT_EQ(factors.at("transport"), "shm");
        EXPECT_EQ(factors.at("size"), 2 << 20);
        EXPECT_EQ(factors.at("pushes"), 100);
        EXPECT_EQ(factors.at("storage"), "full");
        EXPECT_EQ(factors.at("pipeline"), "off");
        EXPECT_EQ(factors.at("nodes"), 2);
        EXPECT_EQ(factors.at("pair"), "1-0");
    }
}

TEST(Document, SaysWhatEnergyARunTook) {
    Row row = fake_row({1, 2, 3});
    row.runs[1].conditions.energy_joules = 500;
    row.runs[1].conditions.power_capped_share = 0.5;
    EXPECT_EQ(document_of(row).at(1).at("energy_joules"), 500);
    EXPECT_EQ(document_of(row).at(1).at("gpu_power_capped_share"), 0.5);
    EXPECT_FALSE(document_of(row).at(0).contains("energy_joules"));
    EXPECT_EQ(aggregate(document_of(row), "median").at("energy_joules"), 500);
    EXPECT_FALSE(aggregate(document_of(row), "median").contains("gflops_per_watt")) << "MiB/s";
    EXPECT_FALSE(aggregate(document_of(row), "median").contains("gpu_power_capped_share"))
        << "not known of all runs";
    row.work.unit = RateUnit::gflops;
    row.work.flops = {1e12};
    EXPECT_DOUBLE_EQ(aggregate(document_of(row), "median").at("gflops_per_watt"), 2);
}

TEST(Document, SaysWhatDisturbedTheRuns) {
    Row row = fake_row({1, 3});
    row.runs[0].conditions.clock_probe_seconds = 0.125;
    row.runs[1].conditions.clock_probe_seconds = 0.375;
    row.runs[0].conditions.stolen_share = 0.5;
    row.runs[1].conditions.stolen_share = 0.1;
    const Json rows = document_of(row);
    EXPECT_EQ(rows.at(0).at("stolen_share"), 0.5);
    EXPECT_EQ(rows.at(1).at("stolen_share"), 0.1);
    EXPECT_DOUBLE_EQ(aggregate(rows, "median").at("stolen_share"), 0.2);
    EXPECT_EQ(rows.at(1).at("core_loop_seconds"), 0.375);
    EXPECT_FALSE(aggregate(rows, "mean").contains("stolen_share"));

    for (const Json& unknown : document_of(fake_row({1, 3}))) {
        EXPECT_FALSE(unknown.contains("stolen_share"));
        EXPECT_FALSE(unknown.contains("core_loop_seconds"));
    }
}

TEST(Document, TheMedianRowTellsTheRest) {
    const Json row = aggregate(document_of(complete_row()), "median");

    EXPECT_EQ(row.at("pushes"), 100);
    EXPECT_EQ(row.at("senders"), 1);
    EXPECT_EQ(row.at("flops"), 52428800);
    EXPECT_EQ(row.at("bytes"), 209715200);
    EXPECT_EQ(row.at("workers"), 1);
    EXPECT_EQ(row.at("total_seconds"), 4);
    EXPECT_EQ(row.at("verified"), true);
    EXPECT_EQ(row.at("error"), 0);
    EXPECT_EQ(row.at("tolerance"), 0);
    EXPECT_EQ(row.at("limit").at("what"), "local add");
    EXPECT_EQ(row.at("limit").at("seconds"), 1.75);
    EXPECT_EQ(row.at("limit").at("probes"), Json({1.5, 2}));
    EXPECT_EQ(row.at("fraction_of_limit"), 0.5);
    EXPECT_EQ(row.at("note"), "window on huge pages");
    EXPECT_EQ(row.at("isa"), "avx2");
}

TEST(Document, RecordsEachComponentOfALimitAndWhichOneDecided) {
    Row row = complete_row();
    row.limit->components = {{"local add", {0.5}, {0.25}}, {"pair link", {1.75}}};
    const Json rows = document_of(row);
    const Json& median = aggregate(rows, "median");
    EXPECT_EQ(median.at("limit").at("what"), "slower of local add and pair link");
    EXPECT_EQ(median.at("limit_components"),
              Json::parse(R"([{"name": "local add", "seconds": 0.5, "hardware_seconds": 0.25},
                              {"name": "pair link", "seconds": 1.75}])"));
    EXPECT_EQ(median.at("limit_decided_by"), "pair link");
    EXPECT_FALSE(aggregate(rows, "mean").contains("limit_components"));
    EXPECT_FALSE(median.contains("fraction_of_all_ranks"));

    row.limit->components[0].extend(3, 4);
    const Json extended = aggregate(document_of(row), "median");
    EXPECT_EQ(extended.at("limit_components")[0].at("ranks"), 3);
    EXPECT_EQ(extended.at("limit_components")[0].at("all_ranks_seconds"), 0.375);
    EXPECT_DOUBLE_EQ(extended.at("fraction_of_all_ranks"), 0.375 / 3.5);

    row.limit.reset();
    EXPECT_FALSE(aggregate(document_of(row), "median").contains("limit_decided_by"));
}

TEST(Document, TheRunNearestToTheMedianStandsForItsPhases) {
    const Json row = aggregate(document_of(fake_row({8, 1, 2, 9, 100})), "median");
    EXPECT_EQ(row.at("rank_seconds"), Json({8, 2}));
    EXPECT_EQ(row.at("phases").at("push"), 1);
}

TEST(Document, SaysWhereAResultIsWrongOrWasNotChecked) {
    Row row = fake_row({1});
    row.check = Check{false, 17, 0.5};
    const Json wrong = aggregate(document_of(row), "median");
    EXPECT_EQ(wrong.at("verified"), false);
    EXPECT_EQ(wrong.at("error"), 17);
    EXPECT_EQ(wrong.at("tolerance"), 0.5);
    EXPECT_FALSE(wrong.contains("precision") || wrong.contains("wrong_because"));

    row.check->precision = "tf32";
    row.check->why = "products are tf32";
    const Json rounded = aggregate(document_of(row), "median");
    EXPECT_EQ(rounded.at("precision"), "tf32");
    EXPECT_EQ(rounded.at("wrong_because"), "products are tf32");

    row.check.reset();
    const Json unchecked = aggregate(document_of(row), "median");
    EXPECT_TRUE(unchecked.at("verified").is_null());
    EXPECT_FALSE(unchecked.contains("error"));
}

TEST(Document, RatesOfGflopsComeWithoutBytesPerSecond) {
    Row row = fake_row({1});
    row.work.unit = RateUnit::gflops;
    row.work.flops = {3e9};
    const Json json = document_of(row).at(0);
    EXPECT_EQ(json.at("GFLOP/s"), 3);
    EXPECT_FALSE(json.contains("MiB/s") || json.contains("bytes_per_second"));
}

TEST(Document, AFailedCaseIsARowWithoutTimes) {
    const Json rows = document_of(fake_error("there is no such transport"));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_THAT(rows.at(0).at("name"), testing::EndsWith("/error"));
    EXPECT_EQ(rows.at(0).at("run_type"), "aggregate");
    EXPECT_EQ(rows.at(0).at("error_occurred"), true);
    EXPECT_EQ(rows.at(0).at("error_message"), "there is no such transport");
    EXPECT_FALSE(rows.at(0).contains("real_time") || rows.at(0).contains("cpu_time"));
}

// Every number of a document, by its path.
void collect_numbers(const Json& json, const std::string& path,
                     std::vector<std::pair<std::string, double>>& numbers) {
    if (json.is_number()) {
        numbers.emplace_back(path, json.get<double>());
    } else if (json.is_structured()) {
        for (const auto& [key, value] : json.items()) {
            collect_numbers(value, fmt::format("{}/{}", path, key), numbers);
        }
    }
}

TEST(Document, NeverHoldsNanOrInfinity) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Row row = complete_row();
        row.work.flops = {bad};
        row.work.counters = {{"pushes", bad}};
        row.work.workers = 0;
        row.runs[0].cpu = {bad};
        row.runs[2].rank_seconds = {bad, 1};
        row.runs[2].phases[0] = bad;
        row.check = Check{false, bad, bad};
        row.limit->components.front().seconds = {bad};
        row.set_up = {bad};

        std::vector<std::pair<std::string, double>> numbers;
        collect_numbers(document_of(row), "", numbers);

        EXPECT_GT(numbers.size(), 50U);
        for (const auto& [path, value] : numbers) {
            EXPECT_TRUE(std::isfinite(value)) << path;
        }
    }
}

Row row_of_many_ranks(int ranks) {
    Row row = fake_row({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    for (Run& run : row.runs) {
        std::vector<double> seconds(static_cast<std::size_t>(ranks), run.real.value / 3);
        seconds[7] = run.real.value;
        run.rank_seconds.clear();
        run.rank_summary = RankSummary::of(seconds, [](int) { return "a-host-of-a-cluster"; });
    }
    return row;
}

TEST(Document, HasQuantilesAndTheSlowestOfManyRanks) {
    const Json rows = document_of(row_of_many_ranks(16384));
    const Json& first = rows.at(0);
    EXPECT_FALSE(first.contains("rank_seconds"));
    const Json& summary = first.at("rank_seconds_summary");
    EXPECT_EQ(summary.at("ranks"), 16384);
    EXPECT_EQ(summary.at("max"), 1);
    EXPECT_EQ(summary.at("p50"), 1.0 / 3);
    EXPECT_EQ(summary.at("slowest").size(), 16U);
    EXPECT_EQ(summary.at("slowest").at(0),
              Json({{"rank", 7}, {"host", "a-host-of-a-cluster"}, {"seconds", 1.0}}));
    EXPECT_TRUE(aggregate(rows, "median").contains("rank_seconds_summary"));
    EXPECT_LT(rows.dump().size(), 60000U) << "of one case; it does not grow with the ranks";
}

}  // namespace
}  // namespace quartet::bench
