CREATE VIEW filings AS SELECT unnest(newest) FROM (SELECT arg_max(filing, sequence) AS newest FROM read_json('bulk/changes-*.jsonl.gz', sample_size = -1) GROUP BY filing.accessionNo);
COPY filings TO 'filings.parquet';
COPY (SELECT * REPLACE ('="' || cik || '"' AS cik, '="' || acceptanceDateTime || '"' AS acceptanceDateTime, '="' || array_to_string(items, ' ') || '"' AS items, to_json(parties) AS parties) FROM filings) TO 'filings.csv' (HEADER);
