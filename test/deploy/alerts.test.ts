import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { deliverFigures, type Delivering } from '../../build/deliver/deliver-figures.ts';
import { followFigures } from '../../build/follow/follow-figures.ts';
import type { Follower } from '../../build/follow/follower.ts';
import { createLog } from '../../src/log/log.ts';
import { serviceFigures, type Measured } from '../../src/metrics/service-figures.ts';
import { has, needs } from '../support/needs.ts';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const text = (name: string) => readFileSync(`${folder}${name}`, 'utf8');
const { groups } = parse(text('alerts.yml')) as {
  groups: {
    rules: {
      alert: string;
      expr: string;
      labels: { severity: string };
      annotations: { summary: string; runbook: string };
    }[];
  }[];
};
const rules = groups.flatMap((group) => group.rules);
const tried = (
  parse(text('alerts.test.yml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  }
).tests.flatMap((each) => each.alert_rule_test);
const figures = [
  ...serviceFigures({ services: {} } as Measured),
  ...followFigures({} as Follower),
  ...deliverFigures({} as Delivering),
];

describe('the alerts', () => {
  it('there are alerts, with distinct names', () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules)(
    '$alert asks for metrics that there are, and does not vanish with its process',
    ({ expr }) => {
      const names = [...expr.matchAll(/\b(fei_\w+|up\b)/g)].map(([name]) => name as string);
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(['up', ...figures.map((each) => each.name)]).toContain(name);
      // `up` is Prometheus's own. Every other selector is asked for its absence or over a range of time.
      const plain = expr.replaceAll(/\babsent\(\w+\)|[\w{}=~"|.,]+\[\w+\]|\bup\{[^}]*\}/g, '');
      expect(plain).not.toMatch(/fei_/);
    },
  );

  it.each(rules)('$alert has an entry in the runbook, and a test that it is raised', ({ alert, ...rule }) => {
    const entry = text('RUNBOOK.md').split(`\n## ${alert}\n`)[1]?.split('\n## ')[0] ?? '';
    expect(entry).toContain(rule.annotations.summary);
    expect(entry).toContain(`\`${rule.labels.severity}\``);
    expect(entry).toMatch(/\*\*It means:\*\* .+\n\n\*\*Do:\*\* .+/);
    expect(rule.annotations.runbook).toBe(`deploy/RUNBOOK.md#${alert.toLowerCase()}`);
    expect(tried.some(({ alertname, exp_alerts: raised }) => alertname === alert && raised)).toBe(true);
  });

  it('the runbook has an entry for each alert, and for nothing else', () => {
    const entries = [...text('RUNBOOK.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(rules.map(({ alert }) => alert));
  });

  it('the reasons for which the runbook says that a pointer is refused are those of the log', () => {
    const entry = text('RUNBOOK.md').split('\n## FilingsPointerRefused\n')[1]?.split('\n## ')[0] ?? '';
    const reasons = [...entry.matchAll(/`(its? [^`]+)`/g)].map(([, reason = '']) => reason);
    expect(reasons.length).toBe(3);
    const source = readFileSync(`${folder}../src/snapshot/trust.ts`, 'utf8');
    for (const reason of reasons) expect(source).toContain(reason);
  });

  it('the events that the alerts name are events that are counted', () => {
    const known = createLog(() => {}, Date.now).warnings;
    const named = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/event=~?"([^"]+)"/g)].flatMap(([, events = '']) => events.split('|')),
    );
    expect(named.length).toBeGreaterThan(3);
    for (const event of named) expect(known.get(event)).toBe(0);
  });

  it.each([
    ['check', 'alerts.yml'],
    ['test', 'alerts.test.yml'],
    ['test', 'alerts.days.test.yml'],
  ])('promtool %s rules %s finds nothing wrong', needs('promtool'), (verb, name) => {
    const { status, stdout, stderr } = spawnSync('promtool', [verb, 'rules', name], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, has('promtool') && `${stdout}${stderr}`]).toEqual([
      0,
      expect.stringContaining('SUCCESS'),
    ]);
  });
});
