import type { TaintedDevices } from '../audit/rule-subject.js';
import type { TaintDifference } from '../audit/taint-difference.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import { poolsIn } from '../pools/pools-in.js';
import type { LabelDifference } from '../taint-change/label-difference.js';
import type { BudgetAtRisk, TaintEffects } from '../taint-effects/taint-effects.js';
import { TEMPLATE_KINDS } from '../taint-effects/workload-shapes.js';
import { MAX_WARNINGS_PER_CODE } from '../taint-effects/warnings.js';
import { aboutRule, type Fact, type Facts, Unknown, WARNING_CODES, withUnknown } from './facts.js';

/** Somebody who asks for a change, or approves one. */
export interface FactCaller {
  readonly name: string;
  readonly kind: string;
  readonly groups: readonly string[];
  readonly issuer: string | null;
}

/** A change that was planned on a state of its cluster. */
export interface PlannedFacts {
  readonly change: {
    readonly action: string;
    readonly reason: string;
    readonly link?: string;
    readonly onBehalfOf?: string;
    readonly force: boolean;
    readonly apply: boolean;
    readonly expiresAt?: Date;
    readonly approvers: readonly FactCaller[];
  };
  readonly author: FactCaller & { readonly permissions: readonly string[] };
  readonly cluster: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ageSeconds: number;
  };
  readonly now: Date;
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly edited: readonly {
    readonly before: Node;
    readonly difference: TaintDifference;
    readonly labels?: LabelDifference;
  }[];
  readonly effects: TaintEffects;
  /** The change is of a DeviceTaintRule: no node is edited. */
  readonly rule?: PlannedRuleFacts;
}

/** What a change of a DeviceTaintRule does where rules count. */
export interface PlannedRuleFacts {
  readonly name: string;
  readonly outcome: string;
  readonly difference: TaintDifference;
  readonly selector: TaintedDevices;
  readonly devices: readonly {
    readonly driver: string;
    readonly pool: string;
    readonly name: string;
    readonly node: string | null;
    readonly claims: readonly string[];
  }[];
  readonly evictions: { readonly now: number; readonly after: number; readonly cancelled: number };
  readonly pods: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly node: string;
    readonly when: 'now' | 'after';
  }[];
  readonly budgets: readonly BudgetAtRisk[];
  /** The kinds that were never loaded, of those that tell what the change does. */
  readonly notLoaded: readonly string[];
}

/** The values of the variables for a change. */
export function factsOf(planned: PlannedFacts): Facts {
  const { author, cluster, now, before } = planned;
  const change = changeFacts(planned);
  const preview = previewFacts(planned);
  return {
    ...(planned.rule === undefined ? { change, preview } : aboutRule(change, preview)),
    cluster: {
      ...cluster,
      nodes: before.nodes.count,
      pods: before.loadedKinds.has('Pod') ? before.pods.count : new Unknown(`cluster.pods is not known: ${NO_PODS}`),
    },
    author: { ...callerFact(author), issuer: author.issuer ?? '', permissions: author.permissions },
    now: now.toISOString(),
  };
}

const NO_PODS = 'no snapshot contained pods';

const callerFact = ({ name, kind, groups }: FactCaller): Readonly<Record<string, Fact>> => ({ name, kind, groups });

function changeFacts({ change, before, edited, rule }: PlannedFacts): Facts['change'] {
  const { link = '', onBehalfOf = '', expiresAt, approvers, ...given } = change;
  const differences = rule === undefined ? edited.map(({ difference }) => difference) : [rule.difference];
  const labels = edited.flatMap((node) => node.labels ?? []);
  return {
    ...given,
    subject: 'nodes',
    ...(rule !== undefined && { deviceTaintRule: ruleFact(rule) }),
    devices: rule === undefined ? [] : deviceFacts(before, rule),
    link,
    onBehalfOf,
    ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    nodes: nodeFacts(
      before,
      edited.map((node) => node.before),
    ),
    ...taintFacts(differences, rule),
    cordon: differences.some(({ cordon }) => cordon === 'cordoned'),
    uncordon: differences.some(({ cordon }) => cordon === 'uncordoned'),
    labelsSet: onceEach(
      labels.flatMap(({ set }) => set.map(({ key, after: value }) => ({ key, value, text: `${key}=${value}` }))),
    ),
    labelsRemoved: [...new Set(labels.flatMap(({ removed }) => removed.map(({ key }) => key)))],
    approvals: approvers.length,
    approvers: approvers.map(callerFact),
  };
}

const TAINTS = ['taintsAdded', 'taintsRemoved', 'taintsOverwritten'] as const;

