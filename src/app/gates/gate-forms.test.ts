import { describe, expect, it } from '@jest/globals';
import { gate } from '../../contract/gates/gate.js';
import { exampleOf } from '../../contract/example-of.js';
import { gateJunit } from './gate-junit.js';
import type { GateAnswer } from './gate-names.js';
import { gateSarif } from './gate-sarif.js';
import { gateText } from './gate-text.js';

const EXAMPLE = exampleOf(gate) as GateAnswer;
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  document: 1,
  line: 12,
  pointer: '',
};
const ACCOUNT = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  namespace: 'shop',
  name: 'web',
  document: 0,
  line: 1,
  pointer: '',
};
const INGRESS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  namespace: 'shop',
  name: 'web',
  document: 2,
  line: 40,
  pointer: '',
};
const MESSAGE =
  '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

const TAINTED: GateAnswer['reasons'][number]['nodeGroups'][number] = {
  count: 1,
  nodes: ['node-2'],
  reasons: [
    {
      plugin: 'TaintToleration',
      code: 'UntoleratedTaint',
      first: true,
      status: 'UnschedulableAndUnresolvable',
      message: 'node(s) had untolerated taint(s)',
      facts: { taint: { key: 'gpu', value: 'true', effect: 'NoSchedule' } },
      fields: [
        { object: 'pod', path: 'spec.template.spec.tolerations', pointer: '/spec/template/spec/tolerations' },
        { object: 'node', path: 'spec.taints[0]', pointer: '/spec/taints/0' },
      ],
    },
  ],
  untoleratedTaints: [
    { key: 'gpu', value: 'true', effect: 'NoSchedule', text: 'gpu=true:NoSchedule', implied: false, wellKnown: null },
  ],
  columns: [],
};

const NO: GateAnswer = {
  ...EXAMPLE,
  verdict: 'no',
  summary: '2 of 3 pods find no node; 1 object was not looked at',
  decision: null,
  reasons: [
    {
      code: 'Unschedulable',
      verdict: 'no',
      object: WEB,
      message: MESSAGE,
      by: 'default-scheduler',
      pods: 2,
      nodeGroups: [TAINTED],
      load: [],
    },
  ],
  objects: [
    { ...ACCOUNT, outcome: 'created', code: 201, message: null, warnings: [] },
    { ...WEB, outcome: 'created', code: 201, message: null, warnings: [] },
    {
      ...INGRESS,
      outcome: 'notLookedAt',
      code: null,
      message: 'Ingresses do not decide where pods can run',
      warnings: [],
    },
  ],
  workloads: [
    {
      ...WEB,
      desired: 3,
      created: 3,
      bound: 1,
      pending: 2,
      ready: 1,
      nodes: [{ node: 'node-1', pods: 1, devices: [] }],
      failedCreate: [],
      failedScheduling: [{ message: MESSAGE, pods: 2 }],
      preempts: [],
    },
  ],
  warnings: [
    {
      code: 'QuotaNearlyFull',
      rule: null,
      message: 'quota shop/team: 19 of 20 pods are used afterwards (95%)',
      object: null,
      field: null,
    },
  ],
  quotas: [{ namespace: 'shop', name: 'team', resource: 'pods', hard: '20', before: '16', after: '19' }],
  changes: [
    {
      of: 'Manifest',
      object: WEB,
      text: 'tolerate gpu=true:NoSchedule',
      patch: [{ op: 'add', path: '/spec/template/spec/tolerations', value: [{ key: 'gpu', operator: 'Exists' }] }],
      command: null,
    },
  ],
  load: [],
};

describe('a gate as text', () => {
  it('says the verdict first, then what to fix, and then what else there is', () => {
    expect(gateText(NO)).toBe(`NO: 2 of 3 pods find no node; 1 object was not looked at
Cluster eks-prod, revision 7, rules of Kubernetes v1.36.2

What to fix, in this order:
  1. Deployment shop/web (line 12): 2 pods find no node
     default-scheduler: ${MESSAGE}
       1 node (node-2):
         node(s) had untolerated taint(s) (gpu=true:NoSchedule) [TaintToleration]; spec.template.spec.tolerations

Changes that make it yes, evaluated together:
  1. Deployment shop/web (line 12): tolerate gpu=true:NoSchedule
       add /spec/template/spec/tolerations [{"key":"gpu","operator":"Exists"}]

Workloads:
  Deployment shop/web: 1 of 3 on nodes, 2 pending; node-1 1

Warnings:
  quota shop/team: 19 of 20 pods are used afterwards (95%)

Quotas:
  shop/team pods: 16 -> 19 of 20

Not looked at:
  Ingress shop/web: Ingresses do not decide where pods can run
`);
  });

  it('shows no control character of a name or message', () => {
    const hostile = { ...NO, summary: 'a\u001b[31mb\u0007c' };
    expect(gateText(hostile).split('\n')[0]).toBe('NO: a\ufffd[31mb\ufffdc');
  });
});

describe('a gate as SARIF', () => {
  it('has a result for each reason and warning, at the line of its object', () => {
    const { version, runs } = gateSarif(NO) as {
      readonly version: string;
      readonly runs: readonly {
        readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
        readonly results: readonly {
          readonly ruleId: string;
          readonly ruleIndex: number;
          readonly level: string;
          readonly locations: readonly object[];
        }[];
      }[];
    };
    expect(version).toBe('2.1.0');
    const { tool, results } = runs[0]!;
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['Unschedulable', 'error'],
      ['QuotaNearlyFull', 'warning'],
    ]);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
    expect(results[0]!.locations).toEqual([
      {
        physicalLocation: { artifactLocation: { uri: 'manifests.yaml' }, region: { startLine: 12 } },
        logicalLocations: [{ fullyQualifiedName: 'Deployment shop/web', kind: 'resource' }],
      },
    ]);
  });
});

describe('a gate as JUnit XML', () => {
  it('has a test case for each object', () => {
    const xml = gateJunit({ ...NO, summary: 'a <b> & "c"' });
    expect(xml).toContain('tests="3" failures="1" errors="0" skipped="1"');
    expect(xml).toContain('<testcase classname="ServiceAccount" name="ServiceAccount shop/web"/>');
    expect(xml).toContain('<failure type="Unschedulable" message="0/2 nodes are available: 1 Insufficient cpu');
    expect(xml).toContain('>2 pods: 0/2 nodes are available');
    expect(xml).toContain('<skipped message="Ingresses do not decide where pods can run"/>');
    expect(xml).toContain('value="a &lt;b&gt; &amp; &quot;c&quot;"');
  });

  it('is an error where something is not known', () => {
    const unknown = NO.reasons.map((reason) => ({ ...reason, verdict: 'unknown' as const }));
    expect(gateJunit({ ...NO, verdict: 'unknown', reasons: unknown })).toContain('failures="0" errors="1"');
  });

  it('has a test case for what is about no object', () => {
    const reasons = NO.reasons.map((reason) => ({ ...reason, object: null }));
    expect(gateJunit({ ...NO, reasons })).toContain('<testcase classname="Gate" name="request">');
  });
});
