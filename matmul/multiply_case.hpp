#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/limits.hpp"
#include "bench/program/case.hpp"
#include "bench/program/session.hpp"
#include "matmul/dataflow/dataflow_product.hpp"
#include "matmul/native/device_plan.hpp"
#include "matmul/native/file_plan.hpp"
#include "matmul/native/file_product.hpp"
#include "matmul/native/streamed_product.hpp"
#include "matmul/options.hpp"
#include "matmul/verify.hpp"

namespace quartet::matmul {

/// All that is decided about a case before it is made.
struct CasePlan {
    bench::Variant variant;
    Problem problem;
    bench::DataOptions data;
    std::vector<Block> blocks;            ///< by rank
    Block block;                          ///< of this rank
    std::optional<FilePlan> files;        ///< with --data DIR
    std::optional<DevicePlan> on_device;  ///< on a GPU, whose memory does not bound the matrices
    std::int64_t device_probe_edge = 0;   ///< ditto: of the limit's products
    /// Of the data flow. There `block` is what the rank's results are in: everything, of which a
    /// reducer has every R-th tile, or nothing.
    std::optional<comm::Roles> roles;
    DataflowProduct::Settings flow;

    [[nodiscard]] bool uses_library() const {
        return variant.formulation == bench::Formulation::library;
    }
};

/// Edge of the products that the limit is measured with: a tile, where memory is bounded; on a GPU
/// what its memory allows (device_probe_edge); from memory at least 2048, since smaller ones do not
/// show what the processor can do.
std::int64_t probe_edge(const CasePlan& plan);

/// Adds a case for each variant of the session. Throws UsageError, on all ranks alike. Collective.
void plan_cases(bench::Session& session, const Options& options);

/// C = A B over the ranks: each multiplies its block of C, from tiles in memory (ResidentProduct)
/// or in files (FileProduct), and sends nothing. The limit is the rate of SGEMM, all ranks at once;
/// from files also what the storage delivers of the least traffic. On a GPU the blocks go through
/// its memory (StreamedProduct), and the limit is the rate of products that lie in it. The library
/// formulation is ScaLAPACK's product (make_library_product()), whose limit is native's.
class MultiplyCase final : public bench::Case {
  public:
    /// Collective. Throws Unavailable.
    MultiplyCase(bench::Session& session, CasePlan plan);

    void prepare() override;
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override;
    void prepare_limit() override;
    Seconds limit() override;
    [[nodiscard]] std::string limit_name() const override;
    [[nodiscard]] std::string note() const override { return product_->note(); }
    [[nodiscard]] bench::Details details() const override;

    /// For tests, which put wrong results there.
    [[nodiscard]] Product& product() { return *product_; }

  private:
    [[nodiscard]] std::unique_ptr<Product> make_product();
    [[nodiscard]] std::unique_ptr<Product> make_flow_product();
    [[nodiscard]] std::unique_ptr<Product> make_file_product();
    [[nodiscard]] std::unique_ptr<Product> make_streamed_product();
    void open_files();
    [[nodiscard]] bool works() const;
    [[nodiscard]] double seconds_computing();
    [[nodiscard]] double seconds_reading();
    [[nodiscard]] double seconds_taking_in();
    [[nodiscard]] double bytes_to_read() const;
    [[nodiscard]] bench::Details flow_details() const;
    void add_file_details(bench::Details& details) const;
    void add_copy_details(bench::Details& details) const;

    bench::Session& session_;
    CasePlan plan_;
    std::optional<TileFiles> files_;
    std::unique_ptr<Product> product_;
    FileProduct* file_product_ = nullptr;      ///< the same, where tiles lie in files
    DataflowProduct* flow_product_ = nullptr;  ///< the same, in the data flow
    StreamedProduct* streamed_ = nullptr;      ///< the same, on a GPU
    StreamedProduct::CopyTimes copy_times_;
    std::optional<Freivalds> check_;
    std::optional<bench::SgemmProbe> sgemm_;
    int products_ = 1;  ///< in one probe
    std::optional<bench::StorageProbe> storage_;
    std::optional<bench::MemoryProbe> add_;  ///< on reducers
    std::optional<bench::PairProbe> link_;   ///< from a worker to a reducer, where data is sent
};

}  // namespace quartet::matmul
