#!/usr/bin/env bash
# Publishes exported tables (npm run export) with rclone, to any storage that rclone knows:
#
#   deploy/publish/publish-export.sh FOLDER REMOTE:PATH
#
# Export with --location, the address at which readers find REMOTE:PATH: Iceberg names files by whole addresses. Data goes first, then
# lists of files, then metadata, then the hint with its version. So if it is stopped, readers find the old state or the new one, and the next run
# goes on. What an export has removed from the folder, five days after it was replaced, is removed from the storage, too.
set -euo pipefail

if [ $# -ne 2 ] || [ "${1#-}" != "$1" ]; then
  echo 'usage: publish-export.sh FOLDER REMOTE:PATH' >&2
  exit 2
fi
source=${1%/}
target=${2%/}
[ -f "$source/manifest.json" ] || { echo "$source has no manifest.json: it holds no export" >&2; exit 1; }

# Two runs at once could take a hint back to the older one.
if command -v flock > /dev/null; then exec 9>> "$source/.publishing" && flock 9; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# An export may begin meanwhile. This run publishes the versions that are current now, and nothing that is newer.
cp "$source/manifest.json" "$work/manifest.json"
tables=()
for hint in "$source"/*/metadata/version-hint.text; do
  table=$(basename "${hint%/metadata/version-hint.text}")
  tables+=("$table")
  cp "$hint" "$work/$table.hint"
done

# A storage replaces a file in one step. In a folder of this machine, only a rename does.
replace() {
  case $target in
    *:*) rclone copyto --ignore-times --header-upload 'Cache-Control: public, max-age=3' "$1" "$target/$2" ;;
    *) mkdir -p "$(dirname "$target/$2")" && cp "$1" "$target/$2.$$.tmp" && mv -f "$target/$2.$$.tmp" "$target/$2" ;;
  esac
}
# Names of data and of lists end with a digest or are drawn at random: no two files have the same one. So an equal length means that the
# upload was complete. A version of metadata is a number. One that is published already is compared by its content.
lasting=(--transfers 16 --checkers 32 --header-upload 'Cache-Control: public, max-age=31536000, immutable')
for table in "${tables[@]}"; do rclone copy "${lasting[@]}" --size-only --exclude '*.tmp' "$source/$table/data" "$target/$table/data"; done
for table in "${tables[@]}"; do
  rclone copy "${lasting[@]}" --size-only --exclude '*.tmp' --exclude '*.metadata.json' --exclude 'version-hint.text' "$source/$table/metadata" "$target/$table/metadata"
  # Readers look for versions behind the hint, so newer metadata must not come before its data.
  version=$(cat "$work/$table.hint")
  (cd "$source/$table/metadata" && ls) | sed -n 's/^v\([0-9]*\)\.metadata\.json$/\1/p' | awk -v most="$version" '$1 <= most { print "v" $1 ".metadata.json" }' > "$work/$table.metadata"
  rclone copy "${lasting[@]}" --checksum --files-from-raw "$work/$table.metadata" "$source/$table/metadata" "$target/$table/metadata"
done
for table in "${tables[@]}"; do replace "$work/$table.hint" "$table/metadata/version-hint.text"; done
replace "$work/manifest.json" manifest.json

# Only what the folder no longer has: files that came meanwhile stay.
for table in "${tables[@]}"; do
  (cd "$source" && find "$table" -type f ! -name '*.tmp') | LC_ALL=C sort > "$work/held"
  rclone lsf -R --files-only "$target/$table" | sed "s|^|$table/|" | LC_ALL=C sort > "$work/published"
  LC_ALL=C comm -13 "$work/held" "$work/published" > "$work/gone"
  if [ -s "$work/gone" ]; then rclone delete --files-from-raw "$work/gone" "$target"; fi
done
echo "published ${tables[*]} to $target"
