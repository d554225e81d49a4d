#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "matmul/blocking.hpp"
#include "matmul/product.hpp"
#include "matmul/tile_files.hpp"

namespace quartet::matmul {

/// Whether the files of the result stay when the case ends.
enum class Results { removed, kept };

/// The product of tiles that lie in files, in bounded memory: the steps of a Schedule, of which a
/// stream of its own reads the tiles ahead and another one writes the complete tiles of C, beside
/// the products. A slot is read into when the last product that uses it is done; a tile of C is
/// begun when the one before it in its place is written.
class FileProduct final : public Product {
  public:
    FileProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                const TileFiles& files, device::Device& device);
    /// Removes the rank's files of C, unless they are to be kept.
    ~FileProduct() override;
    FileProduct(const FileProduct&) = delete;
    FileProduct& operator=(const FileProduct&) = delete;

    void set_results(Results results) { results_kept_ = results; }
    /// Makes the page cache forget the rank's tiles of A and B where the files are to be read from
    /// the disk, and removes the results of the run before.
    void prepare() override;
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] std::string note() const override;

    /// What the last run has read and written, counted where it was done.
    [[nodiscard]] const Traffic& traffic() const { return traffic_; }
    /// Memory for tiles, of this rank.
    static TileMemory tile_memory(const Problem& problem);

  private:
    struct Slot {
        std::unique_ptr<device::Event> loaded;
        std::unique_ptr<device::Event> used;
    };
    struct Place {
        std::unique_ptr<device::Event> complete;
        std::unique_ptr<device::Event> written;
    };

    void load(const Step& step);
    void multiply(const Step& step, device::Stream& stream);
    void write(const Step& step, device::View<float> tile, device::Stream& stream);
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index);
    [[nodiscard]] device::View<const float> elements(std::int64_t slot_index, TileIndex tile);
    template <typename Use>
    void for_each_result(Use use) const;

    Problem problem_;
    Block block_;
    Blocking blocking_;
    const TileFiles& files_;
    FileCache cache_;
    device::Device& device_;
    Results results_kept_ = Results::removed;
    Schedule schedule_;
    Traffic traffic_;
    device::Buffer<std::byte> slots_;
    device::Buffer<float> held_;  ///< tiles of C
    std::vector<Slot> slot_events_;
    std::vector<Place> place_events_;
    std::vector<Step> ahead_;  ///< steps whose loads are issued, in a ring
    std::unique_ptr<device::Stream> reading_;
    std::unique_ptr<device::Stream> writing_;
};

}  // namespace quartet::matmul
