#!/usr/bin/env bash
# search.sh BUILD SECONDS: lets libFuzzer look for inputs that a reader neither takes nor refuses, so
# long for each reader. New inputs that reach more code go to BUILD/corpus, failing ones to
# BUILD/failures; then it ends with 1, once all readers have had their turn.
set -uo pipefail
[ $# = 2 ] || {
    echo "usage: search.sh BUILD SECONDS" >&2
    exit 2
}
build=$1 seconds=$2
seeds=$(dirname "$0")/corpus
failed=()
mkdir -p "$build/failures"
for folder in "$seeds"/*/; do
    reader=$(basename "$folder")
    mkdir -p "$build/corpus/$reader"
    echo "== $reader"
    "$build/tests/${reader}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/failures/$reader-" \
        "$build/corpus/$reader" "$folder" 2>"$build/$reader.log" || failed+=("$reader")
    grep -E '^stat::number_of_executed_units|^stat::new_units_added|ERROR|not kept|Test unit written' "$build/$reader.log"
done
[ ${#failed[@]} -eq 0 ] || {
    printf 'search: failed: %s\n' "${failed[@]}" >&2
    exit 1
}
