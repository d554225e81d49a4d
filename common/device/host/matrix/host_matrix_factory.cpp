#include "device/host/matrix/host_linear_algebra.hpp"

namespace quartet::device {

namespace {

class HostMatrixFactory final : public MatrixFactory {
  public:
    HostMatrixFactory(int threads, Device& device) : threads_(threads), device_(device) {}

    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        return make_host_row_block(block, threads_, device_);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        return make_host_triangle_part(part, threads_, device_);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& block) const override {
        return host_row_block_memory(block);
    }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& part) const override {
        return host_triangle_part_memory(part, threads_);
    }

  private:
    int threads_;
    Device& device_;
};

}  // namespace

std::unique_ptr<MatrixFactory> make_host_matrix_factory(int threads, Device& device) {
    return std::make_unique<HostMatrixFactory>(threads, device);
}

}  // namespace quartet::device
