// Gives a fuzz target the files of its corpus, and mutants of them: the same ones in each run. This
// is what `make test` runs; `.ci/nightly clang` searches with libFuzzer instead, which knows the
// coverage.
//
// replay MUTANTS FOLDER

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.hpp"

namespace {

using Input = std::string;

// Numbers and signs at which readers have failed.
constexpr std::array<std::string_view, 24> tokens{"0",
                                                  "-1",
                                                  "1e999",
                                                  "nan",
                                                  "null",
                                                  "9223372036854775807",
                                                  "18446744073709551616",
                                                  "4294967296",
                                                  "[",
                                                  "[[[[",
                                                  "{",
                                                  "}",
                                                  "\"",
                                                  "'",
                                                  "\\u0000",
                                                  "\xff\xfe",
                                                  "\n\n",
                                                  "#",
                                                  "\x1b[2J",
                                                  "..",
                                                  "/",
                                                  ",",
                                                  "=",
                                                  " "};

std::vector<Input> corpus(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::vector<Input> inputs{""};
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return inputs;
}

class Mutator {
  public:
    explicit Mutator(const std::vector<Input>& inputs) : inputs_(inputs) {}

    /// One of the inputs, changed at one to eight places.
    Input next() {
        Input input = any();
        for (std::size_t changes = below(8) + 1; changes > 0; --changes) {
            change(input);
        }
        return input;
    }

  private:
    std::size_t below(std::size_t end) { return random_() % end; }
    const Input& any() { return inputs_[below(inputs_.size())]; }

    void change(Input& input) {
        const std::size_t place = below(input.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(input.size() - place, 32) + 1);
        switch (below(6)) {
            case 0:  // one bit
                if (place < input.size()) {
                    input[place] = static_cast<char>(input[place] ^ (1 << below(8)));
                }
                return;
            case 1:
                input.erase(place, length);
                return;
            case 2:
                input.insert(place, input.substr(place, length));
                return;
            case 3:
                input.insert(place, tokens[below(tokens.size())]);
                return;
            case 4:
                input.replace(place, length, tokens[below(tokens.size())]);
                return;
            default: {  // the rest of another input
                const Input& other = any();
                input.replace(place, Input::npos, other, below(other.size() + 1));
            }
        }
    }

    const std::vector<Input>& inputs_;
    std::mt19937_64 random_;  // the same mutants in each run
};

}  // namespace

int main(int argc, char** argv) {
    quartet::fuzz::require(argc == 3, "usage: MUTANTS FOLDER");
    const std::vector<Input> inputs = corpus(argv[2]);
    quartet::fuzz::require(inputs.size() > 1, "there is a corpus");
    const auto use = [](const Input& input) {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    };
    std::ranges::for_each(inputs, use);
    const long mutants = std::strtol(argv[1], nullptr, 10);
    Mutator mutator(inputs);
    for (long count = 0; count < mutants; ++count) {
        use(mutator.next());
    }
    fmt::print("{} inputs, {} mutants\n", inputs.size(), mutants);
}
