-- Writes the newest observation of each filing, from the files in the folder bulk, to filings.parquet and filings.csv.
-- It reads the files twice: first the numbers of the newest rows, then these rows. So memory does not hold the rows.
SET TimeZone = 'UTC';
SET preserve_insertion_order = false;
CREATE OR REPLACE TEMP TABLE newest AS
  SELECT max(sequence) AS sequence
  FROM read_json('bulk/changes-*.jsonl.gz', columns = {sequence: 'BIGINT', filing: 'STRUCT(accessionNo VARCHAR)'})
  GROUP BY filing.accessionNo;
-- Exhibits, and what a document says about ownership, stay JSON: ownership->>'$.owners[0].name' is the first owner.
COPY (
  SELECT sequence, revision, observedAt, unnest(filing)
  FROM read_json('bulk/changes-*.jsonl.gz', columns = {sequence: 'BIGINT', revision: 'BIGINT', observedAt: 'TIMESTAMPTZ', filing: 'STRUCT(
    accessionNo VARCHAR, companyName VARCHAR, ticker VARCHAR, form VARCHAR, eventType VARCHAR, items VARCHAR[], filedAt DATE, detailUrl VARCHAR, acceptanceDateTime VARCHAR, cik VARCHAR, sic VARCHAR, exchange VARCHAR,
    acceptedAt TIMESTAMPTZ, reportDate DATE, primaryDocument VARCHAR, primaryDocDescription VARCHAR, documentUrl VARCHAR, size BIGINT, isXbrl BOOLEAN, isInlineXbrl BOOLEAN,
    ingestedAt TIMESTAMPTZ, parties STRUCT(cik VARCHAR, "name" VARCHAR, "role" VARCHAR)[], exhibits JSON, ownership JSON)'}) SEMI JOIN newest USING (sequence)
) TO 'filings.parquet';
COPY (
  SELECT * REPLACE ('="' || cik || '"' AS cik, '="' || sic || '"' AS sic, '="' || acceptanceDateTime || '"' AS acceptanceDateTime, '="' || array_to_string(items, ' ') || '"' AS items, to_json(parties) AS parties,
    regexp_replace(companyName, '^([=+@\t\r＝＋－＠-])', '''\1') AS companyName, regexp_replace(primaryDocument, '^([=+@\t\r＝＋－＠-])', '''\1') AS primaryDocument,
    regexp_replace(primaryDocDescription, '^([=+@\t\r＝＋－＠-])', '''\1') AS primaryDocDescription)
  FROM 'filings.parquet'
) TO 'filings.csv' (HEADER);
