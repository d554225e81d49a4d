#include "fuzz/fuzz_target.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace quartet::fuzz {

namespace {

namespace fs = std::filesystem;

class Scratch {
  public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "quartet-fuzz-XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr, "a folder can be made");
        path_ = name;
    }
    ~Scratch() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

}  // namespace

void require(bool kept, std::string_view promise) {
    if (!kept) {
        fmt::print(stderr, "not kept: {}\n", promise);
        std::abort();
    }
}

fs::path file_of(std::string_view name, std::string_view content) {
    static const Scratch scratch;
    const fs::path file = scratch.path() / name;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    require(out.good(), "a file can be written");
    return file;
}

}  // namespace quartet::fuzz
