/** One entry of an invented current-filings feed. */
export interface UpstreamEntry {
  readonly accessionNo: string;
  readonly form: string;
  readonly name: string;
  readonly cik: string;
  readonly role: string;
  readonly filedAt: string;
  readonly updated: string;
  /** Titles by code. */
  readonly items: readonly (readonly [code: string, title: string])[];
}

/** An 8-K of an invented company. */
export function upstreamEntry(members: Partial<UpstreamEntry> = {}): UpstreamEntry {
  return {
    accessionNo: '0000000001-26-000001',
    form: '8-K',
    name: 'Made Up Inc.',
    cik: '0000000001',
    role: 'Filer',
    filedAt: '2026-03-02',
    updated: '2026-03-02T16:00:00-05:00',
    items: [],
    ...members,
  };
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;');

/** The entry as upstream writes it. */
export function entryXml({
  accessionNo,
  form,
  name,
  cik,
  role,
  filedAt,
  updated,
  items,
}: UpstreamEntry): string {
  const nodash = accessionNo.replaceAll('-', '');
  return `<entry>
<title>${escape(`${form} - ${name} (${cik}) (${role})`)}</title>
<link rel="alternate" type="text/html" href="https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${nodash}/${accessionNo}-index.htm"/>
<summary type="html">
 &lt;b&gt;Filed:&lt;/b&gt; ${filedAt} &lt;b&gt;AccNo:&lt;/b&gt; ${accessionNo} &lt;b&gt;Size:&lt;/b&gt; 13 KB
${items.map(([code, title]) => `&lt;br&gt;Item ${code}: ${title}\n`).join('')}</summary>
<updated>${updated}</updated>
<category scheme="https://www.sec.gov/" label="form type" term="${escape(form)}"/>
<id>urn:tag:sec.gov,2008:accession-number=${accessionNo}</id>
</entry>
`;
}

/** A page of entries, made at an instant, in the encoding of upstream. */
export function feedPage(entries: readonly string[], updated = '2026-03-02T16:01:00-05:00'): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="ISO-8859-1" ?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>Latest Filings - Mon, 02 Mar 2026 16:01:00 EST</title>
<link rel="alternate" href="/cgi-bin/browse-edgar?action=getcurrent"/>
<id>https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent</id>
<author><name>Webmaster</name><email>webmaster@sec.gov</email></author>
<updated>${updated}</updated>
${entries.join('')}</feed>
`,
    'latin1',
  );
}
