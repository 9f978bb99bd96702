# Writes the newest observation of each filing, from the files in the folder bulk, to filings.jsonl and filings.csv.
# sort puts the rows of a filing together, the newest first, on disk if there are many; awk keeps the first one of each.
zcat bulk/changes-*.jsonl.gz |
  jq -r '"\(.filing.accessionNo) \(.sequence) \({sequence, revision, observedAt} + .filing | tojson)"' |
  LC_ALL=C sort -S 200M -k1,1 -k2,2nr | awk '$1 != last { last = $1; sub(/^[^ ]+ [^ ]+ /, ""); print }' > filings.jsonl
jq -c 'select(.form == "8-K" and any(.items[]; . == "2.02"))' filings.jsonl > results.jsonl
jq -nr 'def shown($name): if . == null then null
    elif $name == "cik" or $name == "sic" or $name == "acceptanceDateTime" then "=\"\(.)\""
    elif $name == "items" then "=\"\(join(" "))\""
    elif type == "string" then sub("^(?<sign>[=+@\t\r＝＋－＠-])"; "\u0027\(.sign)")
    elif type == "array" or type == "object" then tojson else . end;
  input as $first | ($first | keys_unsorted), ($first, inputs | [to_entries[] | .key as $name | .value | shown($name)]) | @csv' \
  filings.jsonl > filings.csv
