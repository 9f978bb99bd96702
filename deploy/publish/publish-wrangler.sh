#!/usr/bin/env bash
# Publishes a folder of snapshots to an R2 bucket with Cloudflare's own program. Use it where you cannot have rclone:
#
#   SNAPSHOTS_DIR=snapshots deploy/publish/publish-wrangler.sh BUCKET
#
# It uploads one file after the other. It cannot list the bucket, so it writes the paths that it uploaded to STATE_FILE
# (.published-BUCKET in the folder). rclone is many times as fast and also removes old parts: use it at least for the first time.
# Parts go first, then manifests, then the pointer. So if it is stopped, the bucket has the old snapshot or the new one.
set -euo pipefail

if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
  echo 'usage: publish-wrangler.sh BUCKET (SNAPSHOTS_DIR names the folder)' >&2
  exit 2
fi
bucket=$1
source=${SNAPSHOTS_DIR:-snapshots}
state=${STATE_FILE:-$source/.published-$bucket}
read -ra wrangler <<< "${WRANGLER:-npx wrangler}"
[ -f "$source/current.json" ] || { echo "$source has no pointer" >&2; exit 1; }

pointer=$(mktemp)
trap 'rm -f "$pointer"' EXIT
cp "$source/current.json" "$pointer"
touch "$state"

put() { "${wrangler[@]}" r2 object put "$bucket/$1" --file "$2" --cache-control "$3" --remote < /dev/null > /dev/null; }
for kind in segments files manifests; do
  [ -d "$source/$kind" ] || continue
  (cd "$source" && find "$kind" -type f ! -name '*.tmp') | LC_ALL=C sort | { grep -vxFf "$state" || true; } | while read -r path; do
    put "$path" "$source/$path" 'public, max-age=31536000, immutable'
    echo "$path" >> "$state"
  done
done
# See publish.sh.
snapshot=$(sed -n 's/.*"snapshotId": *"\([^"]*\)".*/\1/p' "$pointer")
[ -f "$source/manifests/$snapshot.json" ] || { echo "$snapshot was removed from $source before all of it was published: run this again" >&2; exit 1; }
put current.json "$pointer" 'public, max-age=3'