/** Where no rule was ever loaded, it is not known whether the rule is new, or which taint it had. */
function taintFacts(
  differences: readonly TaintDifference[],
  rule: PlannedRuleFacts | undefined,
): { readonly [name: string]: Fact } {
  if (rule !== undefined && isFormerUnknown(rule)) {
    return Object.fromEntries(
      TAINTS.map((name) => [name, new Unknown(`change.${name} is not known: ${noObjects('DeviceTaintRule')}`)]),
    );
  }
  return {
    taintsAdded: onceEach(differences.flatMap(({ added }) => added.map(taintFact))),
    taintsRemoved: onceEach(differences.flatMap(({ removed }) => removed.map(taintFact))),
    taintsOverwritten: onceEach(differences.flatMap(({ changed }) => changed.map(({ after }) => taintFact(after)))),
  };
}

const isFormerUnknown = ({ notLoaded }: PlannedRuleFacts): boolean => notLoaded.includes('DeviceTaintRule');

function ruleFact(rule: PlannedRuleFacts): Fact {
  const { driver = '', pool = '', device = '' } = rule.selector;
  const outcome = isFormerUnknown(rule)
    ? new Unknown(`change.deviceTaintRule.outcome is not known: ${noObjects('DeviceTaintRule')}`)
    : rule.outcome;
  return { name: rule.name, outcome, driver, pool, device };
}

function deviceFacts({ loadedKinds, nodes }: ClusterState, { devices }: PlannedRuleFacts): Fact {
  if (!loadedKinds.has('ResourceSlice')) {
    return new Unknown(`change.devices is not known: ${noObjects('ResourceSlice')}`);
  }
  return devices.map(({ node, ...device }) => {
    const index = node === null ? -1 : nodes.indexOf(node);
    return { ...device, node: node ?? '', nodeLabels: index < 0 ? {} : (nodes.node(index).metadata.labels ?? {}) };
  });
}

const noObjects = (kind: string): string => `no snapshot contained objects of kind ${kind}`;

function nodeFacts(before: ClusterState, nodes: readonly Node[]): readonly Fact[] {
  const declared = poolsIn(before);
  return nodes.map(({ metadata: { name, labels = {} }, spec }) => {
    const pools = declared.filter(({ nodeSelector }) => nodeSelector.matches(labels)).map((pool) => pool.name);
    return {
      name,
      labels,
      taints: (spec?.taints ?? []).map(taintFact),
      unschedulable: spec?.unschedulable ?? false,
      pool: pools[0] ?? '',
      pools,
    };
  });
}

interface Written {
  readonly [name: string]: Fact;
  readonly text: string;
}

const taintFact = (taint: Taint): Written => ({
  key: taint.key,
  value: taint.value ?? '',
  effect: taint.effect,
  text: formatTaint(taint),
});

const onceEach = (all: readonly Written[]): readonly Written[] => [
  ...new Map(all.map((one) => [one.text, one])).values(),
];

function previewFacts({ before, after, effects, rule }: PlannedFacts): Facts['preview'] {
  const counts = { ...effects.evictions.counts, ...rule?.evictions };
  const { lost, gained, becameInfeasible, becameFeasible } = effects.workloads.counts;
  const budgets = rule?.budgets ?? effects.warnings.items.flatMap(({ budget }) => budget ?? []);
  const closedBefore = closedNodes(before);
  const closedAfter = closedNodes(after);
  const missing = new Map([...missingKinds(effects), ...(rule === undefined ? [] : missingOfRule(rule))]);
  return withUnknown(
    {
      evictions: {
        now: counts.now,
        later: counts.after,
        never: counts.never,
        cancelled: counts.cancelled,
        pending: counts.pending,
      },
      evictedPods: evictedPods(effects, rule),
      nodesUnschedulable: after.nodes.unschedulable.reduce((sum, one) => sum + one, 0),
      nodesClosed: closedAfter.length,
      nodesNewlyClosed: newlyClosed(before, closedBefore, after, closedAfter),
      podsWithoutNode: podsWithoutNode(effects),
      workloads: {
        losingNodes: lost,
        gainingNodes: gained,
        withoutNode: becameInfeasible,
        withNodeAgain: becameFeasible,
      },
      budgets: budgetFacts(budgets),
      warnings: warningFacts(effects, budgets),
      unknown: [...missing.keys()],
    },
    missing,
  );
}

/** The nodes that take no pod without tolerations, by index. */
function closedNodes({ nodes, taintSets }: ClusterState): readonly number[] {
  const closes = taintSets.map((taints) => taints.some(decides));
  const closed: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    if (nodes.unschedulable[node] === 1 || closes[nodes.taintSetId(node)] === true) closed.push(node);
  }
  return closed;
}

function newlyClosed(
  before: ClusterState,
  closedBefore: readonly number[],
  after: ClusterState,
  closedAfter: readonly number[],
): number {
  const former = new Set(closedBefore.map((index) => before.nodes.name(index)));
  return closedAfter.filter((index) => !former.has(after.nodes.name(index))).length;
}

