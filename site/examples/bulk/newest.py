import glob, pandas as pd
changes = pd.concat(pd.read_json(path, lines=True, dtype=False, convert_dates=False) for path in sorted(glob.glob("bulk/changes-*.jsonl.gz")))
filings = pd.DataFrame(changes["filing"].tolist()).drop_duplicates("accessionNo", keep="last")
filings.to_parquet("filings.parquet")  # needs pyarrow
as_text = {name: '="' + filings[name].fillna("") + '"' for name in ["cik", "acceptanceDateTime"]}
filings.assign(**as_text, items='="' + filings["items"].str.join(" ") + '"').to_csv("filings.csv", index=False, encoding="utf-8-sig")
