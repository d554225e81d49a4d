#include "bench/report/document.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <set>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

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

}  // namespace
}  // namespace quartet::bench
