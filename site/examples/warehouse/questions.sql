-- Ten questions to the tables in the folder export, for DuckDB 1.2 or later.
-- For tables in a bucket: INSTALL httpfs; LOAD httpfs; and write the address, such as s3://bucket/tables, in place of export.

-- The tables: manifest.json names the files of the newest state. Files beside them belong to older states.
SET TimeZone = 'UTC';
SET VARIABLE changes = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.changes.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE filings = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.filings.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE parties = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.parties.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE companies = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.companies.files) AS file FROM read_json('export/manifest.json')));
CREATE OR REPLACE VIEW changes AS FROM read_parquet(getvariable('changes'), hive_partitioning = false);
CREATE OR REPLACE VIEW filings AS FROM read_parquet(getvariable('filings'), hive_partitioning = false);
CREATE OR REPLACE VIEW parties AS FROM read_parquet(getvariable('parties'), hive_partitioning = false);
CREATE OR REPLACE VIEW companies AS FROM read_parquet(getvariable('companies'), hive_partitioning = false);

-- 1. How many filings of each form are there in each month?
SELECT date_trunc('month', filedAt)::DATE AS month, form, count(*) AS filings
FROM filings WHERE filedAt IS NOT NULL GROUP BY ALL ORDER BY month, filings DESC, form;

-- 2. What did a company file, newest first?
SELECT filedAt, form, eventType, items, documentUrl
FROM filings WHERE ticker = 'AAPL' ORDER BY filedAt DESC, acceptedAt DESC, accessionNo;

-- 3. Who reported results (Form 8-K, item 2.02) on a day?
SELECT ticker, companyName, acceptedAt
FROM filings WHERE filedAt = DATE '2026-07-30' AND form = '8-K' AND list_contains(items, '2.02') ORDER BY acceptedAt, accessionNo;

-- 4. Where is one filing, by its accession number?
SELECT accessionNo, companyName, form, filedAt, documentUrl
FROM filings WHERE accessionNo = '0000320193-26-000018';

-- 5. Which insiders filed most about a company?
SELECT owner.cik, max(owner.name) AS name, count(*) AS filings
FROM parties AS issuer JOIN parties AS owner USING (accessionNo)
WHERE issuer.cik = '0000789019' AND issuer.role = 'issuer' AND owner.role = 'reporting_owner'
GROUP BY owner.cik ORDER BY filings DESC, owner.cik;

-- 6. How many companies of each state of incorporation changed their auditor (item 4.01), by year?
SELECT year(filedAt) AS year, stateOfIncorporation AS state, count(DISTINCT filings.cik) AS companies
FROM filings JOIN companies USING (cik)
WHERE list_contains(items, '4.01') GROUP BY ALL ORDER BY year, companies DESC, state;

-- 7. How long does a filing take from its acceptance until it was observed, by day?
SELECT observedAt::DATE AS day, count(*) AS filings, quantile_cont(date_diff('second', acceptedAt, observedAt), [0.5, 0.99]) AS seconds
FROM changes WHERE revision = 1 AND acceptedAt IS NOT NULL GROUP BY day ORDER BY day;

-- 8. Which members were corrected, and how often?
SELECT member, count(*) AS corrections
FROM (SELECT unnest(corrected) AS member FROM changes WHERE revision > 1) GROUP BY member ORDER BY corrections DESC, member;

-- 9. What was known at a time? The newest observation of each filing until then.
SELECT count(*) AS filings, count(*) FILTER (primaryDocument IS NULL) AS withoutDocument
FROM (SELECT accessionNo, arg_max(primaryDocument, sequence) AS primaryDocument
      FROM changes WHERE observedAt <= TIMESTAMPTZ '2026-05-01 00:00:00Z' GROUP BY accessionNo);

-- 10. Which industries filed most late notices (NT 10-K, NT 10-Q) for each hundred companies?
SELECT sic, any_value(sicDescription) AS industry, round(100 * count(*) / any_value(members.companies), 1) AS notices
FROM filings JOIN companies USING (cik) JOIN (SELECT sic, count(*) AS companies FROM companies GROUP BY sic) AS members USING (sic)
WHERE form IN ('NT 10-K', 'NT 10-Q') GROUP BY sic ORDER BY notices DESC, sic;
