import { finish } from '../../../collections/finish.js';
import {
  SUCCESS,
  UNKNOWN,
  UNRESOLVABLE,
  UNSCHEDULABLE,
  type FilterPlugin,
  type PreFilterExtensions,
  type Prepared,
  type PlacementInput,
  type StatusCode,
} from '../../plugin.js';
import { lacking, lackingReason, type Lacking } from '../../kinds-not-loaded.js';
import {
  nodeMapField,
  podField,
  type AffinityTermFact,
  type FieldReference,
  type CommonReason,
  type Reason,
} from '../../reason.js';
import { antiAffinityAgainst, type RepellingPods } from './existing-anti-affinity.js';
import { MAX_NAMED, PodsOfTerms, type TermCounts } from './matching-pods.js';
import { coveredNamespaces, readAffinityTerms, type AffinityList, type AffinityTerm } from './terms.js';

export const NAME = 'InterPodAffinity';

const COMMON_REASONS = {
  affinity: { code: 'PodAffinityUnmet', message: "node(s) didn't match pod affinity rules" },
  antiAffinity: { code: 'PodAntiAffinityConflict', message: "node(s) didn't match pod anti-affinity rules" },
  existing: {
    code: 'ExistingPodAntiAffinity',
    message: "node(s) didn't satisfy existing pods anti-affinity rules",
  },
} as const satisfies Readonly<Record<string, CommonReason>>;

/** What of the rule a node fails: upstream asks in this order, and names the first. */
type Failing = keyof typeof COMMON_REASONS | 'unknown';
const FAILING: readonly Failing[] = ['affinity', 'antiAffinity', 'existing', 'unknown'];

/**
 * Required affinity and anti-affinity between pods, in both directions: the pod's own terms against the pods that run, and the required
 * anti-affinity of those against the pod. A pod whose affinity no pod meets may be the first of its group if it meets it itself.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
 */
export const interPodAffinity: FilterPlugin = {
  name: NAME,
  preFilter: (input) => finish(stepPrepared(input)),
  stepPreFilter: stepPrepared,
};

