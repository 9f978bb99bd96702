import { defaultAddress } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import type { DocsPage } from './docs-page.ts';

/** How a reader checks a file, and an operator checks a whole snapshot. */
export function verifyPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'verify',
    name: 'Verifying',
    title: 'Verify a snapshot',
    description:
      'A snapshot never changes. Its SHA-256 proves every part of it, and you can derive it again from its ledger.',
    contents: [
      ['file', 'Check a file that you downloaded'],
      ['snapshot', 'Check a whole snapshot'],
      ['pointer', 'Check who published it'],
      ['promises', 'What it promises'],
    ],
    body: html`<p class="lead">Whether anything is missing is another question: <a href="/completeness">how do I know that nothing is missing?</a></p>
      <p>The service serves a snapshot: files that never change, listed in a manifest. The digest of the manifest proves all of them.</p>
      <h2 id="file">Check a file that you downloaded</h2>
      <p>The <code>ETag</code> of a public file is the first 32 digits of its SHA-256.</p>
      ${codeBlock(code`curl -s "${base}/demo" -D headers.txt -o demo.json\ngrep -i '^etag' headers.txt\nsha256sum demo.json | cut -c1-32`, 'Commands')}
      <p>Both commands print the same digits. If the answer was compressed, the ETag ends in <code>-br</code> or <code>-gzip</code>; the digits before that are those of the plain file. <a href="/dcat.json"><code>/dcat.json</code></a> has the whole SHA-256 of each sample.</p>
      <h2 id="snapshot">Check a whole snapshot</h2>
      <p><a href="/health"><code>/health</code></a> names the current snapshot. The name has the day of the data, a hyphen, and the first 16 digits of the SHA-256 of the manifest. The manifest leads to the SHA-256 of everything else. With the snapshots folder, you can check all of it without this program:</p>
      ${codeBlock(code`cd snapshots; ID=$(jq -r .snapshotId current.json); m="manifests/$ID.json"\nsha256sum "$m" | cut -c1-16\njq -r '.segments[] | "\\(.headSha256)  segments/\\(.name)/segment.json"' "$m" | sha256sum -c --quiet\njq -r '.segments[].name' "$m" | while read -r s; do\n  jq -r --arg s "segments/$s" '.tables | to_entries[] | .key as $t | .value.files\n    | "\\(.rows.sha256)  \\($s)/\\($t).jsonl.gz", "\\(.index.sha256)  \\($s)/\\($t).index.jsonl.gz"' "segments/$s/segment.json"\ndone | sha256sum -c --quiet\nfor f in files/*/*; do echo "\${f##*/}  $f"; done | sha256sum -c --quiet`, 'Commands')}
      <p>With this program, one command checks every hash, count, order and index, and that tables lead to what the change feed has. It also checks the snapshots before the current one, to which the operator can go back. With the ledger, it checks every file of the ledger, derives everything again and compares the bytes:</p>
      ${codeBlock(code`npm run verify\nnpm run verify -- --ledger data/ledger`, 'Commands')}
      <h2 id="pointer">Check who published it</h2>
      <p>The pointer, <code>current.json</code>, says which snapshot is current. An operator can sign it: <code>SIGNING_KEY_FILE</code> names the private key for the build, and <code>TRUSTED_KEY</code> is the public key for the service. The service then refuses a pointer that is unsigned, altered, expired, or older than one it accepted. <a href="/health"><code>/health</code></a> shows <code>pointerSignature</code>. In it, <code>rollbackProtection</code> says how long the service refuses older pointers: <code>lasting</code> means after a restart, too. <code>this_process</code> means that it had no place to keep what it accepted: after a restart it takes any signed pointer of the last seven days. To make keys and check a pointer by hand:</p>
      ${codeBlock(code`openssl genpkey -algorithm ed25519 -out signing.pem\nopenssl pkey -in signing.pem -pubout -out trusted.pem\njq -r '"filing-event-intelligence pointer", .snapshotId, .manifestSha256, (.previous | join(",")),\n  (.signature | .number, .madeAt, .expiresAt)' current.json > text\njq -r .signature.signature current.json | base64 -d > signature\nopenssl pkeyutl -verify -pubin -inkey trusted.pem -rawin -in text -sigfile signature`, 'Commands')}
      <p>A signature is valid for seven days, and each build signs anew. To change the key, give every service and every build both public keys, let the build sign with the new one, then remove the old one. <code>TRUSTED_KEY</code> takes several keys: PEM blocks one after the other, or base64 lines separated by commas. If a key is stolen, remove it at once. Services go on with the snapshot they have until the new key has signed.</p>
      <h2 id="promises">What it promises</h2>
      <ul><li><strong>Nothing is lost.</strong> Every accession number that EDGAR listed for the universe is in the snapshot, or in the refusals of the run that found it.</li>
        <li><strong>Nothing is invented.</strong> Every value comes from EDGAR, or from a documented rule.</li>
        <li><strong>Nothing moves.</strong> A filing never disappears and keeps its <code>ingestedAt</code>. An entry of the change feed keeps its position and its content. A later finding is a <a href="/docs/polling#corrections">correction</a>: a further entry.</li>
        <li><strong>The same ledger gives the same bytes.</strong> The content of a snapshot depends on no clock and no random numbers.</li>
        <li><strong>A broken snapshot is not served.</strong> The service checks a new snapshot before it serves it. If that one is broken, it goes on with the last good one.</li></ul>`,
  };
}
