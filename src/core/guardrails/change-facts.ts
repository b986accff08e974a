import type { TaintDifference } from '../audit/taint-difference.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import { poolsIn } from '../pools/pools-in.js';
import type { LabelDifference } from '../taint-change/label-difference.js';
import type { TaintEffects } from '../taint-effects/taint-effects.js';
import { TEMPLATE_KINDS } from '../taint-effects/workload-shapes.js';
import { MAX_WARNINGS_PER_CODE } from '../taint-effects/warnings.js';
import { type Fact, type Facts, Unknown, WARNING_CODES, withUnknown } from './facts.js';

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
}

/** The values of the variables for a change. */
export function factsOf(planned: PlannedFacts): Facts {
  const { author, cluster, now, before } = planned;
  return {
    change: changeFacts(planned),
    preview: previewFacts(planned),
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

function changeFacts({ change, before, edited }: PlannedFacts): Facts['change'] {
  const { link = '', onBehalfOf = '', expiresAt, approvers, ...given } = change;
  const differences = edited.map(({ difference }) => difference);
  const labels = edited.flatMap((node) => node.labels ?? []);
  return {
    ...given,
    link,
    onBehalfOf,
    ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    nodes: nodeFacts(
      before,
      edited.map((node) => node.before),
    ),
    taintsAdded: onceEach(differences.flatMap(({ added }) => added.map(taintFact))),
    taintsRemoved: onceEach(differences.flatMap(({ removed }) => removed.map(taintFact))),
    taintsOverwritten: onceEach(differences.flatMap(({ changed }) => changed.map(({ after }) => taintFact(after)))),
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

function previewFacts({ before, after, effects }: PlannedFacts): Facts['preview'] {
  const { counts } = effects.evictions;
  const { lost, gained, becameInfeasible, becameFeasible } = effects.workloads.counts;
  const closedBefore = closedNodes(before);
  const closedAfter = closedNodes(after);
  const missing = missingKinds(effects);
  return withUnknown(
    {
      evictions: {
        now: counts.now,
        later: counts.after,
        never: counts.never,
        cancelled: counts.cancelled,
        pending: counts.pending,
      },
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
      budgets: budgetFacts(effects),
      warnings: warningFacts(effects),
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
  const because = (kind: string): string => `no snapshot contained objects of kind ${kind}`;
  if (kinds.has('Pod')) for (const member of ['evictions', 'podsWithoutNode']) missing.set(member, NO_PODS);
  const templates = TEMPLATE_KINDS.find((kind) => kinds.has(kind));
  if (kinds.has('Pod')) missing.set('workloads', NO_PODS);
  else if (templates !== undefined) missing.set('workloads', because(templates));
  else if (kinds.has('RuntimeClass'))
    missing.set('workloads', 'a workload without pods names a RuntimeClass that is not stored');
  if (kinds.has('PodDisruptionBudget')) missing.set('budgets', because('PodDisruptionBudget'));
  else if (kinds.has('Pod')) missing.set('budgets', NO_PODS);
  return missing;
}

/** The warnings of this many workloads at most are listed. */
function podsWithoutNode({ workloads: { counts, entries } }: TaintEffects): Fact {
  const listed = entries.items.filter(({ becameInfeasible }) => becameInfeasible);
  if (listed.length === counts.becameInfeasible) return listed.reduce((sum, { pods }) => sum + pods, 0);
  return new Unknown(
    `preview.podsWithoutNode is not known: ${counts.becameInfeasible} workloads lose their last node, and the pods of ${listed.length} are counted`,
  );
}

function budgetFacts({ warnings }: TaintEffects): { readonly [name: string]: Fact } {
  const budgets = warnings.items.flatMap(({ budget }) => budget ?? []);
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

function warningFacts({ warnings, notConsidered }: TaintEffects): { readonly [code: string]: Fact } {
  const found = new Set<string>(warnings.items.map(({ code }) => code));
  const kinds = new Set<string>(notConsidered.map(({ kind }) => kind));
  return Object.fromEntries(
    WARNING_CODES.map((code): [string, Fact] => {
      const lacking = NEEDED[code]?.find((kind) => kinds.has(kind));
      if (found.has(code) || lacking === undefined) return [code, found.has(code)];
      return [
        code,
        new Unknown(`preview.warnings["${code}"] is not known: no snapshot contained objects of kind ${lacking}`),
      ];
    }),
  );
}
