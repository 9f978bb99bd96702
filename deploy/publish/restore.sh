#!/usr/bin/env bash
# Fetches what was published, a ledger or snapshots, into a folder:
#
#   deploy/publish/restore.sh REMOTE:PATH FOLDER
#
# It takes only what the other scripts publish: files whose names begin with a dot, and prepared.json, belong to the folder of a build.
# If nothing was published yet, it leaves the folder empty and says so. Any other problem is an error. It leaves out batches that were
# not published whole: those without batch.json, which is published last.
set -euo pipefail

if [ $# -ne 2 ] || [ "${1#-}" != "$1" ]; then
  echo 'usage: restore.sh REMOTE:PATH FOLDER' >&2
  exit 2
fi
[ -n "${1%/}" ] || { echo 'restore.sh: the first word names no storage' >&2; exit 2; }
mkdir -p "$2"
status=0
rclone lsf --max-depth 1 "$1" > /dev/null || status=$?
case $status in
  0) rclone copy --transfers 16 --checkers 32 --exclude unwanted.tsv --exclude '.*' --exclude '.*/**' --exclude /prepared.json "$1" "$2" ;;
  3) echo "There is nothing at $1 yet." ;; # "directory not found"
  *) exit "$status" ;;
esac
if [ -d "$2/batches" ]; then
  find "$2/batches" -name '*.csv' -exec dirname {} + | sort -u | while read -r batch; do
    [ -f "$batch/batch.json" ] || rm -r "$batch"
  done
fi
