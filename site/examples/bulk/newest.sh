zcat bulk/changes-*.jsonl.gz | jq -nc 'reduce (inputs | .filing) as $filing ({}; .[$filing.accessionNo] = $filing) | .[]' > filings.jsonl
jq -c 'select(.form == "8-K" and any(.items[]; . == "2.02"))' filings.jsonl > results.jsonl
jq -r '[.accessionNo, "=\"\(.cik)\"", .ticker, .companyName, .form, "=\"\(.items | join(" "))\"", .filedAt, .documentUrl] | @csv' filings.jsonl > filings.csv
