#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace quartet::system {

/// A machine of which some files of proc/ and sys/ are there: under a folder of this process's own.
class FakeSystemFiles : public testing::Test {
  protected:
    ~FakeSystemFiles() override { std::filesystem::remove_all(root); }

    void write(const std::filesystem::path& file, const std::string& text) const {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    }

    const std::filesystem::path root =
        std::filesystem::path(testing::TempDir()) / ("quartet-machine-" + std::to_string(getpid()));
};

}  // namespace quartet::system
