#!/usr/bin/env bash
# Publishes a folder of snapshots into an R2 bucket with Cloudflare's own program, where rclone is not at hand:
#
#   SNAPSHOTS_DIR=snapshots deploy/publish/publish-wrangler.sh BUCKET
#
# It puts one file after the other, and cannot list what the bucket holds: STATE_FILE (.published-BUCKET in the folder) remembers what
# was put. rclone does the same many times as fast and removes old parts, too: publish the first time with it. Parts go first, then
# manifests, then the pointer: stopped at any moment, the bucket holds what it held or what is new.
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
put current.json "$pointer" 'public, max-age=3'