/** The members of the preview that lack what they are computed from. What a budget selects is known only with pods and budgets. */
function missingKinds({ notConsidered }: TaintEffects): ReadonlyMap<string, string> {
  const kinds = new Set(notConsidered.map(({ kind }) => kind));
  const missing = new Map<string, string>();
  if (kinds.has('Pod'))
    for (const member of ['evictions', 'evictedPods', 'podsWithoutNode']) missing.set(member, NO_PODS);
  const templates = TEMPLATE_KINDS.find((kind) => kinds.has(kind));
  if (kinds.has('Pod')) missing.set('workloads', NO_PODS);
  else if (templates !== undefined) missing.set('workloads', noObjects(templates));
  else if (kinds.has('RuntimeClass'))
    missing.set('workloads', 'a workload without pods names a RuntimeClass that is not stored');
  if (kinds.has('PodDisruptionBudget')) missing.set('budgets', noObjects('PodDisruptionBudget'));
  else if (kinds.has('Pod')) missing.set('budgets', NO_PODS);
  return missing;
}

function missingOfRule({ notLoaded }: PlannedRuleFacts): readonly (readonly [string, string])[] {
  const lacking = notLoaded.find((kind) => kind !== 'Pod');
  return lacking === undefined
    ? []
    : ['evictions', 'evictedPods', 'budgets'].map((member) => [member, noObjects(lacking)] as const);
}

function evictedPods({ evictions: { pods, counts } }: TaintEffects, rule: PlannedRuleFacts | undefined): Fact {
  const listed = rule?.pods ?? pods.items.filter(({ when }) => when === 'now' || when === 'after');
  const total = rule === undefined ? counts.now + counts.after : listed.length;
  if (listed.length < total) {
    return new Unknown(`preview.evictedPods is not known: ${total} pods are evicted, and ${listed.length} are listed`);
  }
  return listed.map(({ namespace, name, node, when }) => ({
    namespace,
    name,
    node,
    when: when === 'now' ? 'now' : 'later',
  }));
}

/** The warnings of this many workloads at most are listed. */
function podsWithoutNode({ workloads: { counts, entries } }: TaintEffects): Fact {
  const listed = entries.items.filter(({ becameInfeasible }) => becameInfeasible);
  if (listed.length === counts.becameInfeasible) return listed.reduce((sum, { pods }) => sum + pods, 0);
  return new Unknown(
    `preview.podsWithoutNode is not known: ${counts.becameInfeasible} workloads lose their last node, and the pods of ${listed.length} are counted`,
  );
}

function budgetFacts(budgets: readonly BudgetAtRisk[]): { readonly [name: string]: Fact } {
  const tooMany = budgets.length >= MAX_WARNINGS_PER_CODE;
  const unknown = (what: string, why: string): Unknown => new Unknown(`preview.budgets.${what} is not known: ${why}`);
  const many = `at least ${MAX_WARNINGS_PER_CODE} budgets are affected, and no more are looked at`;
  const silent = budgets.find(({ disruptionsAllowed }) => disruptionsAllowed === undefined);
  const violated = budgets.filter(({ now, after, disruptionsAllowed = 0 }) => now + after > disruptionsAllowed).length;
  return {
    affected: tooMany ? unknown('affected', many) : budgets.length,
    violated: tooMany
      ? unknown('violated', many)
      : silent !== undefined
        ? unknown('violated', `the status of ${silent.namespace}/${silent.name} does not say what the budget allows`)
        : violated,
  };
}

/** Kinds without which the preview cannot have a warning with the code. */
const NEEDED: Readonly<Partial<Record<string, readonly string[]>>> = {
  'last-feasible-node-lost': ['Pod', ...TEMPLATE_KINDS],
  'pdb-not-respected': ['Pod', 'PodDisruptionBudget'],
  'daemonset-stops': ['DaemonSet'],
  'pool-nobody-tolerates': ['Pod', ...TEMPLATE_KINDS],
};

function warningFacts(
  { warnings, notConsidered }: TaintEffects,
  budgets: readonly BudgetAtRisk[],
): { readonly [code: string]: Fact } {
  const found = new Set<string>(warnings.items.map(({ code }) => code));
  if (budgets.length > 0) found.add('pdb-not-respected');
  const kinds = new Set<string>(notConsidered.map(({ kind }) => kind));
  return Object.fromEntries(
    WARNING_CODES.map((code): [string, Fact] => {
      const lacking = NEEDED[code]?.find((kind) => kinds.has(kind));
      if (found.has(code) || lacking === undefined) return [code, found.has(code)];
      return [code, new Unknown(`preview.warnings["${code}"] is not known: ${noObjects(lacking)}`)];
    }),
  );
}
