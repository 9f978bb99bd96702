"""Writes the newest observation of each filing, from the files in the folder bulk, to filings.parquet and filings.csv.

It reads the files twice, one at a time: first the numbers of the newest rows, then these rows. So memory does not hold
the rows of all files. Needs pandas 2 and pyarrow."""
import glob, gzip, json, pandas as pd, pyarrow as pa, pyarrow.parquet as pq

text, number, flag, time = pa.string(), pa.int64(), pa.bool_(), pa.timestamp("us", tz="UTC")
party = pa.struct([("cik", text), ("name", text), ("role", text)])
types = {"sequence": number, "revision": number, "size": number, "isXbrl": flag, "isInlineXbrl": flag, "items": pa.list_(text), "parties": pa.list_(party)}
times = ["observedAt", "acceptedAt", "ingestedAt"]


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for change in map(json.loads, lines):
            row = {name: change[name] for name in ["sequence", "revision", "observedAt"]} | change["filing"]
            # Exhibits, and what a document says about ownership, stay JSON.
            yield row | {name: row[name] and json.dumps(row[name], ensure_ascii=False) for name in ["exhibits", "ownership"]}


newest, columns = {}, []
paths = sorted(glob.glob("bulk/changes-*.jsonl.gz"))
for path in paths:
    for row in rows(path):
        newest[row["accessionNo"]] = row["sequence"]
    columns = list(row)

schema = pa.schema([(name, time if name in times else types.get(name, text)) for name in columns])
with pq.ParquetWriter("filings.parquet", schema) as parquet, open("filings.csv", "w", encoding="utf-8-sig", newline="") as csv:
    for path in paths:
        filings = pd.DataFrame([row for row in rows(path) if newest[row["accessionNo"]] == row["sequence"]], columns=columns)
        for name in times:
            filings[name] = pd.to_datetime(filings[name], utc=True, format="ISO8601")
        parquet.write_table(pa.Table.from_pandas(filings, schema, preserve_index=False))
        as_text = {name: ('="' + filings[name].fillna("") + '"').where(filings[name].notna()) for name in ["cik", "sic", "acceptanceDateTime"]}
        for name in ["companyName", "primaryDocument", "primaryDocDescription"]:
            as_text[name] = filings[name].str.replace(r"^(?=[=+@\t\r＝＋－＠-])", "'", regex=True)
        filings.assign(**as_text, items='="' + filings["items"].str.join(" ") + '"').to_csv(csv, index=False, header=path == paths[0])
