import { crc32, deflateSync } from 'node:zlib';
import { newestDayOf, type Overview } from '../content/overview.ts';
import type { PublicFile } from '../content/public-file.ts';
import { barsOf, bucketsOf } from './parts/chart.ts';
import { mark } from './parts/shell.ts';
import { groupNames, type Group } from './parts/family-words.ts';

/** Colours of pictures that stand alone; the same as in `site/styles/theme.css` for a light page. */
const colours: Readonly<Record<Group, string>> = {
  insiders: '#5f9ea0',
  sales: '#9dbf6a',
  offerings: '#d16a94',
  owners: '#8b6fc0',
  votes: '#c9a227',
  reports: '#3566b8',
  events: '#d9622b',
  other: '#8a9299',
};
const paper = '#fbfbf9';
const width = 1200;
const height = 630;
const margin = 60;
const previewDays = 180;

/** The sign of the product as a file. */
export function markFile(): { name: 'mark'; extension: string; bytes: Buffer } {
  const text = mark('')
    .text.replaceAll(/ class="(\w*)"/g, (_, name: string) =>
      name in colours ? ` fill="${colours[name as Group]}"` : '',
    )
    .replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
    .replace(' aria-hidden="true"', '');
  return { name: 'mark', extension: 'svg', bytes: Buffer.from(text) };
}

/**
 * The picture that is shown with a shared link: the filings of the last half year, a bar for each day. Its
 * name does not depend on its content. Otherwise every page, which names it, would change with each new
 * filing.
 */
export function previewFile(overview: Overview): PublicFile {
  const buckets = bucketsOf(overview.days, newestDayOf(overview), previewDays, 1);
  const highest = Math.max(1, ...buckets.map(({ total }) => total));
  const pixels = new Uint8Array(width * height);
  const stepX = (width - 2 * margin) / buckets.length;
  const stepY = (height - 2 * margin) / highest;
  for (const { group, at, from, count } of barsOf(buckets)) {
    const [left, right] = [Math.round(margin + at * stepX), Math.round(margin + (at + 0.78) * stepX)];
    const [bottom, top] = [
      Math.round(height - margin - from * stepY),
      Math.round(height - margin - (from + count) * stepY),
    ];
    for (let y = top; y < bottom; y++)
      pixels.fill(groupNames.indexOf(group) + 1, y * width + left, y * width + right);
  }
  return { path: '/assets/preview.png', contentType: 'image/png', bytes: png(pixels) };
}

/** A PNG of pixels that number a palette: the paper, then the groups. */
function png(pixels: Uint8Array): Buffer {
  const palette = Buffer.from(
    [paper, ...groupNames.map((group) => colours[group])].map((colour) => colour.slice(1)).join(''),
    'hex',
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
