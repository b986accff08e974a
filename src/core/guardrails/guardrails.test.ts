import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../json/json-value.js';
import { stepGuardrails } from './apply-guardrails.js';
import { factsOfTest, type TestInputs } from './facts.js';
import type { GuardrailResult } from './guardrail.js';
import { GUARDRAILS_SCHEMA } from './guardrails-schema.js';
import { readGuardrails } from './read-guardrails.js';
import { stepGuardrailTests } from './test-guardrails.js';

function finish<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const documentOf = (...rules: readonly object[]): JsonObject => ({
  apiVersion: 'kube-placement/v1',
  kind: 'Guardrails',
  guardrails: rules as JsonObject[],
});

const faultsOf = (...rules: readonly object[]): readonly string[] => {
  const read = readGuardrails(documentOf(...rules));
  return 'faults' in read ? read.faults.map(({ pointer, message }) => `${pointer} ${message}`) : [];
};

function rulesOf(...rules: readonly object[]) {
  const read = readGuardrails(documentOf(...rules));
  if ('faults' in read) throw new Error(read.faults.map(({ message }) => message).join('; '));
  return read.guardrails;
}

const apply = (rule: object, given: TestInputs): GuardrailResult =>
  finish(stepGuardrails(rulesOf({ name: 'r', action: 'refuse', ...rule }), factsOfTest(given)))[0]!;

describe('a document of guardrails', () => {
  it('has a schema that is published as it is checked', async () => {
    const published: unknown = JSON.parse(await readFile('docs/guardrails.schema.json', 'utf8'));
    expect(published).toEqual(GUARDRAILS_SCHEMA);
  });

  it('is refused with all of its faults, each with its place', () => {
    expect(
      faultsOf(
        { name: 'a', require: 'preview.evictions.soon <= 10 &&\n  change.node == 1', action: 'refuse' },
        { name: 'a', require: 'preview.evictions.now', action: 'forbid' },
        { name: 'b', require: 'preview.evictions.now', action: 'warn', messageExpression: '1', approvals: 2 },
        { name: 'c', require: 'change.approvals > 1', action: 'refuse' },
        { name: 'd', require: 'change.approvals > 1', action: 'requireApproval', approvals: 2 },
        { name: 'e', require: 'true', action: 'warn', tests: [{ name: 't', given: { now: 'noon' }, expect: 'holds' }] },
      ),
    ).toEqual([
      '/guardrails/1/action must be "refuse" or "warn" or "requireApproval", not "forbid"',
      '/guardrails/1/name names are unique, and rule 1 has this one',
      "/guardrails/0/require 1:18: undefined field 'soon'",
      "/guardrails/0/require 2:9: undefined field 'node'",
      '/guardrails/2/require must be of type bool, not int',
      '/guardrails/2/messageExpression must be of type string, not int',
      '/guardrails/2/approvals only rules with action requireApproval ask for approvals, not those with warn',
      '/guardrails/3/action nobody has approved a change when it is asked, so it would be refused: use requireApproval',
      '/guardrails/4/approvals the expression reads the approvals of the change, so it decides itself how many are enough',
      '/guardrails/5/tests/0/given/now must be a time as in RFC 3339, not "noon"',
    ]);
  });

  it('is refused where the syntax is wrong', () => {
    expect(faultsOf({ name: 'a', require: 'preview.', action: 'warn' })).toEqual([
      expect.stringMatching(/^\/guardrails\/0\/require 1:9: /),
    ]);
  });
});

