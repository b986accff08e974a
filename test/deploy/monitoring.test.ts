import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';
import { parseExpression } from './promql.js';

const FOLDER = 'deploy/kustomize/components/monitoring';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
}

/** A row of docs/metrics.md. */
interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly meaning: string;
}

/** Labels that Prometheus adds to each sample of a ServiceMonitor. */
const LABELS_OF_TARGETS = ['job', 'instance', 'namespace', 'service', 'pod', 'container', 'endpoint'];

let service: TestService;
let rules: readonly Rule[];
let dashboard: Dashboard;
let documented: readonly DocumentedMetric[];
beforeAll(async () => {
  service = await startTestService();
  const { spec } = parse(await readFile(`${FOLDER}/prometheus-rule.yaml`, 'utf8')) as {
    spec: { groups: { rules: Rule[] }[] };
  };
  rules = spec.groups.flatMap((group) => group.rules);
  dashboard = JSON.parse(await readFile(`${FOLDER}/kube-placement.json`, 'utf8')) as Dashboard;
  const rows = (await readFile('docs/metrics.md', 'utf8')).matchAll(/^\| `(\w+)` \| (\w+) \| (.*) \| (.*) \|$/gm);
  documented = [...rows].map(([, name, type, labels, meaning]) => ({
    name: name!,
    type: type!,
    labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
    meaning: meaning!,
  }));
});
afterAll(() => service.close());

const metrics = async (): Promise<string> => (await service.request('GET', '/metrics')).text;

/** The labels of each series of a family, by its name: a histogram has three, and buckets have the label le. */
function seriesOf({ name, type, labels }: DocumentedMetric): [string, readonly string[]][] {
  if (type !== 'histogram') return [[name, labels]];
  return [
    [`${name}_bucket`, [...labels, 'le']],
    [`${name}_count`, labels],
    [`${name}_sum`, labels],
  ];
}

describe('the table of metrics', () => {
  it('has every metric that the service exports, and no other, with its type, meaning and labels', async () => {
    await store(service, 'own', [node('a')]);
    const text = await metrics();
    const exported = [...text.matchAll(/^# HELP (kube_placement_\w+) (.*)\n# TYPE \S+ (\w+)$/gm)];
    const described = exported.map(([, name, meaning, type]) => ({ name, type, meaning }));
    const byName = (a: { name: string | undefined }, b: { name: string | undefined }): number =>
      a.name! < b.name! ? -1 : 1;
    expect(documented.map(({ name, type, meaning }) => ({ name, type, meaning }))).toEqual(described.sort(byName));
    const labels = new Map(documented.flatMap(seriesOf));
    const samples = [...text.matchAll(/^(kube_placement_\w+)\{(.*)\} \S+$/gm)];
    expect(samples.length).toBeGreaterThan(20);
    for (const [, name, pairs] of samples) {
      const used = [...pairs!.matchAll(/(\w+)="/g)].map(([, label]) => label);
      expect([name, [...used].sort()]).toEqual([name, [...labels.get(name!)!].sort()]);
    }
  });
});

describe('alerts and dashboard', () => {
  it('are expressions that Prometheus understands, of metrics that the service exports, by labels that they have', async () => {
    const ofProcess = [...(await metrics()).matchAll(/^# TYPE ((?:process|nodejs)_\w+) /gm)].map(([, name]) => name!);
    const known = new Map<string, readonly string[]>([
      ['up', []],
      ...ofProcess.map((name): [string, readonly string[]] => [name, []]),
      ...documented.flatMap(seriesOf),
    ]);
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(25);
    for (const expression of expressions) {
      const selections = parseExpression(expression);
      expect([expression, selections.length > 0]).toEqual([expression, true]);
      for (const { metric, labels } of selections) {
        const allowed = [...(known.get(metric) ?? ['no such metric']), ...LABELS_OF_TARGETS];
        expect([expression, labels.filter((label) => !allowed.includes(label))]).toEqual([expression, []]);
        expect([expression, known.has(metric)]).toEqual([expression, true]);
      }
    }
    for (const { query } of dashboard.templating.list.filter(({ type }) => type === 'query')) {
      const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query)!;
      expect([query, known.get(metric!)]).toEqual([query, expect.arrayContaining([label])]);
    }
  });

  it('are refused where an expression is wrong', () => {
    expect(() => parseExpression('sum(rate(kube_placement_ready[5m])')).toThrow('does not understand');
    expect(() => parseExpression('nosuchfunction(kube_placement_ready)')).toThrow('does not understand');
    expect(() => parseExpression('kube_placement_ready{check=database}')).toThrow('does not understand');
  });

  it('name in their text only labels that the expression leaves', () => {
    const texts = [
      ...rules.map(({ expr, annotations }) => ({
        expr,
        text: Object.values(annotations).join(' '),
        label: /\$labels\.(\w+)/g,
      })),
      ...dashboard.panels.flatMap(({ targets }) =>
        targets.map(({ expr, legendFormat }) => ({ expr, text: legendFormat, label: /\{\{(\w+)\}\}/g })),
      ),
    ];
    for (const { expr, text, label } of texts) {
      const left = parseExpression(expr).flatMap(({ labels }) => labels);
      const isAggregated = /^(sum|max|min|histogram_quantile)\b/.test(expr);
      for (const [, name] of text.matchAll(label)) {
        expect([expr, isAggregated ? left : [...left, ...LABELS_OF_TARGETS]]).toEqual([
          expr,
          expect.arrayContaining([name]),
        ]);
      }
    }
  });

  it('have a severity, a summary and a description, and name the cluster where there is one', () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect([alert, Object.keys(labels)]).toEqual([alert, ['severity']]);
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect([alert, Object.keys(annotations).sort()]).toEqual([alert, ['description', 'runbook_url', 'summary']]);
      const isByCluster = expr.includes('by (cluster)');
      expect([alert, annotations['summary']!.includes('{{ $labels.cluster }}')]).toEqual([alert, isByCluster]);
    }
  });

  it('have a runbook for each alert, and no other, with its severity and expression', async () => {
    const pages = (await readdir('docs/runbooks')).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
    const index = await readFile('docs/runbooks/README.md', 'utf8');
    for (const { alert, expr, labels, annotations, ...rule } of rules) {
      expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert}.md`);
      const page = await readFile(annotations['runbook_url']!, 'utf8');
      const severity = labels['severity']!;
      const heading = `# ${alert}\n\n${severity[0]!.toUpperCase()}${severity.slice(1)}, `;
      expect(page.slice(0, heading.length)).toBe(heading);
      expect(page.split('\n')[2]).toContain(rule.for === '0m' ? 'after the first time' : `after ${rule.for}`);
      expect(page).toContain(`\n${expr}\n`);
      expect(index).toContain(`[${alert}](${alert}.md) | ${severity} |`);
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
