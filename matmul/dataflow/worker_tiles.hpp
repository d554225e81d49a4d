#pragma once

#include "device/stream.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// A product C(i,j) += A(i,k) B(k,j) that a worker of the data flow makes.
struct WorkItem {
    std::int64_t number = 0;
    TileIndex a;
    TileIndex b;
};

/// The tiles of A and B that a worker of the data flow multiplies, brought to where it computes
/// some products ahead of the one that is multiplied: "each loads A(i,k), B(k,j)" (VI.B). Tiles are
/// brought anew for each product, as published. Used by the main thread only.
class WorkerTiles {
  public:
    virtual ~WorkerTiles() = default;

    /// Before each run, outside of the time.
    virtual void prepare() {}

    [[nodiscard]] virtual bool full() const = 0;
    [[nodiscard]] virtual bool empty() const = 0;
    /// Begins to bring a product's tiles. Throws Failure while full().
    virtual void prefetch(const WorkItem& item) = 0;

    struct Tiles {
        WorkItem item;
        device::View<const float> a;
        device::View<const float> b;
    };
    /// The tiles of the product begun longest ago, there for the stream's later work. Throws
    /// Failure while empty().
    virtual Tiles oldest(device::Stream& stream) = 0;
    /// Says that the stream's work so far is the last that uses them.
    virtual void release(device::Stream& stream) = 0;
    /// Throws what bringing them has thrown.
    virtual void synchronize() {}

    /// From files, in this run.
    [[nodiscard]] virtual Bytes read() const { return {}; }
    /// To a GPU, in this run.
    [[nodiscard]] virtual Bytes copied() const { return {}; }
};

}  // namespace quartet::matmul
