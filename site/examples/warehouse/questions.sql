-- Fifteen questions to the tables in the folder export, for DuckDB 1.2 or later.
-- For tables in a bucket: INSTALL httpfs; LOAD httpfs; and write the address, such as s3://bucket/tables, in place of export.

-- The tables: manifest.json names the files of the newest state. Files beside them belong to older states.
SET TimeZone = 'UTC';
SET VARIABLE changes = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.changes.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE filings = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.filings.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE parties = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.parties.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE transactions = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.transactions.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE holdings = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.holdings.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE documents = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.documents.files) AS file FROM read_json('export/manifest.json')));
SET VARIABLE companies = (SELECT list('export/' || file.path) FROM (SELECT unnest(tables.companies.files) AS file FROM read_json('export/manifest.json')));
CREATE OR REPLACE VIEW changes AS FROM read_parquet(getvariable('changes'), hive_partitioning = false);
CREATE OR REPLACE VIEW filings AS FROM read_parquet(getvariable('filings'), hive_partitioning = false);
CREATE OR REPLACE VIEW parties AS FROM read_parquet(getvariable('parties'), hive_partitioning = false);
CREATE OR REPLACE VIEW transactions AS FROM read_parquet(getvariable('transactions'), hive_partitioning = false);
CREATE OR REPLACE VIEW holdings AS FROM read_parquet(getvariable('holdings'), hive_partitioning = false);
CREATE OR REPLACE VIEW documents AS FROM read_parquet(getvariable('documents'), hive_partitioning = false);
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
SELECT companies.sic, any_value(sicDescription) AS industry, round(100 * count(*) / any_value(members.companies), 1) AS notices
FROM filings JOIN companies USING (cik) JOIN (SELECT sic, count(*) AS companies FROM companies GROUP BY sic) AS members ON members.sic = companies.sic
WHERE form IN ('NT 10-K', 'NT 10-Q') GROUP BY companies.sic ORDER BY notices DESC, companies.sic;

-- 11. What did officers buy on the market (code P), by month? An amendment repeats what it amends, so it is left out.
SELECT date_trunc('month', "on")::DATE AS month, count(DISTINCT cik) AS companies, count(*) AS purchases, sum(value) AS dollars
FROM transactions
WHERE code = 'P' AND NOT isDerivative AND NOT isAmendment AND len([owner FOR owner IN owners IF owner.isOfficer]) > 0
GROUP BY month ORDER BY month;

-- 12. Where did three or more insiders buy within thirty days? Owners that report together are one buyer.
WITH purchases AS (
  SELECT DISTINCT cik, companyName, "on" AS day, coalesce(owners[1].cik, owners[1].name) AS buyer
  FROM transactions WHERE code = 'P' AND NOT isDerivative)
SELECT first.cik, any_value(first.companyName) AS companyName, first.day AS since, max(other.day) AS until, count(DISTINCT other.buyer) AS buyers
FROM purchases AS first JOIN purchases AS other ON other.cik = first.cik AND other.day BETWEEN first.day AND first.day + 29
GROUP BY first.cik, first.day HAVING buyers >= 3 ORDER BY buyers DESC, since, first.cik;

-- 13. What share of the sales (code S) followed a plan made before (Rule 10b5-1), by quarter? Forms before April 2023 do not tell.
SELECT date_trunc('quarter', "on")::DATE AS quarter, count(*) AS sales, sum(value) AS dollars, round(100 * coalesce(sum(value) FILTER (isPlanned), 0) / sum(value), 1) AS plannedPercent
FROM transactions
WHERE code = 'S' AND NOT isDerivative AND NOT isAmendment AND isPlanned IS NOT NULL AND value > 0
GROUP BY quarter ORDER BY quarter;

-- 14. How many purchases and sales were reported late, more than two business days after them, by month? Days on which anything was filed are business days.
WITH days AS (SELECT filedAt AS day, row_number() OVER (ORDER BY filedAt) AS number FROM (SELECT DISTINCT filedAt FROM filings WHERE filedAt IS NOT NULL)),
  traded AS (SELECT filedAt, coalesce(deemedExecutedOn, "on") AS day FROM transactions WHERE form = '4' AND code IN ('P', 'S'))
SELECT date_trunc('month', traded.filedAt)::DATE AS month, count(*) AS transactions, count(*) FILTER (filed.number - executed.number > 2) AS late, max(filed.number - executed.number) AS mostDays
FROM traded ASOF JOIN days AS executed ON traded.day >= executed.day JOIN days AS filed ON filed.day = traded.filedAt
GROUP BY month ORDER BY month;

-- 15. How many current reports came with a press release (an exhibit 99), by month, and where is the newest one? Only filings whose documents were listed are counted.
SELECT date_trunc('month', filedAt)::DATE AS month, count(DISTINCT accessionNo) AS reports, count(DISTINCT accessionNo) FILTER (isExhibit AND type IN ('EX-99', 'EX-99.1', 'EX-99.01')) AS withPressRelease,
  arg_max(url, sequence) FILTER (isExhibit AND type IN ('EX-99', 'EX-99.1', 'EX-99.01')) AS newest
FROM documents WHERE form = '8-K' GROUP BY month ORDER BY month;
