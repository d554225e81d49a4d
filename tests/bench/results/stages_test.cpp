#include "bench/results/stages.hpp"

#include <gmock/gmock.h>
#include <sys/utsname.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace quartet::bench {
namespace {

using namespace std::chrono;

std::string this_host() {
    utsname names{};
    uname(&names);
    return names.nodename;
}

double seconds_since_the_start() {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

LaunchTime with(const std::string& variable) {
    setenv("QUARTET_LAUNCHED", variable.c_str(), 1);
    Environment environment;
    const LaunchTime found = launch_time(environment);
    unsetenv("QUARTET_LAUNCHED");
    return found;
}

TEST(LaunchTime, IsTheLaunchersOnThisHost) {
    const auto found = with(this_host() + " " + std::to_string(seconds_since_the_start() - 100));
    EXPECT_TRUE(found.by_a_launcher);
    EXPECT_GE(found.before.value, 99.99);
    EXPECT_LT(found.before.value, 160);
}

TEST(LaunchTime, IsThisProcessesWhereNoCredibleOneIsGiven) {
    const double time = seconds_since_the_start();
    const std::string host = this_host();
    for (const std::string& variable :
         {std::string(), host, host + " ", host + " soon",
          "other." + host + " " + std::to_string(time), host + " " + std::to_string(time + 1000),
          host + " " + std::to_string(time - 1e6), host + " " + std::to_string(time) + "N",
          host + " nan"}) {
        const auto found = with(variable);
        EXPECT_FALSE(found.by_a_launcher) << variable;
        EXPECT_GE(found.before.value, 0) << variable;
        EXPECT_LT(found.before.value, 3600) << variable;
    }
}

TEST(LaunchTime, GrowsWithTheAgeOfTheProcess) {
    const double before = with("").before.value;
    std::this_thread::sleep_for(milliseconds(50));
    const double passed = with("").before.value - before;
    EXPECT_GE(passed, 0.045);
    EXPECT_LT(passed, 30);
}

TEST(StageClock, GivesEachMomentToOneStage) {
    const auto begin = steady_clock::now();
    StageClock clock({Seconds{100}, true});
    std::this_thread::sleep_for(milliseconds(20));
    clock.end(Stage::set_up);
    std::this_thread::sleep_for(milliseconds(10));
    clock.end(Stage::run);
    std::this_thread::sleep_for(milliseconds(20));
    clock.end(Stage::set_up);
    const double passed = duration<double>(steady_clock::now() - begin).count();

    EXPECT_EQ(clock.of(Stage::launch).value, 100);
    EXPECT_GE(clock.of(Stage::set_up).value, 0.04);
    EXPECT_GE(clock.of(Stage::run).value, 0.01);
    EXPECT_EQ(clock.of(Stage::verify).value, 0);
    EXPECT_NEAR(clock.total().value, 100 + passed, 0.01);
    EXPECT_TRUE(clock.by_a_launcher());
}

TEST(StageClock, StagesHaveDifferentNames) {
    for (std::size_t one = 0; one < stage_count; ++one) {
        EXPECT_FALSE(name(static_cast<Stage>(one)).empty());
        for (std::size_t other = 0; other < one; ++other) {
            EXPECT_NE(name(static_cast<Stage>(one)), name(static_cast<Stage>(other)));
        }
    }
    EXPECT_EQ(name(Stage::rest), "rest") << "the last";
}

}  // namespace
}  // namespace quartet::bench
