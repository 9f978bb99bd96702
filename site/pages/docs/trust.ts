import { defaultAddress } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/requests.ts';
import type { DocsPage } from './layout.ts';

/** How a reader checks what the service serves, and an operator a whole snapshot. */
export function verifyPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'verify',
    name: 'Verifying',
    title: 'Verify a snapshot',
    description:
      'A snapshot never changes, proves every part of it by its SHA-256, and can be derived again from its ledger.',
    contents: [
      ['file', 'Check a file that you downloaded'],
      ['snapshot', 'Check a whole snapshot'],
      ['pointer', 'Check who published it'],
      ['promises', 'What it promises'],
    ],
    body: html`<p class="lead">The service serves a snapshot: parts that never change, named by a manifest. One digest proves all of it.</p>
      <h2 id="file">Check a file that you downloaded</h2>
      <p>The <code>ETag</code> of a public file is the beginning of the SHA-256 of its bytes, 32 digits long.</p>
      ${codeBlock(code`curl -s "${base}/demo" -D headers.txt -o demo.json\ngrep -i '^etag' headers.txt\nsha256sum demo.json | cut -c1-32`, 'Commands')}
      <p>The two are the same. With compression the tag ends in <code>-br</code> or <code>-gzip</code>; the digits before it are those of the plain file. The <a href="/dcat.json">data catalogue</a> has the whole SHA-256 of each sample.</p>
      <h2 id="snapshot">Check a whole snapshot</h2>
      <p><a href="/health"><code>/health</code></a> names the snapshot that is being served: the day of its data, a hyphen, and the first 16 digits of the SHA-256 of its manifest, which names everything else by its SHA-256. Whoever holds the directory of snapshots can check it without this program:</p>
      ${codeBlock(code`cd "$SNAPSHOTS_DIR"; m="manifests/$ID.json"\nsha256sum "$m" | cut -c1-16\njq -r '.segments[] | "\\(.headSha256)  segments/\\(.name)/segment.json"' "$m" | sha256sum -c --quiet\njq -r '.segments[].name' "$m" | while read -r s; do\n  jq -r --arg s "segments/$s" '.tables | to_entries[] | .key as $t | .value.files\n    | "\\(.rows.sha256)  \\($s)/\\($t).jsonl.gz", "\\(.index.sha256)  \\($s)/\\($t).index.jsonl.gz"' "segments/$s/segment.json"\ndone | sha256sum -c --quiet\nfor f in files/*/*; do echo "\${f##*/}  $f"; done | sha256sum -c --quiet`, 'Commands')}
      <p>With the program, one command checks every hash, count, order and index, and the tables against each other. With the ledger it derives everything again and compares bytes:</p>
      ${codeBlock(code`npm run verify\nnpm run verify -- --ledger data/ledger`, 'Commands')}
      <h2 id="pointer">Check who published it</h2>
      <p>The pointer, <code>current.json</code>, says which snapshot is current. An operator can sign it: <code>SIGNING_KEY_FILE</code> names the private key for the build, and a service with <code>TRUSTED_KEY</code>, the public key, takes no other pointer: none that is unsigned, altered, older than one it took, or expired. <a href="/health"><code>/health</code></a> then tells <code>pointerSignature</code>. By hand:</p>
      ${codeBlock(code`openssl genpkey -algorithm ed25519 -out signing.pem\nopenssl pkey -in signing.pem -pubout -out trusted.pem\njq -r '"filing-event-intelligence pointer", .snapshotId, .manifestSha256, (.previous | join(",")),\n  (.signature | .number, .madeAt, .expiresAt)' current.json > text\njq -r .signature.signature current.json | base64 -d > signature\nopenssl pkeyutl -verify -pubin -inkey trusted.pem -rawin -in text -sigfile signature`, 'Commands')}
      <p>A pointer is good for seven days, and each build signs it anew. To change the key: give every service both public keys (<code>TRUSTED_KEY</code> takes several, PEM blocks one after the other or base64 lines with commas between), let the build sign with the new one, then take the old one away. If a key is stolen, take it away at once: services go on with what they have until the new key has signed.</p>
      <h2 id="promises">What it promises</h2>
      <ul><li><strong>Nothing is lost.</strong> Every accession number that EDGAR listed is in the snapshot, or in the refusals of the run that met it.</li>
        <li><strong>Nothing is invented.</strong> Every value comes from EDGAR, or from a rule that is written down.</li>
        <li><strong>Nothing moves.</strong> A filing never vanishes and keeps its <code>ingestedAt</code>. An entry of the change feed keeps its place and its content; what is found later is a <a href="/docs/polling#corrections">correction</a>, a further entry.</li>
        <li><strong>The same ledger gives the same bytes.</strong> No clock and no chance is part of a build.</li>
        <li><strong>A broken snapshot is not served.</strong> The service checks a new one before it turns to it, and goes on with the last good one.</li></ul>`,
  };
}
