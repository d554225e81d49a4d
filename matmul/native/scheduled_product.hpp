#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "matmul/native/blocking.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// A product in a device's bounded memory: the steps of a Schedule, of which one stream brings the
/// tiles of A and B ahead into slots and another one takes the complete tiles of C away, beside the
/// products. A slot is filled anew when the last product that uses it is done; a tile of C is begun
/// when the one before it in its place is away. Where tiles come from and go to is the derived
/// classes' affair.
class ScheduledProduct : public Product {
  public:
    void run(device::Stream& stream) final;
    [[nodiscard]] std::string note() const override;

  protected:
    /// How the streams are called in a trace.
    struct StreamNames {
        std::string bringing;
        std::string taking;
    };
    ScheduledProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                     device::Device& device, const StreamNames& names);

    /// Before the first step of a run.
    virtual void begin_run() = 0;
    /// Once for each step, in their order, before its tiles are brought.
    virtual void begin_step() {}
    /// Enqueues what brings a tile into its slot.
    virtual void bring(const Load& load, device::Stream& stream) = 0;
    /// Enqueues what takes a complete tile of C away.
    virtual void take(TileIndex target, device::View<float> tile, device::Stream& stream) = 0;
    /// A tile in its slot.
    [[nodiscard]] virtual device::View<const float> elements(std::int64_t slot, TileIndex tile) = 0;
    /// Ends the streams when their work is done, which is on the derived class's members: for its
    /// destructor.
    void stop();
    /// Waits for streams of the derived class's own, and throws what their work has thrown.
    virtual void synchronize() {}

    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] const Block& block() const { return block_; }
    [[nodiscard]] const Blocking& blocking() const { return blocking_; }
    [[nodiscard]] device::Device& device() { return device_; }
    [[nodiscard]] device::Stream& bringing() { return *bringing_; }
    [[nodiscard]] device::Stream& taking() { return *taking_; }
    /// The place of a tile of C, as large as tiles get.
    [[nodiscard]] device::View<float> place(std::int64_t index);

  private:
    struct Slot {
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };
    struct Place {
        std::unique_ptr<device::Event> complete;
        std::unique_ptr<device::Event> away;
    };

    void finish(device::Stream& stream);
    void load(const Step& step);
    void multiply(const Step& step, device::Stream& stream);
    void take_away(const Step& step, device::View<float> tile, device::Stream& stream);

    Problem problem_;
    Block block_;
    Blocking blocking_;
    device::Device& device_;
    Schedule schedule_;
    device::Buffer<float> held_;  ///< tiles of C
    std::vector<Slot> slot_events_;
    std::vector<Place> place_events_;
    std::vector<Step> ahead_;  ///< steps whose loads are issued, in a ring
    std::unique_ptr<device::Stream> bringing_;
    std::unique_ptr<device::Stream> taking_;
};

}  // namespace quartet::matmul
