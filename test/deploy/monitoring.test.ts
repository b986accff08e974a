import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

const FOLDER = 'deploy/kustomize/components/monitoring';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook_url: string };
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

let service: TestService;
let rules: readonly Rule[];
let panels: readonly Panel[];
beforeAll(async () => {
  service = await startTestService();
  const { spec } = parse(await readFile(`${FOLDER}/prometheus-rule.yaml`, 'utf8')) as {
    spec: { groups: { rules: Rule[] }[] };
  };
  rules = spec.groups.flatMap((group) => group.rules);
  ({ panels } = JSON.parse(await readFile(`${FOLDER}/kube-placement.json`, 'utf8')) as { panels: Panel[] });
});
afterAll(() => service.close());

const metrics = async (): Promise<string> => (await service.request('GET', '/metrics')).text;

describe('alerts and dashboard', () => {
  it('use metrics that the service exports, with labels that they have', async () => {
    await store(service, 'own', [node('a')]);
    const text = await metrics();
    const exported = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? ['_bucket', '_count', '_sum'].map((suffix) => name! + suffix) : [name!],
      ),
    );
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(25);
    for (const expression of expressions) {
      const used = expression.match(/\b(?:kube_placement|process|nodejs)_\w+/g) ?? (expression.match(/\bup\b/g) || []);
      expect([expression, used.filter((name) => name !== 'up' && !exported.has(name))]).toEqual([expression, []]);
      expect([expression, used.length > 0]).toEqual([expression, true]);
    }
  });

  it('have a runbook for each alert, and no other, with the expression of the alert', async () => {
    const pages = (await readdir('docs/runbooks')).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
    const index = await readFile('docs/runbooks/README.md', 'utf8');
    for (const { alert, expr, annotations } of rules) {
      const page = await readFile(annotations.runbook_url, 'utf8');
      expect(page).toContain(`# ${alert}\n`);
      expect(page).toContain(`\n${expr}\n`);
      expect(index).toContain(`(${alert}.md)`);
    }
  });
});

describe('metrics for alerts', () => {
  it('tell whether trails hold when they are verified', async () => {
    await store(service, 'proven', [node('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })]);
    const verify = () => service.request('GET', '/api/v1/clusters/proven/taint-trail/verify');
    expect((await verify()).at('holds')).toBe(true);
    expect(await metrics()).toContain('kube_placement_trail_verifications_total{cluster="proven",outcome="holds"} 1');
    await sql(service.databaseUrl, 'alter table taint_trail disable trigger all');
    await sql(service.databaseUrl, `update taint_trail set hash = decode(repeat('00', 32), 'hex')`);
    expect((await verify()).at('holds')).toBe(false);
    expect(await metrics()).toContain('kube_placement_trail_verifications_total{cluster="proven",outcome="broken"} 1');
  });

  it('tell whether the database can be used', async () => {
    expect(await metrics()).toContain('kube_placement_ready{check="database"} 1');
    await service.postgres.server.stop();
    expect(await metrics()).toContain('kube_placement_ready{check="database"} 0');
  });
});
