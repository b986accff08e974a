import type { Labels } from '../../../kubernetes/objects/meta.js';
import {
  SUCCESS,
  UNRESOLVABLE,
  UNSCHEDULABLE,
  type FilterPlugin,
  type PreFilterExtensions,
  type PlacementInput,
  type Prepared,
  type StatusCode,
} from '../../plugin.js';
import { nodeMapField, podField, type FieldReference, type CommonReason, type Reason } from '../../reason.js';
import { NAME, spreadConstraints, type DefaultConstraint } from './constraints.js';
import { topologyCounts, type TopologyCounts } from './topology-counts.js';

export { NAME } from './constraints.js';

const MISSING = "node(s) didn't match pod topology spread constraints (missing required label)";
const SKEWED = "node(s) didn't match pod topology spread constraints";
const COMMON_REASONS: readonly CommonReason[] = [
  { code: 'TopologyLabelMissing', message: MISSING },
  { code: 'TopologySpreadSkew', message: SKEWED },
];
const MISSING_KEY = 0;
const SKEWED_KEY = 1;

/** Spread constraints with `DoNotSchedule`; a pod without any has none by default, since the system's defaults only prefer. */
export const podTopologySpread: FilterPlugin = podTopologySpreadWith([]);

/**
 * The same in a profile that has constraints for the pods without any of their own.
 *
 * For each constraint in turn: a node needs its label, and `matching + self - minimum` must not be more than `maxSkew`. The first that
 * fails decides; those that fail in the same way are reported with it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
 */
export function podTopologySpreadWith(defaults: readonly DefaultConstraint[]): FilterPlugin {
  return { name: NAME, preFilter: (input) => prepare(input, defaults) };
}

function prepare(input: PlacementInput, defaults: readonly DefaultConstraint[]): Prepared {
  const read = spreadConstraints(input.state, input.pod, 'DoNotSchedule', defaults);
  if ('message' in read) {
    return {
      outcome: 'Rejected',
      reason: {
        plugin: NAME,
        code: 'InvalidTopologySpread',
        status: 'Error',
        message: `get constraints from pod: obtaining pod's hard topology spread constraints: ${read.message}`,
        facts: {},
        fields: [podField('spec', 'topologySpreadConstraints')],
      },
    };
  }
  const assuming = read.assumes === undefined ? {} : { assumes: read.assumes };
  if (read.constraints.length === 0) return { outcome: 'Skip', ...assuming };
  const spread = new Spread(input, topologyCounts(input, read.constraints), read.isDefault);
  return {
    outcome: 'Filter',
    ...assuming,
    filter: {
      status: (node) => spread.status(node),
      fill: (statuses) => spread.fill(statuses),
      commonReasonKey: (node) => (spread.failing(node)[0]!.isMissing ? MISSING_KEY : SKEWED_KEY),
      commonReasons: (key) => [COMMON_REASONS[key]!],
      explanationKey: (node) => spread.explanationKey(node),
      explain: (node) => spread.explain(node),
      preFilterExtensions: (node, pods) => spread.preFilterExtensions(node, pods),
    },
  };
}

/** A constraint that a node does not meet. */
interface Failing {
  readonly place: number;
  readonly isMissing: boolean;
  /** Of pods nominated to the node, those that count besides; of pods that are taken from it, those that do not, as less than nothing. */
  readonly nominated: number;
}

class Spread {
  private readonly self: readonly (0 | 1)[];
  private readonly minima: readonly number[];
  /** By constraint: what is needed to tell the minimum where the number of one value changes. */
  private readonly lowest: readonly Lowest[];
  /** By constraint and value id: 1 where one pod more would be too many. */
  private readonly skewed: readonly Uint8Array[];
  /** By node: how many of the pods nominated to it each constraint counts. */
  private readonly nominated: ReadonlyMap<number, readonly number[]>;

  constructor(
    private readonly input: PlacementInput,
    private readonly spreads: readonly TopologyCounts[],
    private readonly isDefault: boolean,
  ) {
    const labels: Labels = input.pod.metadata.labels ?? {};
    this.self = spreads.map(({ constraint }) => (constraint.selector.matches(labels) ? 1 : 0));
    this.lowest = spreads.map((one) => lowestOf(one));
    this.minima = spreads.map((one, place) => minimumOf(one, this.lowest[place]!));
    this.skewed = spreads.map(({ constraint, counts }, place) =>
      Uint8Array.from(counts, (count) =>
        count + this.self[place]! - this.minima[place]! > constraint.maxSkew ? 1 : 0,
      ),
    );
    this.nominated = nominatedCounts(input, spreads);
  }

