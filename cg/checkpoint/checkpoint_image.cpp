#include "cg/checkpoint/checkpoint_image.hpp"

#include <algorithm>

#include "core/files/npy_header.hpp"

namespace quartet::cg {

namespace {

std::int64_t vectors_of(Algorithm algorithm) {
    return algorithm == Algorithm::classic ? 3 : 4;
}

// The last one is there with the single-reduction algorithm only.
std::array<device::View<double>, 4> views_of(const IterationState& state) {
    return {state.solution, state.residual, state.direction, state.direction_product};
}

// A multiple of 64 bytes (format_npy_header).
std::int64_t header_doubles(const Shape& shape) {
    return std::ssize(format_npy_header(ElementType::f8, shape)) /
           static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

Shape CheckpointImage::shape_of(Algorithm algorithm, std::int64_t rows) {
    return {vectors_of(algorithm), rows};
}

Bytes CheckpointImage::size_of_all(Algorithm algorithm, std::int64_t size) {
    return bytes_of<double>(vectors_of(algorithm) * size);
}

Bytes CheckpointImage::memory(Algorithm algorithm, std::int64_t rows) {
    const Shape shape = shape_of(algorithm, rows);
    return bytes_of<double>(header_doubles(shape) + shape[0] * shape[1]);
}

CheckpointImage::CheckpointImage(device::Device& device, device::Stream& stream,
                                 Algorithm algorithm, Range rows)
    : device_(device),
      stream_(stream),
      rows_(rows),
      shape_(shape_of(algorithm, rows.size())),
      header_(header_doubles(shape_)),
      image_(device::allocate<double>(device, header_ + shape_[0] * shape_[1],
                                      device::MemoryKind::pinned)) {
    const std::string header = format_npy_header(ElementType::f8, shape_);
    std::ranges::copy(std::as_bytes(std::span(header)),
                      std::as_writable_bytes(image_.span()).begin());
}

device::View<double> CheckpointImage::vector(std::int64_t index) {
    return image_.view().part(header_ + index * rows_.size(), rows_.size());
}

void CheckpointImage::take(const IterationState& state) {
    const auto views = views_of(state);
    for (std::int64_t index = 0; index < shape_[0]; ++index) {
        copy(views[static_cast<std::size_t>(index)], vector(index));
    }
    stream_.synchronize();
}

void CheckpointImage::put(IterationState& state) {
    const auto views = views_of(state);
    for (std::int64_t index = 0; index < shape_[0]; ++index) {
        copy(vector(index), views[static_cast<std::size_t>(index)]);
    }
    stream_.synchronize();
}

void CheckpointImage::copy(device::View<const double> from, device::View<double> to) {
    device_.copy(device::as_bytes(from), device::as_bytes(to), stream_);
}

void CheckpointImage::read(const std::filesystem::path& file, const SavedFile& saved) {
    const Range common{std::max(rows_.begin, saved.first_row),
                       std::min(rows_.end, saved.first_row + saved.rows)};
    if (common.begin >= common.end) {
        return;
    }
    const NpyHeader header = read_npy_header(file);
    require(header, ElementType::f8, {shape_[0], saved.rows}, file);
    for (std::int64_t index = 0; index < shape_[0]; ++index) {
        read_npy<double>(file, header, index * saved.rows + common.begin - saved.first_row,
                         vector(index).part(common.begin - rows_.begin, common.size()).span());
    }
}

}  // namespace quartet::cg