function* stepPrepared(input: PlacementInput): Generator<undefined, Prepared> {
  const { state, pod } = input;
  const { terms, fault } = readAffinityTerms(pod.spec, pod.metadata.namespace ?? '');
  if (fault !== undefined) {
    return {
      outcome: 'Rejected',
      reason: {
        plugin: NAME,
        code: 'InvalidPodAffinity',
        status: 'UnschedulableAndUnresolvable',
        message: `parsing pod: ${fault.message}`,
        facts: {},
        fields: fault.lists.map((list) => listField(list)),
      },
    };
  }
  const { requiredAffinity, requiredAntiAffinity } = terms;
  const unclear = termsLackingNamespaces(input, requiredAffinity, requiredAntiAffinity);
  if (unclear !== undefined) return lacking(state, unclear);
  const existing = antiAffinityAgainst(input);
  if (existing.isEmpty && requiredAffinity.length === 0 && requiredAntiAffinity.length === 0) {
    return { outcome: 'Skip' };
  }
  const affinity = yield* PodsOfTerms.stepOf(state, requiredAffinity, 'all');
  const antiAffinity = yield* PodsOfTerms.stepOf(state, requiredAntiAffinity, 'any');
  const rules = new Rules(input, affinity, antiAffinity, existing);
  return {
    outcome: 'Filter',
    filter: {
      status: (node) => rules.status(node),
      fill: (statuses) => rules.fill(statuses),
      commonReasonKey: (node) => FAILING.indexOf(rules.failing(node)!),
      commonReasons: (key) => {
        const failing = FAILING[key]!;
        return failing === 'unknown' ? [lackingReason(state, NAMESPACES_OF_EXISTING)] : [COMMON_REASONS[failing]];
      },
      explanationKey: (node) => rules.explanationKey(node),
      explain: (node) => rules.explain(node),
      preFilterExtensions: (node, pods) => rules.preFilterExtensions(node, pods),
    },
  };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

const listField = ({ kind, when }: AffinityList): FieldReference => podField('spec', 'affinity', kind, when);

const termField = (kind: AffinityList['kind'], { index }: AffinityTerm): FieldReference =>
  podField('spec', 'affinity', kind, REQUIRED, index);

const NAMESPACES_OF_EXISTING: Lacking = {
  plugin: NAME,
  why: 'the required anti-affinity of an existing pod may exclude this pod, depending on the labels of its namespace',
  fields: [podField('metadata', 'labels')],
  needs: ['Namespace'],
};

/** The terms that select namespaces by labels, where there is nothing to select among. */
function termsLackingNamespaces(
  { state, pod, nominated }: PlacementInput,
  affinity: readonly AffinityTerm[],
  antiAffinity: readonly AffinityTerm[],
): Lacking | undefined {
  if (state.loadedKinds.has('Namespace')) return undefined;
  const present = new Set([
    pod.metadata.namespace ?? '',
    ...state.pods.placedNamespaces(),
    ...nominated.map((other) => state.pods.namespace(other.pod)),
  ]);
  const lacks = (term: AffinityTerm): boolean => coveredNamespaces(state, term, present).unknown;
  const fields = [
    ...affinity.filter(lacks).map((term) => termField('podAffinity', term)),
    ...antiAffinity.filter(lacks).map((term) => termField('podAntiAffinity', term)),
  ];
  if (fields.length === 0) return undefined;
  return { plugin: NAME, why: 'the pod selects namespaces by their labels', fields, needs: ['Namespace'] };
}

function statusOf(failing: Failing | undefined): StatusCode {
  switch (failing) {
    case undefined:
      return SUCCESS;
    case 'affinity':
      return UNRESOLVABLE;
    case 'antiAffinity':
    case 'existing':
      return UNSCHEDULABLE;
    case 'unknown':
      return UNKNOWN;
  }
}

/** What no longer counts of a node's pods, by topology key. */
interface Gone {
  readonly affinity: TermCounts;
  readonly antiAffinity: TermCounts;
  readonly existing: TermCounts;
}

class Tally extends Map<string, number> {
  move(counts: TermCounts, by: 1 | -1): void {
    for (const [key, count] of counts) this.set(key, (this.get(key) ?? 0) + by * count);
  }
}

class Rules {
  /** Nodes with pods nominated to them that change something. */
  private readonly nominated: ReadonlyMap<number, readonly number[]>;

  constructor(
    private readonly input: PlacementInput,
    private readonly affinity: PodsOfTerms,
    private readonly antiAffinity: PodsOfTerms,
    private readonly existing: RepellingPods,
  ) {
    this.nominated = byNode(input.nominated);
  }

  status(node: number): StatusCode {
    return statusOf(this.failing(node));
  }

  /** `status` of every node, one topology key after the other. */
  fill(statuses: Uint8Array): boolean {
    const isFirst = this.isFirst(-1, NONE);
    for (const key of this.affinity.topologyKeys) {
      this.affinity.fillUnmet(key, statuses, isFirst);
    }
    for (const key of this.antiAffinity.topologyKeys) this.antiAffinity.fillMet(key, statuses);
    this.existing.fill(statuses);
    for (const node of this.nominated.keys()) statuses[node] = this.status(node);
    return statuses.some((status) => status !== SUCCESS);
  }

  /** What the node fails first. It must pass both with the pods that are nominated to it, and without them. */
  failing(node: number, gone?: Gone): Failing | undefined {
    const extra = this.nominated.size === 0 ? undefined : this.nominated.get(node);
    const withNominated = extra === undefined ? undefined : this.failingWith(node, extra, gone);
    if (withNominated !== undefined && withNominated !== 'unknown') return withNominated;
    return this.failingWith(node, NONE, gone) ?? withNominated;
  }

  preFilterExtensions(node: number, moving: readonly number[]): PreFilterExtensions {
    const gone = { affinity: new Tally(), antiAffinity: new Tally(), existing: new Tally() };
    const move = (pod: number, by: 1 | -1): void => {
      gone.affinity.move(this.affinity.countsOf(pod, node), by);
      gone.antiAffinity.move(this.antiAffinity.countsOf(pod, node), by);
      gone.existing.move(this.existing.countsOf(pod, node), by);
    };
    return {
      removePod: (place) => {
        move(moving[place]!, 1);
      },
      addPod: (place) => {
        move(moving[place]!, -1);
      },
      status: () => statusOf(this.failing(node, gone)),
      messages: () => {
        const failing = this.failing(node, gone);
        return failing === undefined || failing === 'unknown' ? [] : [COMMON_REASONS[failing].message];
      },
    };
  }

  private failingWith(node: number, extra: readonly number[], gone?: Gone): Failing | undefined {
    if (!this.meetsAffinity(node, extra, gone?.affinity)) return 'affinity';
    if (this.antiAffinity.topologyKeys.some((key) => this.antiAffinity.has(key, node, extra, gone?.antiAffinity))) {
      return 'antiAffinity';
    }
    const repelled = this.existing.at(node, extra, gone?.existing);
    return repelled === 'yes' ? 'existing' : repelled === 'unknown' ? 'unknown' : undefined;
  }

  private meetsAffinity(node: number, extra: readonly number[], gone?: TermCounts): boolean {
    const { topologyKeys } = this.affinity;
    const { nodes } = this.input.state;
    let met = true;
    for (const key of topologyKeys) {
      if ((nodes.labelColumn(key)?.valueIds[node] ?? -1) < 0) return false;
      met &&= this.affinity.has(key, node, extra, gone);
    }
    return met || this.isFirst(node, extra, gone);
  }

  /** The first of a group that wants to be together: no pod anywhere meets the terms, but the pod itself does. */
  private isFirst(node: number, extra: readonly number[], gone?: TermCounts): boolean {
    const { terms } = this.affinity;
    return terms.length > 0 && this.affinity.isEmpty(node, extra, gone) && this.affinity.matches(this.input.pod);
  }

  explanationKey(node: number): string | undefined {
    if (this.nominated.has(node)) return undefined;
    const { nodes } = this.input.state;
    let key: string = this.failing(node) ?? '';
    for (const topologyKey of [...this.affinity.topologyKeys, ...this.antiAffinity.topologyKeys]) {
      key += ` ${nodes.labelColumn(topologyKey)?.valueIds[node] ?? -1}`;
    }
    return `${key} ${this.existing.explanationKey(node)}`;
  }

  explain(node: number): readonly Reason[] {
    const failing = this.failing(node);
    switch (failing) {
      case undefined:
        return [];
      case 'unknown':
        return [lackingReason(this.input.state, NAMESPACES_OF_EXISTING)];
      case 'affinity': {
        const unmet = this.affinity.terms.filter(({ topologyKey }) => !this.affinity.has(topologyKey, node, NONE));
        const terms = unmet.length === 0 ? this.affinity.terms : unmet;
        return [this.reason(failing, node, terms.slice(0, MAX_NAMED), 'podAffinity', [])];
      }
      case 'antiAffinity': {
        const extra = this.nominated.get(node) ?? NONE;
        const met: AffinityTerm[] = [];
        const pods = new Set<number>();
        for (const term of this.antiAffinity.terms) {
          const found = this.antiAffinity.podsOf(term, node, extra);
          if (found.length === 0) continue;
          met.push(term);
          for (const pod of found) pods.add(pod);
          if (met.length === MAX_NAMED) break;
        }
        return [this.reason(failing, node, met, 'podAntiAffinity', [...pods])];
      }
      case 'existing':
        return [this.repelled(node)];
    }
  }

  private reason(
    failing: 'affinity' | 'antiAffinity',
    node: number,
    terms: readonly AffinityTerm[],
    kind: AffinityList['kind'],
    pods: readonly number[],
  ): Reason {
    return {
      plugin: NAME,
      ...COMMON_REASONS[failing],
      status: failing === 'affinity' ? 'UnschedulableAndUnresolvable' : 'Unschedulable',
      facts: {
        affinityTerms: terms.map((term) => this.fact(term, node)),
        ...(pods.length === 0 ? {} : { pods: this.names(pods) }),
      },
      fields: [
        ...terms.map((term) => termField(kind, term)),
        ...labelFields(terms.map(({ topologyKey }) => topologyKey)),
      ],
    };
  }

  private repelled(node: number): Reason {
    const repelling = this.existing.termsAt(node, this.nominated.get(node) ?? NONE);
    return {
      plugin: NAME,
      ...COMMON_REASONS.existing,
      status: 'Unschedulable',
      facts: {
        affinityTerms: repelling
          .slice(0, MAX_NAMED)
          .map(({ pod, term }) => ({ ...this.fact(term, node), pod: this.input.state.pods.key(pod) })),
        pods: this.names(repelling.map(({ pod }) => pod)),
      },
      fields: [podField('metadata', 'labels'), ...labelFields(repelling.map(({ term }) => term.topologyKey))],
    };
  }

  private fact({ index, topologyKey, selector }: AffinityTerm, node: number): AffinityTermFact {
    const column = this.input.state.nodes.labelColumn(topologyKey);
    const value = column?.values[column.valueIds[node] ?? -1] ?? null;
    return { index, topology: { key: topologyKey, value }, selector: selector.toString() };
  }

  /** `namespace/name` of some of the pods, sorted. */
  private names(pods: readonly number[]): readonly string[] {
    return [...new Set(pods)]
      .map((pod) => this.input.state.pods.key(pod))
      .sort()
      .slice(0, MAX_NAMED);
  }
}

const NONE: readonly number[] = [];

const labelFields = (keys: readonly string[]): readonly FieldReference[] =>
  [...new Set(keys)].map((key) => nodeMapField(['metadata', 'labels'], key));

function byNode(nominated: PlacementInput['nominated']): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const { pod, nodeIndex } of nominated) found.set(nodeIndex, [...(found.get(nodeIndex) ?? []), pod]);
  return found;
}
