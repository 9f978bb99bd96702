#!/usr/bin/env bash
# Fetches what was published, a ledger or snapshots, into a folder:
#
#   deploy/publish/restore.sh REMOTE:PATH FOLDER
#
# It takes only what the other scripts publish: files whose names begin with a dot, and prepared.json, belong to the folder of a build.
# If nothing was published yet, it leaves the folder empty and says so. Any other problem is an error. It leaves out batches that were
# not published whole: those without their head, batch.json, which is published last, and files that no head names.
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
  # What a run left that was stopped: files that no head names. Another run may have published another batch of this number since.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$2/batches"
  find . -name batch.json -exec awk '{
    folder = FILENAME
    sub("[^/]*$", "", folder)
    while (match($0, /"name": *"[^"]*"/)) {
      name = substr($0, RSTART, RLENGTH - 1)
      sub(".*\"", "", name)
      print folder name
      $0 = substr($0, RSTART + RLENGTH)
    }
  }' {} + | LC_ALL=C sort -u > "$work/named"
  find . -type f ! -name batch.json ! -name README | LC_ALL=C sort > "$work/held"
  LC_ALL=C comm -13 "$work/named" "$work/held" | while IFS= read -r file; do rm "$file"; done
  find . -mindepth 1 -type d -empty -delete
fi
