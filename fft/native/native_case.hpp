#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/program/session.hpp"
#include "comm/transport/transport.hpp"
#include "fft/dataflow/tile_loader.hpp"
#include "fft/files.hpp"
#include "fft/native/native_limit.hpp"
#include "fft/options.hpp"
#include "fft/problem.hpp"
#include "fft/transform_case.hpp"
#include "fft/verify.hpp"

namespace quartet::fft {

/// The native formulation: tile transforms with their factors, one exchange, the sums over all
/// tiles; for the natural order one exchange more (device/four_step_fft.hpp). Over shared windows
/// both are read in place.
class NativeCase final : public TransformCase {
  public:
    /// Collective. Throws Unavailable; Failure where files are not what the manifest says.
    NativeCase(bench::Session& session, const bench::Variant& variant, const Problem& problem,
               const bench::DataOptions& data);

    void prepare() override;
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override { return check_.verify(pieces_of(result())); }
    void prepare_limit() override;
    Seconds limit() override { return limit_->measure(); }
    [[nodiscard]] std::string limit_name() const override { return limit_->name(); }
    [[nodiscard]] std::string note() const override;
    void finish() override;

    [[nodiscard]] device::View<Point> result() override;

    /// What a rank needs of the node, and of its GPU, and what of it lies in the transport's
    /// windows where it has such.
    struct Memory {
        Bytes all;
        Bytes windows;
        Bytes device;
    };
    [[nodiscard]] static Memory memory(bench::Session& session, const bench::Variant& variant,
                                       const Problem& problem);

    /// Whether one rank's device can transform all points as a single tile, with the result beside
    /// the input. Local.
    [[nodiscard]] static bool has_room_for_one_tile(bench::Session& session,
                                                    const Problem& problem);

  private:
    /// Where the result goes: to memory of its own, or, where one pass does all and a GPU has no
    /// room for both, over the input, which then is made anew before each run.
    enum class ResultPlace { apart, over_input };
    [[nodiscard]] static ResultPlace result_place(bench::Session& session,
                                                  const device::FourStepFft& split);

    [[nodiscard]] static Memory memory_of_single_rank_fft(bench::Session& session,
                                                          const Problem& problem, Bytes pass);
    [[nodiscard]] static Bytes memory_beside(bench::Session& session, const Problem& problem);

    void make_data();
    void fill_input();
    void prepare_exchanges();
    /// How the CPU sees an array that may be a GPU's.
    [[nodiscard]] ReadPieces pieces_of(device::View<const Point> array);
    std::span<const Point> on_host(device::View<const Point> array, std::vector<Point>& staged);

    bench::Session& session_;
    Problem problem_;
    bench::DataOptions data_;
    device::FourStepFft split_;
    ResultPlace result_place_;
    comm::Transport& transport_;
    device::Buffer<Point> input_;
    device::Buffer<double> parts_;  ///< what the tile pass makes, by receiver
    device::Buffer<Point> transposed_;
    device::Buffer<Point> natural_;  ///< empty for the transposed order, and on one rank
    std::unique_ptr<device::SingleRankFft> single_rank_fft_;  ///< in place of the next two
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    std::unique_ptr<device::RowFfts> row_ffts_;
    std::unique_ptr<device::Transpose> transpose_;
    std::unique_ptr<comm::Exchange> exchange_;  ///< of the cells; none on one rank
    std::unique_ptr<comm::Exchange> to_natural_;
    std::vector<device::View<const double>> received_;      ///< cells, by sender
    std::vector<device::View<const Point>> received_bins_;  ///< ditto, for the natural order
    std::optional<TileReader> reader_;
    std::optional<TileLoader> loader_;
    TransformCheck check_;
    std::optional<Limit> limit_;
};

}  // namespace quartet::fft
