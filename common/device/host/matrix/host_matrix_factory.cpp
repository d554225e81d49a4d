#include "device/host/matrix/host_linear_algebra.hpp"

namespace quartet::device {

namespace {

class HostMatrixFactory final : public MatrixFactory {
  public:
    HostMatrixFactory(int threads, const MatrixLoops& loops, Device& device)
        : threads_(threads), loops_(loops), device_(device) {}

    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        return make_host_row_block(block, threads_, loops_, device_);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        return make_host_triangle_part(part, threads_, loops_, device_);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& block) const override {
        return host_row_block_memory(block);
    }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& part) const override {
        return host_triangle_part_memory(part, threads_);
    }

  private:
    int threads_;
    const MatrixLoops& loops_;
    Device& device_;
};

}  // namespace

std::unique_ptr<MatrixFactory> make_host_matrix_factory(int threads, const MatrixLoops& loops,
                                                        Device& device) {
    return std::make_unique<HostMatrixFactory>(threads, loops, device);
}

}  // namespace quartet::device
