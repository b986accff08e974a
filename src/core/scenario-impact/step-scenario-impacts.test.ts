import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { stepQuotaUsage } from '../quota/step-quota-usage.js';
import { stepScenarioImpacts, type Impact } from './step-scenario-impacts.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const X: Taint = { key: 'x', effect: 'NoSchedule' };
const Y: Taint = { key: 'y', effect: 'NoSchedule' };

/** Runs steps to their end. */
function done<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const node = ({ cpu = '2', taints = [] }: { cpu?: string; taints?: readonly Taint[] } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints },
  status: { allocatable: { cpu, memory: '8Gi', pods: '10' } },
});

const pod = (name: string, cpu: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], nodeName: 'n', ...spec },
  status: { phase: 'Running' },
});

const quota = (cpu: string): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'team' },
  spec: { hard: { 'requests.cpu': cpu } },
  status: { hard: { 'requests.cpu': cpu }, used: { 'requests.cpu': '0' } },
});

/** The impacts of a change; pod `a` is always among the touched pods. */
function impactsOf(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): readonly Impact[] {
  const build = (objects: readonly KubernetesObject[]) =>
    ClusterState.build(objects, ['Node', 'Pod', 'ResourceQuota', 'Namespace']);
  const [was, is] = [build(before), build(after)];
  return done(
    stepScenarioImpacts({
      before: was,
      after: is,
      touched: [{ namespace: 'team', name: 'a' }],
      refused: [],
      usagesBefore: done(stepQuotaUsage(was, { now: NOON })),
      usagesAfter: done(stepQuotaUsage(is, { now: NOON })),
      gates: DEFAULT_GATES,
    }),
  );
}

const brief = ({ kind, name, by }: Impact): string => `${kind} ${name} ${by}`;

describe('stepScenarioImpacts', () => {
  const bad = [node({ taints: [X] }), pod('a', '2'), pod('b', '1'), quota('1')];

  it('ignores what was equally bad before: an overcommitted node, an untolerated taint, an exceeded quota', () => {
    expect(impactsOf(bad, bad)).toEqual([]);
    expect(impactsOf(bad, [node({ taints: [X] }), pod('a', '1500m'), pod('b', '1'), quota('1')])).toEqual([]);
  });

  it('reports what was good before', () => {
    const well = [node(), pod('a', '500m'), pod('b', '1'), quota('2')];
    expect(impactsOf(well, [node({ taints: [X] }), pod('a', '2'), pod('b', '1'), quota('2')]).map(brief)).toEqual([
      'podDoesNotFit a NodeResourcesFit',
      'podDoesNotFit a TaintToleration',
      'podDoesNotFit b TaintToleration',
      'nodeOvercommitted n cpu',
      'quotaOverflows q requests.cpu',
    ]);
  });

  it('reports a node or quota that was bad and is worse, with the numbers before and after', () => {
    const worse = impactsOf(bad, [node({ taints: [X] }), pod('a', '3'), pod('b', '1'), quota('1')]);
    expect(worse.map(({ kind, before, after, limit }) => [kind, ...[before, after, limit].map(String)])).toEqual([
      ['nodeOvercommitted', '3', '4', '2'],
      ['quotaOverflows', '3', '4', '1'],
    ]);
  });

  it('reports a node or quota with the same usage and a lower limit', () => {
    expect(
      impactsOf(bad, [node({ taints: [X], cpu: '1' }), pod('a', '2'), pod('b', '1'), quota('500m')]).map(brief),
    ).toEqual(['nodeOvercommitted n cpu', 'quotaOverflows q requests.cpu']);
  });

  it('ignores pods that have ended or have no node', () => {
    const ended = { ...pod('a', '9'), status: { phase: 'Succeeded' } };
    const waiting = { ...pod('a', '9', { nodeName: '' }), status: { phase: 'Pending' } };
    expect(impactsOf([node(), pod('a', '1')], [node({ taints: [X] }), ended])).toEqual([]);
    expect(impactsOf([node(), pod('a', '1')], [node({ taints: [Y] }), waiting])).toEqual([]);
  });
});