describe('a rule', () => {
  const node = (name: string, labels: Record<string, string>): JsonObject => ({ name, labels });
  const EVICTIONS = { require: 'preview.evictions.now <= 10' };
  const PROD = {
    require: 'change.nodes.all(n, n.labels["env"] != "prod") || change.approvals >= 2',
    action: 'requireApproval',
  };
  const SHARE = { require: 'double(preview.nodesUnschedulable) / double(cluster.nodes) < 0.2' };

  it.each([
    [EVICTIONS, { preview: { evictions: { now: 10 } } }, 'holds'],
    [EVICTIONS, { preview: { evictions: { now: 11 } } }, 'refused'],
    [{ ...EVICTIONS, action: 'warn' }, { preview: { evictions: { now: 11 } } }, 'warned'],
    [SHARE, { preview: { nodesUnschedulable: 1 }, cluster: { nodes: 6 } }, 'holds'],
    [SHARE, { preview: { nodesUnschedulable: 1 }, cluster: { nodes: 5 } }, 'refused'],
    [PROD, { change: { nodes: [node('a', { env: 'dev' }), node('b', {})] } }, 'holds'],
    [PROD, { change: { nodes: [node('a', { env: 'dev' }), node('b', { env: 'prod' })] } }, 'approvalNeeded'],
    [PROD, { change: { approvals: 1, nodes: [node('b', { env: 'prod' })] } }, 'approvalNeeded'],
    [PROD, { change: { approvals: 2, nodes: [node('b', { env: 'prod' })] } }, 'approved'],
  ])('%j of %j: %s', (rule, given, outcome) => {
    expect(apply(rule, given as TestInputs).outcome).toBe(outcome);
  });

  it('says how many approvals it needs', () => {
    const given = { change: { nodes: [node('b', { env: 'prod' })] } };
    expect(apply(PROD, given).approvalsNeeded).toBe(2);
    expect(apply({ require: 'false', action: 'requireApproval' }, {}).approvalsNeeded).toBe(1);
    expect(apply({ require: 'false', action: 'requireApproval', approvals: 3 }, {}).approvalsNeeded).toBe(3);
    const bySre = { require: 'change.approvers.exists(a, "sre" in a.groups)', action: 'requireApproval' };
    expect(apply(bySre, {})).toMatchObject({ outcome: 'approvalNeeded', approvalsNeeded: null });
    const sre = { name: 'bob', kind: 'oidc', groups: ['sre'] };
    expect(apply(bySre, { change: { approvals: 1, approvers: [sre] } }).outcome).toBe('holds');
  });

  it('refuses what no number of approvals allows', () => {
    const rule = { require: 'change.nodes.size() < 3 && change.approvals > 0', action: 'requireApproval' };
    const three = { change: { nodes: ['a', 'b', 'c'].map((name) => node(name, {})) } };
    expect(apply(rule, three)).toMatchObject({
      outcome: 'refused',
      message: `${rule.require} is not true (no number of approvals makes it true)`,
    });
  });

  it('refuses if it cannot be evaluated, unless it only warns', () => {
    const broken = { require: '[1, 2][change.nodes.size()] == 1' };
    const five = { change: { nodes: [1, 2, 3, 4, 5].map((one) => node(String(one), {})) } };
    expect(apply(broken, five)).toMatchObject({
      outcome: 'refused',
      evaluation: 'error',
      message: `${broken.require} is not true (the expression could not be evaluated: index out of bounds: 5)`,
    });
    expect(apply({ ...broken, action: 'requireApproval' }, five).outcome).toBe('refused');
    expect(apply({ ...broken, action: 'warn' }, five).outcome).toBe('warned');
  });

  it('refuses if it costs too much', () => {
    const costly = { require: 'lists.range(2000).all(i, lists.range(2000).all(j, i + j >= 0))' };
    expect(apply(costly, {})).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('cost limit exceeded') as unknown,
    });
  });

  it('is evaluated on thousands of nodes within its cost', () => {
    const nodes = Array.from({ length: 10_000 }, (_, index) => node(`n${index}`, { env: 'dev', zone: 'a' }));
    const rule = { require: 'change.nodes.all(n, n.labels["env"] != "prod" && n.labels.zone.startsWith("a"))' };
    expect(apply(rule, { change: { nodes } })).toMatchObject({ outcome: 'holds' });
  });

  it('does not hold where it reads something unknown, and says what', () => {
    const given: TestInputs = { preview: { unknown: ['evictions', 'budgets'] } };
    expect(apply(EVICTIONS, given)).toMatchObject({
      outcome: 'refused',
      evaluation: 'unknown',
      message: 'preview.evictions.now <= 10 is not true (preview.evictions is not known: the test says so)',
    });
    expect(apply({ require: 'preview.budgets.violated == 0 || change.nodes.size() == 0' }, given).outcome).toBe(
      'holds',
    );
    const orTwo = { require: 'preview.budgets.violated == 0 || change.approvals >= 2', action: 'requireApproval' };
    expect(apply(orTwo, given)).toMatchObject({ outcome: 'approvalNeeded', evaluation: 'unknown', approvalsNeeded: 2 });
  });

  it('tells labels that a node lacks from empty ones where it asks', () => {
    const given = { change: { nodes: [node('a', { env: '' }), node('b', {})] } };
    expect(apply({ require: 'change.nodes.all(n, n.labels.env == "")' }, given).outcome).toBe('holds');
    expect(apply({ require: 'change.nodes.filter(n, "env" in n.labels).size() == 1' }, given).outcome).toBe('holds');
    expect(apply({ require: 'change.nodes.filter(n, has(n.labels.env)).size() == 1' }, given).outcome).toBe('holds');
    expect(apply({ require: 'change.nodes.all(n, n.labels[?"env"].orValue("none") == "")' }, given).outcome).toBe(
      'refused',
    );
  });

  it('gives its message, or that of an expression', () => {
    const message = 'too many evictions';
    const rule = { ...EVICTIONS, message };
    const given = { preview: { evictions: { now: 11 } } };
    expect(apply(rule, given).message).toBe(message);
    const said = { ...rule, messageExpression: '"evicts %d pods".format([preview.evictions.now])' };
    expect(apply(said, given).message).toBe('evicts 11 pods');
    expect(apply({ ...rule, messageExpression: 'change.nodes[0].name' }, given).message).toBe(message);
    expect(apply(rule, {}).message).toBeNull();
  });
});

