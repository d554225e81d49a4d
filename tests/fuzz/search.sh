#!/usr/bin/env bash
# search.sh BUILD SECONDS: lets libFuzzer look for inputs that a reader neither takes nor refuses, so
# long for each reader, as many readers at a time as there are processors. New inputs that reach more
# code go to BUILD/corpus, failing ones to BUILD/failures; then it ends with 1, once all readers have
# had their turn.
set -uo pipefail
[ $# = 2 ] || {
    echo "usage: search.sh BUILD SECONDS" >&2
    exit 2
}
build=$1 seconds=$2
seeds=$(dirname "$0")/corpus

search_one() { # search_one FOLDER: the reader whose seeds lie there
    local reader files
    reader=$(basename "$1")
    # The inputs become files that are read and removed at once: a disk would be what is measured.
    files=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
    mkdir -p "$build/corpus/$reader"
    TMPDIR=$files "$build/tests/${reader}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/failures/$reader-" \
        "$build/corpus/$reader" "$1" 2>"$build/$reader.log"
    local code=$?
    rm -rf "$files"
    echo "== $reader: $([ $code = 0 ] && echo nothing found || echo FAILED)"
    grep -E '^stat::number_of_executed_units|^stat::new_units_added|ERROR|not kept|Test unit written' "$build/$reader.log"
    return $code
}

mkdir -p "$build/failures"
rm -f "$build/failed"
for folder in "$seeds"/*/; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do sleep 1; done
    search_one "$folder" || : >"$build/failed" & # a shell forgets a child's code once its number is used again
done
wait
[ ! -e "$build/failed" ]
