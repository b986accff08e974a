import { NOTHING } from '../collections/nothing.js';
import { compare } from '../json/compare.js';
import { gatesOf, type TolerationGates } from '../kubernetes/toleration.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { finish } from '../collections/finish.js';
import { stepSorted } from '../collections/step-sorted.js';
import { clusterRules } from './cluster-rules.js';
import { ClusterTaints } from './cluster-taints.js';
import { DisruptionBudgets } from './disruption-budgets.js';
import { complete } from './find-manifest-findings.js';
import { compareFindings, type Finding } from './finding.js';
import { OccurrenceCounter } from './occurrence-counter.js';
import type { PodContext, PodFinding, PodRule } from './pod-rule.js';
import { podRules } from './pod-rules.js';

export interface ClusterFindingOptions {
  readonly gates?: TolerationGates;
}

/** Pods of one workload with one spec: every rule has the same result for them. */
interface Group {
  readonly workload: Workload;
  readonly specId: number;
  readonly tolerationSetId: number;
  /** The first pod of the group by name. */
  pod: number;
  readonly pods: OccurrenceCounter;
}

/**
 * The findings about a stored cluster, errors first: about its nodes, quotas and budgets, and about its pods by workload,
 * so that 1,000 replicas share one finding. Pods that have ended are skipped. The rules check each distinct toleration list and each
 * distinct spec once, so the cost is one pass over the pods plus the distinct specs.
 */
export function findClusterFindings(state: ClusterState, options: ClusterFindingOptions = {}): readonly Finding[] {
  return finish(stepClusterFindings(state, options));
}

/** Does the same in short steps, so that the caller can run other work in between; yields nothing. */
export function* stepClusterFindings(
  state: ClusterState,
  options: ClusterFindingOptions = {},
): Generator<undefined, readonly Finding[]> {
  const gates = options.gates ?? gatesOf(state.rules);
  const cluster = new ClusterTaints(state);
  const judge = new PodJudge(cluster, DisruptionBudgets.of(state), gates);
  const found = new Map<string, { finding: Finding; pods: OccurrenceCounter[] }>();
  for (const group of yield* groupPods(state)) {
    yield undefined;
    const { kind, namespace, name } = group.workload;
    for (const [rule, podFinding] of judge.judge(group)) {
      const finding = complete(rule, podFinding, { kind, namespace, name });
      const { code, pointer = '', message, budgets = [] } = finding;
      const key = JSON.stringify([code, kind, namespace, name, pointer, message, budgets]);
      const same = found.get(key);
      if (same === undefined) found.set(key, { finding, pods: [group.pods] });
      else same.pods.push(group.pods);
    }
  }
  const all: Finding[] = [];
  for (const { finding, pods } of found.values()) {
    yield undefined;
    all.push({ ...NOTHING, ...finding, occurrences: OccurrenceCounter.sum(pods) });
  }
  for (const rule of clusterRules) {
    yield undefined;
    const result = rule(cluster, gates);
    all.push(...('next' in result ? yield* result : result));
  }
  return yield* stepSorted(all, compareFindings);
}

/** Pods between two steps of the generator. */
const STRIDE = 512;

function* groupPods({ pods }: ClusterState): Generator<undefined, readonly Group[]> {
  const bySpec = new Map<number, Map<string, Group>>();
  const groups: Group[] = [];
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === STRIDE - 1) yield undefined;
    if (!pods.active(pod)) continue;
    const specId = pods.specId(pod);
    const workload = pods.workload(pod);
    const key = `${workload.kind}/${workload.namespace}/${workload.name}`;
    const ofSpec = bySpec.get(specId) ?? new Map<string, Group>();
    bySpec.set(specId, ofSpec);
    let group = ofSpec.get(key);
    if (group === undefined) {
      const tolerationSetId = pods.tolerationSetId(pod);
      group = { workload, specId, tolerationSetId, pod, pods: new OccurrenceCounter('Pod') };
      ofSpec.set(key, group);
      groups.push(group);
    }
    if (compare(pods.name(pod), pods.name(group.pod)) < 0) group.pod = pod;
    group.pods.add(pods.key(pod));
  }
  return groups;
}

type Judgement = readonly (readonly [PodRule, PodFinding])[];

/** Applies the pod rules to groups, and caches results that depend on the tolerations or the spec alone. */
class PodJudge {
  private readonly byTolerations = new Map<string, Judgement>();
  private readonly bySpec = new Map<string, Judgement>();

  constructor(
    private readonly cluster: ClusterTaints,
    private readonly budgets: DisruptionBudgets,
    private readonly gates: TolerationGates,
  ) {}

  judge(group: Group): Judgement {
    const context = this.contextOf(group);
    return [
      ...remembered(this.byTolerations, String(group.tolerationSetId), () => apply('tolerations', context)),
      ...remembered(this.bySpec, `${group.specId} ${context.workloadKind}`, () => apply('spec', context)),
      ...apply('workload', context),
    ];
  }

  private contextOf({ workload, specId, tolerationSetId, pod }: Group): PodContext {
    const { pods, tolerationSets } = this.cluster.state;
    return {
      spec: pods.specOf(specId),
      tolerations: tolerationSets[tolerationSetId]!,
      path: FieldPath.of('spec'),
      gates: this.gates,
      cluster: this.cluster,
      budgets: this.budgets,
      namespace: workload.namespace,
      labels: pods.labels(pod),
      workloadKind: workload.kind,
    };
  }
}

function apply(reads: PodRule['reads'], context: PodContext): Judgement {
  return podRules
    .filter((rule) => rule.reads === reads)
    .flatMap((rule) => rule.check(context).map((finding) => [rule, finding] as const));
}

function remembered(memory: Map<string, Judgement>, key: string, compute: () => Judgement): Judgement {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const judgement = compute();
  memory.set(key, judgement);
  return judgement;
}