describe('a rule and a change of a DeviceTaintRule', () => {
  const RULE = { name: 'broken', outcome: 'created', driver: 'gpu.example.com', pool: 'a' };
  const ofRule = (more: JsonObject = {}, preview: JsonObject = {}): TestInputs => ({
    change: { deviceTaintRule: RULE, taintsAdded: ['example.com/broken=true:NoExecute'], ...more },
    preview,
  });
  const PROD = 'change.nodes.all(n, n.labels["env"] != "prod")';
  const onNode = (env: string): JsonObject => ({ driver: 'gpu.example.com', node: 'a', nodeLabels: { env } });

  it('never takes it for a change of no nodes', () => {
    for (const require of [PROD, 'change.nodes.size() <= 5', 'preview.workloads.withoutNode == 0']) {
      expect(apply({ require }, {}).outcome).toBe('holds');
      expect(apply({ require }, ofRule())).toMatchObject({
        outcome: 'refused',
        evaluation: 'unknown',
        message: expect.stringContaining('is not known: the change is of a DeviceTaintRule)') as unknown,
      });
    }
    expect(apply({ require: PROD, action: 'warn' }, ofRule()).outcome).toBe('warned');
    expect(apply({ require: PROD, action: 'requireApproval' }, ofRule()).outcome).toBe('approvalNeeded');
    expect(apply({ require: `change.subject != "nodes" || ${PROD}` }, ofRule()).outcome).toBe('holds');
    const prod = { change: { nodes: [{ name: 'n', labels: { env: 'prod' } }] } };
    expect(apply({ require: `change.subject != "nodes" || ${PROD}` }, prod).outcome).toBe('refused');
  });

  it.each([
    ['change.devices.all(d, d.nodeLabels["env"] != "prod")', { devices: [onNode('dev')] }, {}, 'holds'],
    ['change.devices.all(d, d.nodeLabels["env"] != "prod")', { devices: [onNode('prod')] }, {}, 'refused'],
    ['!has(change.deviceTaintRule) || change.deviceTaintRule.device != ""', {}, {}, 'refused'],
    ['change.taintsAdded.all(t, t.effect != "NoExecute")', {}, {}, 'refused'],
    ['preview.evictions.now <= 1', {}, { evictions: { now: 1 } }, 'holds'],
    ['preview.evictions.now <= 1', {}, { evictions: { now: 2 } }, 'refused'],
    ['preview.evictedPods.all(p, p.namespace != "prod")', {}, { evictedPods: [{ namespace: 'prod' }] }, 'refused'],
    ['preview.budgets.violated == 0', {}, { budgets: { violated: 1 } }, 'refused'],
    ['preview.warnings["zone-closed"] == false', {}, {}, 'holds'],
    ['preview.warnings["last-feasible-node-lost"] == false', {}, {}, 'refused'],
    ['"workloads" in preview.unknown || preview.workloads.withoutNode == 0', {}, {}, 'holds'],
  ])('%s of %j and %j: %s', (require, change, preview, outcome) => {
    expect(apply({ require }, ofRule(change, preview)).outcome).toBe(outcome);
  });

  it('tells the subject, with or without the rule', () => {
    expect(apply({ require: 'change.subject == "nodes" && !has(change.deviceTaintRule)' }, {}).outcome).toBe('holds');
    const require = 'change.subject == "deviceTaintRule" && change.devices.size() == 0';
    expect(apply({ require }, { change: { subject: 'deviceTaintRule' } }).outcome).toBe('holds');
    expect(
      faultsOf({
        name: 'a',
        require: 'true',
        action: 'warn',
        tests: [{ name: 't', given: { change: { subject: 'devices' } }, expect: 'holds' }],
      }),
    ).toEqual(['/guardrails/0/tests/0/given/change/subject must be "nodes" or "deviceTaintRule", not "devices"']);
  });
});