  status(node: number): StatusCode {
    if (this.nominated.has(node)) {
      const [first] = this.failing(node);
      return first === undefined ? SUCCESS : first.isMissing ? UNRESOLVABLE : UNSCHEDULABLE;
    }
    for (let place = 0; place < this.spreads.length; place++) {
      const value = this.spreads[place]!.column?.valueIds[node] ?? -1;
      if (value < 0) return UNRESOLVABLE;
      if (this.skewed[place]![value] === 1) return UNSCHEDULABLE;
    }
    return SUCCESS;
  }

  /** `status` of every node, one constraint after the other. */
  fill(statuses: Uint8Array): boolean {
    let any = 0;
    this.spreads.forEach(({ column }, place) => {
      const ids = column?.valueIds;
      const skewed = this.skewed[place]!;
      for (let node = 0; node < statuses.length; node++) {
        if (statuses[node] !== SUCCESS) continue;
        const value = ids === undefined ? -1 : ids[node]!;
        any |= statuses[node] = value < 0 ? UNRESOLVABLE : skewed[value]! * UNSCHEDULABLE;
      }
    });
    for (const node of this.nominated.keys()) any |= statuses[node] = this.status(node);
    return any !== SUCCESS;
  }

  /** The first constraint that the node fails, and the later ones that it fails in the same way. */
  failing(node: number): readonly Failing[] {
    const extra = this.nominated.get(node);
    // A node must do both with the pods that are nominated to it, and without them (they may never come).
    const withNominated = extra === undefined ? [] : this.failingWith(node, extra);
    return withNominated.length > 0 ? withNominated : this.failingWith(node, undefined);
  }

  /**
   * What goes is taken off, and what comes back put on again, without regard to what counted in the first place: pods that are being
   * deleted do not count, and yet one less counts when such a pod goes; a selector without requirements counts no pods, but all that go.
   *
   * Source: the same, `updateWithPod`.
   */
  preFilterExtensions(node: number, moving: readonly number[]): PreFilterExtensions {
    const { input, spreads } = this;
    const { pods } = input.state;
    const namespace = input.pod.metadata.namespace ?? '';
    const counts = spreads.every((_, place) => this.valueId(place, node) >= 0);
    const change = spreads.map(() => 0);
    const extra = this.nominated.get(node);
    const move = (pod: number, by: 1 | -1): void => {
      if (!counts || pods.namespace(pod) !== namespace) return;
      const selects = this.selecting(pods.labelSetId(pod), pod);
      for (let place = 0; place < change.length; place++) {
        if (selects[place] === true && spreads[place]!.included[node] === 1) change[place]! += by;
      }
    };
    const failing = (): readonly Failing[] => {
      const withNominated =
        extra === undefined
          ? []
          : this.failingWith(
              node,
              extra.map((more, place) => more + change[place]!),
            );
      return withNominated.length > 0 ? withNominated : this.failingWith(node, change);
    };
    return {
      removePod: (place) => {
        move(moving[place]!, -1);
      },
      addPod: (place) => {
        move(moving[place]!, 1);
      },
      status: () => {
        const [first] = failing();
        return first === undefined ? SUCCESS : first.isMissing ? UNRESOLVABLE : UNSCHEDULABLE;
      },
      messages: () => [failing()[0]?.isMissing === true ? MISSING : SKEWED],
    };
  }

  private readonly selectingLabels = new Map<number, readonly boolean[]>();

  /** By constraint, whether it selects pods with a set of labels. */
  private selecting(labelSetId: number, pod: number): readonly boolean[] {
    let selects = this.selectingLabels.get(labelSetId);
    if (selects === undefined) {
      const labels = this.input.state.pods.labels(pod);
      selects = this.spreads.map(({ constraint }) => constraint.selector.matches(labels));
      this.selectingLabels.set(labelSetId, selects);
    }
    return selects;
  }

  private failingWith(node: number, extra: readonly number[] | undefined): readonly Failing[] {
    const found: Failing[] = [];
    for (let place = 0; place < this.spreads.length; place++) {
      const value = this.valueId(place, node);
      const nominated = extra?.[place] ?? 0;
      const isMissing = value < 0;
      if (!isMissing && this.skew(place, value, nominated) <= this.spreads[place]!.constraint.maxSkew) continue;
      if (found.length === 0 || found[0]!.isMissing === isMissing) found.push({ place, isMissing, nominated });
    }
    return found;
  }

  explanationKey(node: number): string | undefined {
    if (this.nominated.has(node)) return undefined;
    let key = '';
    for (let place = 0; place < this.spreads.length; place++) key += `${this.valueId(place, node)},`;
    return key;
  }

