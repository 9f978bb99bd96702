#!/usr/bin/env bash
# Publishes a folder of snapshots to a folder of this machine, or with rclone to any storage that rclone knows:
#
#   SNAPSHOTS_DIR=snapshots deploy/publish/publish.sh [--heartbeat] REMOTE:PATH | FOLDER
#
# With --heartbeat only the heartbeat of the follower is copied, which costs two small requests. It says that all that EDGAR listed is in
# the folder's snapshot: while the storage has another one, it stays as it is.
#
# Parts go first, then manifests, then the pointer. So if it is stopped, the storage has the old snapshot or the new one, and the
# next run goes on. A part that no snapshot of the folder names any more is noted in unwanted.tsv, and removed by the first run
# that comes KEEP_MINUTES (60) later. Set up the storage with "rclone config", or with RCLONE_CONFIG_... in the environment.
set -euo pipefail

heartbeat_alone=
if [ "${1-}" = --heartbeat ]; then heartbeat_alone=yes && shift; fi
if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
  echo 'usage: publish.sh [--heartbeat] REMOTE:PATH | FOLDER (SNAPSHOTS_DIR names the folder, KEEP_MINUTES how long unused files stay)' >&2
  exit 2
fi
target=${1%/}
source=${SNAPSHOTS_DIR:-snapshots}
keep_minutes=${KEEP_MINUTES:-60}
# For a folder with only the new files: a list of all files that the snapshots need. rebuild.yml uses it.
wanted_list=${WANTED_LIST:-}
[ -f "$source/current.json" ] || { echo "$source has no pointer" >&2; exit 1; }

case $target in *:*) remote=yes ;; *) remote= && mkdir -p "$target" ;; esac
# A storage replaces a file in one step. In a folder of this machine, only a rename does.
replace() {
  if [ -n "$remote" ]; then rclone copyto --ignore-times --header-upload 'Cache-Control: public, max-age=3' "$1" "$target/$2"
  else mkdir -p "$(dirname "$target/$2")" && cp "$1" "$target/$2.$$.tmp" && mv -f "$target/$2.$$.tmp" "$target/$2"; fi
}
# Prints a small file of the target, or nothing.
read_small() { if [ -n "$remote" ]; then rclone cat "$target/$1"; else cat "$target/$1"; fi 2> /dev/null || true; }
snapshot_in() { sed -n 's/.*"snapshotId": *"\([^"]*\)".*/\1/p'; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A follower replaces its heartbeat meanwhile, and tells of later snapshots then. So a copy is sent, which is made before the pointer is read.
copy_heartbeat() { [ ! -f "$source/heartbeat.json" ] || cp "$source/heartbeat.json" "$work/heartbeat.json"; }
replace_heartbeat() { [ ! -f "$work/heartbeat.json" ] || replace "$work/heartbeat.json" heartbeat.json; }
if [ -n "$heartbeat_alone" ]; then
  copy_heartbeat
  snapshot=$(snapshot_in < "$source/current.json")
  if [ "$(read_small current.json | snapshot_in)" = "$snapshot" ]; then replace_heartbeat
  else echo "the heartbeat stays: $target does not have $snapshot yet"; fi
  exit
fi

# Two runs at once could take the pointer back to the older one.
if [ -w "$source" ] && command -v flock > /dev/null; then exec 9>> "$source/.publishing" && flock 9; fi
copy_heartbeat
# A build may replace the pointer meanwhile. This run publishes the snapshot that is current now.
cp "$source/current.json" "$work/current.json"

# A file never changes once it has its name, so an equal length means that the upload was complete.
options=(--size-only --transfers 16 --checkers 32 --exclude '*.tmp' --exclude '.*/**')
lasting=(--header-upload 'Cache-Control: public, max-age=31536000, immutable')
# The parts below a folder of this machine with their lengths in bytes, a line for each.
lengths() { (cd "$1" && find segments files manifests -type f ! -name '*.tmp' ! -path '*/.*' -exec wc -c {} + 2> /dev/null || true) | sed -e 's/^ *//' -e '/ total$/d' | LC_ALL=C sort; }
copy() {
  [ -d "$source/$1" ] || return 0
  if [ -n "$remote" ]; then rclone copy "${options[@]}" "${lasting[@]}" "$source/$1" "$target/$1"
  else sed -n "s/^[0-9]* \\($1\\/.*\\)/\\1/p" "$work/missing" | while IFS= read -r part; do replace "$source/$part" "$part"; done; fi
}
if [ -z "$remote" ]; then LC_ALL=C comm -23 <(lengths "$source") <(lengths "$target") > "$work/missing"; fi
copy segments
copy files
copy manifests
# An upload may take longer than the folder keeps a snapshot that is no longer current. A removal takes the manifest first, so all parts
# were there as long as that is.
snapshot=$(snapshot_in < "$work/current.json")
[ -n "$wanted_list" ] || [ -f "$source/manifests/$snapshot.json" ] ||
  { echo "$snapshot was removed from $source before all of it was published: run this again" >&2; exit 1; }

replace "$work/current.json" current.json
replace_heartbeat

# Old parts. A service that still serves the snapshot before needs them for a while.
parts=(--filter '+ /segments/**' --filter '+ /files/**' --filter '+ /manifests/**' --filter '- **')
list() {
  if [ -n "$remote" ]; then rclone lsf -R --files-only "${parts[@]}" "$1"
  else (cd "$1" && find segments files manifests -type f 2> /dev/null || true); fi | LC_ALL=C sort
}
if [ -n "$wanted_list" ]; then LC_ALL=C sort "$wanted_list" > "$work/wanted"; else list "$source" > "$work/wanted"; fi
list "$target" > "$work/held"
LC_ALL=C comm -13 "$work/wanted" "$work/held" > "$work/unwanted"
read_small unwanted.tsv > "$work/seen"
# Each line has a path, after the second at which a run first saw that the part is not needed.
awk -F '\t' -v now="$(date +%s)" -v keep=$((keep_minutes * 60)) -v gone="$work/gone" '
  FILENAME == ARGV[1] { since[$2] = $1; next }
  !($1 in since) { since[$1] = now }
  now - since[$1] >= keep { print $1 > gone; next }
  { print since[$1] "\t" $1 }' "$work/seen" "$work/unwanted" > "$work/unwanted.tsv"
if [ -s "$work/gone" ]; then
  if [ -n "$remote" ]; then rclone delete --files-from-raw "$work/gone" "$target"
  else while IFS= read -r part; do rm -f "$target/$part"; done < "$work/gone"; fi
fi
if [ -n "$remote" ]; then rclone copyto --ignore-times "$work/unwanted.tsv" "$target/unwanted.tsv"; else replace "$work/unwanted.tsv" unwanted.tsv; fi
echo "published $snapshot to $target"
