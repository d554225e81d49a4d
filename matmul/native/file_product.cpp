#include "matmul/native/file_product.hpp"

#include <utility>

namespace quartet::matmul {

FileProduct::FileProduct(const Problem& problem, const Block& block, const FilePlan& plan,
                         ProductFiles files, Results results, device::Device& device)
    : ScheduledProduct(problem, block, plan.blocking, plan.buffers.results, device,
                       {"read", "write"}, files.checkpoint),
      plan_(plan),
      files_(std::move(files)),
      results_(results),
      slots_(problem, plan.buffers.slots, device, device::MemoryKind::host) {}

TileMemory FileProduct::tile_memory(const Problem& problem) {
    return {.slot = TileFiles::slot_bytes(problem),
            .result = problem.tile_bytes(),
            .alignment = FileSlots::memory(problem, 0)};
}

FileProduct::~FileProduct() {
    stop();
    if (results_ == Results::removed) {
        remove_results_quietly(*files_.tiles, block());
    }
}

void FileProduct::prepare() {
    prepare_files(*files_.tiles, problem(), block(),
                  std::exchange(old_results_, OldResults::of_this_job));
    write_taken_over(files_, problem(), block());
}

void FileProduct::fetch(const Prefetch& prefetch, device::Stream& stream) {
    stream.enqueue(Phase::read, "tile", [this, prefetch, target = slots_.slot(prefetch.slot)] {
        const auto elements =
            files_.tiles->read(name(prefetch.operand), prefetch.tile, target.span());
        traffic_.read = traffic_.read + Bytes{std::ssize(std::as_bytes(elements))};
    });
}

void FileProduct::store(TileIndex target, device::View<float> tile, device::Stream& stream) {
    stream.enqueue(Phase::copy_out, "tile", [this, target, tile] {
        files_.tiles->write(target, tile.span());
        traffic_.written = traffic_.written + tile.bytes();
    });
    keep(checkpoint(), problem().number(target), tile, stream);
}

// Between runs the first slot is free.
std::span<const float> FileProduct::input(Operand operand, TileIndex tile) {
    return files_.tiles->read(name(operand), tile, slots_.slot(0).span());
}

std::span<const float> FileProduct::result(TileIndex tile) {
    return files_.tiles->read("C", tile, slots_.slot(0).span());
}

bench::Details FileProduct::details(const comm::Communicator& world) const {
    bench::Details details;
    add_details(details, plan_, traffic_, world);
    return details;
}

}  // namespace quartet::matmul
