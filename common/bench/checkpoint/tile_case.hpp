#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/checkpoint/tile_checkpoint.hpp"
#include "bench/session/case.hpp"

namespace quartet::bench {

/// A case that keeps tiles, where it is asked to. Its members may borrow the checkpoint: they are
/// gone before it is.
class TileCase : public Case {
  public:
    void run(Clocks& clocks) final;
    [[nodiscard]] std::optional<std::string> stopped() const final;
    [[nodiscard]] EarlierTime earlier() const final;

  protected:
    /// The timed step, as Case::run().
    virtual void compute(Clocks& clocks) = 0;

    /// Null: no tiles are kept.
    void keep_tiles(std::unique_ptr<TileCheckpoint> checkpoint);
    [[nodiscard]] TileCheckpoint* checkpoint() const { return checkpoint_.get(); }

    /// The note and details, with what was taken over from earlier processes.
    [[nodiscard]] std::string resumed(const std::string& note) const;
    [[nodiscard]] Details resumed(Details details) const;

  private:
    std::unique_ptr<TileCheckpoint> checkpoint_;
};

}  // namespace quartet::bench