  explain(node: number): readonly Reason[] {
    return this.failing(node).map(({ place, isMissing, nominated }): Reason => {
      const { constraint, column } = this.spreads[place]!;
      const { topologyKey, maxSkew, minDomains } = constraint;
      const fields = [this.field(constraint.index), nodeMapField(['metadata', 'labels'], topologyKey)];
      if (isMissing) {
        return {
          plugin: NAME,
          code: 'TopologyLabelMissing',
          status: 'UnschedulableAndUnresolvable',
          message: MISSING,
          facts: { topology: { key: topologyKey, value: null } },
          fields,
        };
      }
      const value = this.valueId(place, node);
      const one = this.spreads[place]!;
      return {
        plugin: NAME,
        code: 'TopologySpreadSkew',
        status: 'Unschedulable',
        message: SKEWED,
        facts: {
          topology: { key: topologyKey, value: column!.values[value]! },
          spread: {
            maxSkew,
            matching: one.counts[value]! + nominated,
            self: this.self[place]!,
            minimum: this.minimum(place, value, nominated),
            skew: this.skew(place, value, nominated),
            minDomains,
            domains: one.domains,
            fewest: fewest(one),
          },
        },
        fields,
      };
    });
  }

  private field(index: number): FieldReference {
    return this.isDefault
      ? podField('spec', 'topologySpreadConstraints')
      : podField('spec', 'topologySpreadConstraints', index);
  }

  private valueId(place: number, node: number): number {
    return this.spreads[place]!.column?.valueIds[node] ?? -1;
  }

  private skew(place: number, value: number, nominated: number): number {
    const { counts } = this.spreads[place]!;
    return counts[value]! + nominated + this.self[place]! - this.minimum(place, value, nominated);
  }

  private minimum(place: number, value: number, nominated: number): number {
    return nominated === 0
      ? this.minima[place]!
      : minimumOf(this.spreads[place]!, this.lowest[place]!, value, nominated);
  }
}

/** What upstream starts from; it stays where no value counts and `minDomains` is none either. */
const MOST = 2 ** 31 - 1;

/** A value with the fewest pods, how many these are, and the fewest of all other values. */
interface Lowest {
  readonly value: number;
  readonly least: number;
  readonly next: number;
}

function lowestOf({ counts, present }: TopologyCounts): Lowest {
  let value = -1;
  let least = MOST;
  let next = MOST;
  for (let id = 0; id < counts.length; id++) {
    if (present[id] === 0) continue;
    const count = counts[id]!;
    if (count < least) {
      next = least;
      least = count;
      value = id;
    } else if (count < next) {
      next = count;
    }
  }
  return { value, least, next };
}

/** The fewest pods of any value, one value having some more; 0 where there are fewer values than there should be. */
function minimumOf(
  { constraint, counts, present, domains }: TopologyCounts,
  lowest: Lowest,
  value = -1,
  more = 0,
): number {
  if (domains < constraint.minDomains) return 0;
  if (value < 0 || present[value] === 0) return lowest.least;
  return Math.min(counts[value]! + more, value === lowest.value ? lowest.next : lowest.least);
}

/**
 * The pods nominated to a node count as if they were there: those of the pod's namespace, here also those being deleted, and by a
 * selector without requirements too (`updateWithPod`).
 */
function nominatedCounts(
  { state, pod, nominated }: PlacementInput,
  spreads: readonly TopologyCounts[],
): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  const namespace = pod.metadata.namespace ?? '';
  for (const { pod: other, nodeIndex } of nominated) {
    if (state.pods.namespace(other) !== namespace) continue;
    if (spreads.some(({ column }) => (column?.valueIds[nodeIndex] ?? -1) < 0)) continue;
    const labels = state.pods.labels(other);
    const counts = found.get(nodeIndex) ?? spreads.map(() => 0);
    found.set(nodeIndex, counts);
    spreads.forEach(({ constraint, included }, place) => {
      if (included[nodeIndex] === 1 && constraint.selector.matches(labels)) counts[place]! += 1;
    });
  }
  return found;
}

const SHOWN = 10;

function fewest({ column, counts, present }: TopologyCounts): readonly { value: string; pods: number }[] {
  return (column?.values ?? [])
    .map((value, id) => ({ value, pods: counts[id]!, isPresent: present[id] === 1 }))
    .filter(({ isPresent }) => isPresent)
    .sort((a, b) => a.pods - b.pods || (a.value < b.value ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ value, pods }) => ({ value, pods }));
}