describe('tests of rules', () => {
  it('pass or fail by outcome and message', () => {
    const rules = rulesOf({
      name: 'few evictions',
      require: 'preview.evictions.now <= 10',
      action: 'refuse',
      message: 'too many',
      tests: [
        { name: 'ten', given: { preview: { evictions: { now: 10 } } }, expect: 'holds' },
        { name: 'eleven', given: { preview: { evictions: { now: 11 } } }, expect: 'refused', message: 'too many' },
        { name: 'nothing', expect: 'refused' },
        { name: 'other words', given: { preview: { evictions: { now: 11 } } }, expect: 'refused', message: 'many' },
        {
          name: 'taints in the notation of kubectl',
          given: { change: { taintsAdded: ['a=b:NoExecute'] }, preview: { unknown: ['evictions'] } },
          expect: 'refused',
        },
      ],
    });
    expect(finish(stepGuardrailTests(rules)).map(({ test, passed, outcome }) => [test, passed, outcome])).toEqual([
      ['ten', true, 'holds'],
      ['eleven', true, 'refused'],
      ['nothing', false, 'holds'],
      ['other words', false, 'refused'],
      ['taints in the notation of kubectl', true, 'refused'],
    ]);
  });

  it('give taints and labels as structures', () => {
    const given: TestInputs = {
      change: { taintsAdded: ['a=b:NoExecute'], labelsSet: ['env=prod'], nodes: [{ name: 'n', pool: 'gpu' }] },
      now: '2026-06-01T12:00:00Z',
    };
    const require =
      'change.taintsAdded.all(t, t.key == "a" && t.value == "b" && t.effect == "NoExecute" && t.text == "a=b:NoExecute")' +
      ' && change.labelsSet.all(l, l.key == "env" && l.value == "prod")' +
      ' && change.nodes.all(n, n.pools == ["gpu"]) && now.getHours() == 12 && !has(change.expiresAt)' +
      ' && !preview.warnings["zone-closed"]';
    expect(apply({ require }, given)).toMatchObject({ outcome: 'holds' });
  });
});
