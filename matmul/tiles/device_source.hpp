#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "matmul/tiles/tile_source.hpp"

namespace quartet::matmul {

/// Copies tiles from a source on the host to slots of a GPU, on its own stream.
class DeviceSource final : public TileSource {
  public:
    /// `memory` has the slots, each as large as tiles get. Both others are borrowed.
    DeviceSource(const Problem& problem, TileSource& host, device::Buffer<float> memory,
                 device::Device& device);

    void prepare() override { copied_ = {}; }
    /// Releases the host's slot at once: the host's own streams wait for the copy.
    void fetch(const Fetch& fetch) override;
    device::View<const float> tile(const Fetch& fetch, device::Stream& stream) override;
    void release(std::int64_t slot, device::Stream& stream) override;
    void synchronize() override { copying_->synchronize(); }
    [[nodiscard]] Bytes fetched() const override { return copied_; }
    std::span<const float> read(std::string_view matrix, TileIndex tile) override {
        return host_.read(matrix, tile);
    }

  private:
    struct Slot {
        device::View<float> memory;
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };
    Slot& at(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

    Problem problem_;
    TileSource& host_;
    device::Device& device_;
    device::Buffer<float> memory_;
    std::vector<Slot> slots_;
    Bytes copied_;
    std::unique_ptr<device::Stream> copying_;
};

}  // namespace quartet::matmul
