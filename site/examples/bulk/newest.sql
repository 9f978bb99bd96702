-- Writes the newest observation of each filing, from the files in the folder bulk, to filings.parquet and filings.csv.
-- It reads the files twice: first the numbers of the newest rows, then these rows. So memory does not hold the rows.
SET TimeZone = 'UTC';
SET preserve_insertion_order = false;
CREATE OR REPLACE TEMP TABLE newest AS
  SELECT max(sequence) AS sequence
  FROM read_json('bulk/changes-*.jsonl.gz', columns = {sequence: 'BIGINT', filing: 'STRUCT(accessionNo VARCHAR)'})
  GROUP BY filing.accessionNo;
COPY (
  SELECT * REPLACE (observedAt::TIMESTAMPTZ AS observedAt, acceptedAt::TIMESTAMPTZ AS acceptedAt, ingestedAt::TIMESTAMPTZ AS ingestedAt)
  FROM (SELECT sequence, revision, observedAt, unnest(filing) FROM read_json('bulk/changes-*.jsonl.gz', sample_size = -1) SEMI JOIN newest USING (sequence))
) TO 'filings.parquet';
COPY (
  SELECT * REPLACE ('="' || cik || '"' AS cik, '="' || acceptanceDateTime || '"' AS acceptanceDateTime, '="' || array_to_string(items, ' ') || '"' AS items, to_json(parties) AS parties,
    regexp_replace(companyName, '^([=+@\t\r＝＋－＠-])', '''\1') AS companyName)
  FROM 'filings.parquet'
) TO 'filings.csv' (HEADER);
