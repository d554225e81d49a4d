#!/usr/bin/env bash
# install.sh [PREFIX], for images and roots: installs what Quartet needs, builds it for any processor of this
# architecture, with CUDA if there is a toolkit, and installs it in PREFIX (/opt/quartet). As root.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/setup.sh run
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake --preset host-release -B "$build" -D QUARTET_TESTS=OFF
cmake --build "$build"
cmake --install "$build" --prefix "${1:-/opt/quartet}"
