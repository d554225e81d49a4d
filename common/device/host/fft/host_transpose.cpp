#include <algorithm>
#include <cstring>

#include "device/host/fft/host_four_step_fft.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

/// Copies runs: in each row k2 of the result, the k1 of each rank lie together.
class HostTranspose final : public Transpose {
  public:
    HostTranspose(const FourStepFft& split, int threads)
        : split_(split),
          mine_(block_range(split.points(), split.ranks, split.rank)),
          threads_(threads) {}

    void run(std::span<const View<const Point>> parts, View<Point> bins, Stream& stream) override;

  private:
    void place_rows(const Range& rows, std::span<const View<const Point>> parts, Point* bins) const;

    FourStepFft split_;
    Range mine_;
    int threads_;
};

void HostTranspose::run(std::span<const View<const Point>> parts, View<Point> bins,
                        Stream& stream) {
    check(std::ssize(parts) == split_.ranks, "natural pass: not a part from each rank");
    for (int from = 0; from < split_.ranks; ++from) {
        const View<const Point>& part = parts[static_cast<std::size_t>(from)];
        require_host(part, natural_part_points(split_, from, split_.rank),
                     "natural pass: a part of another size");
        require_apart(part, bins);
    }
    require_host(bins, mine_.size(), "natural pass: not the size of the result");
    const auto work = [this, parts, to = bins.data()] {
        const std::int64_t first = mine_.begin / split_.length;
        const std::int64_t rows = (mine_.end + split_.length - 1) / split_.length - first;
        system::parallel_parts(threads_, [=, this](int thread) {
            const Range share = block_range(rows, threads_, thread);
            place_rows({first + share.begin, first + share.end}, parts, to);
        });
    };
    stream.enqueue(Phase::merge, "natural", work);
}

void HostTranspose::place_rows(const Range& rows, std::span<const View<const Point>> parts,
                               Point* bins) const {
    for (int from = 0; from < split_.ranks; ++from) {
        const Range columns = split_.bins_of(from);
        const Point* part = parts[static_cast<std::size_t>(from)].data();
        const std::int64_t before = bins_below(split_, from, mine_.begin);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t origin = row * split_.length;
            const std::int64_t begin = std::max(origin + columns.begin, mine_.begin);
            const std::int64_t end = std::min(origin + columns.end, mine_.end);
            if (begin < end)
                std::memcpy(bins + (begin - mine_.begin),
                            part + (bins_below(split_, from, begin) - before),
                            static_cast<std::size_t>(end - begin) * sizeof(Point));
        }
    }
}

}  // namespace

std::unique_ptr<Transpose> plan_host_transpose(const FourStepFft& split, int threads) {
    require_valid(split);
    return std::make_unique<HostTranspose>(split, threads);
}

}  // namespace quartet::device
