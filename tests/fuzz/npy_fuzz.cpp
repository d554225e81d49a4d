// What is read of an .npy file is what its header says, or the file is refused.

#include <fstream>
#include <vector>

#include "core/files/npy.hpp"
#include "fuzz/fuzz_target.hpp"

namespace quartet {

namespace {

constexpr std::int64_t most_elements = 1 << 16;

template <typename T>
void read_all(const std::filesystem::path& file, const NpyHeader& header, std::int64_t count) {
    std::vector<T> elements(static_cast<std::size_t>(count));
    read_npy<T>(file, header.shape, elements);
}

void read(const std::filesystem::path& file, std::size_t size) {
    const NpyHeader header = read_npy_header(file);
    const auto count = element_count(header.shape, header.type);
    fuzz::require(count.has_value(), "an accepted shape has a number of elements");
    fuzz::require(header.data_offset + *count * size_of(header.type) ==
                      Bytes{static_cast<std::int64_t>(size)},
                  "an accepted file is as long as its header says");
    if (*count > most_elements) {
        return;
    }
    switch (header.type) {
        case ElementType::f4:
            return read_all<float>(file, header, *count);
        case ElementType::f8:
            return read_all<double>(file, header, *count);
        case ElementType::c16:
            return read_all<std::complex<double>>(file, header, *count);
    }
}

}  // namespace

}  // namespace quartet

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    const auto file = fuzz::file_of("a.npy", fuzz::text_of(data, size));
    fuzz::refuses<NpyError>([&] { read(file, size); });
    return 0;
}
