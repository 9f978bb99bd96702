import {
  groups,
  dayText,
  countText,
  numberText,
  groupNames,
  type Group,
} from '../pages/parts/family-words.ts';
import { showBubble } from './bubble.ts';

/** Shows the filings of the day under the pointer. The numbers are read from the bars. */
const chart = document.getElementById('chart');
if (chart) tellDays(chart);

interface Day {
  readonly date: string;
  readonly counts: Map<Group, number>;
}

function daysOf(figure: HTMLElement): Day[] {
  const time = Date.parse(figure.dataset['first'] ?? '');
  let passed = 0;
  const days = [...(figure.dataset['steps'] ?? '')].map((step): Day => {
    passed += Number(step);
    return { date: new Date(time + passed * 86_400_000).toISOString().slice(0, 10), counts: new Map() };
  });
  for (const path of figure.querySelectorAll('svg svg path')) {
    for (const [, at, count] of (path.getAttribute('d') ?? '').matchAll(/M(\d+) -?\d+h8v(\d+)/g))
      days[(Number(at) - 1) / 10]?.counts.set(path.getAttribute('class') as Group, Number(count));
  }
  return days;
}

function textOf({ date, counts }: Day): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = groupNames
    .filter((group) => counts.has(group))
    .toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  return `${dayText(date)}: ${countText(total, 'filing')}${parts.length > 0 ? '\n' : ''}${parts.map((group) => `${groups[group]} ${numberText(counts.get(group) ?? 0)}`).join('\n')}`;
}

function tellDays(figure: HTMLElement): void {
  const days = daysOf(figure);
  const stage = figure.querySelector('.stage') as HTMLElement;
  const bubble = document.getElementById('bubble') as HTMLElement;
  stage.addEventListener('pointermove', (event) => {
    const { left, top, width } = stage.getBoundingClientRect();
    const day = days[Math.floor(((event.clientX - left) / width) * days.length)];
    showBubble(bubble, day ? textOf(day) : '', event.clientX - left, event.clientY - top, width);
  });
  stage.addEventListener('pointerleave', () => showBubble(bubble, '', 0, 0, 0));
}

/** Milliseconds between two filings of the recorded stream. */
const streamMs = 1100;

/** Lets the filings of the recorded stream come one by one, where the reader wants motion. */
const stream = document.getElementById('stream');
if (stream && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
  const rows = [...stream.children] as HTMLElement[];
  for (const row of rows) row.classList.add('coming');
  for (const [at, row] of rows.entries()) setTimeout(() => row.classList.remove('coming'), at * streamMs);
}
