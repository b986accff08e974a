import type { KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { hostPortsOf, type HostPort } from '../../cluster/host-ports.js';
import { internText } from '../../cluster/intern-table.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { readAffinityTerms, type PodAffinityTerms } from '../../placement/plugins/inter-pod-affinity/terms.js';

/** The properties of a pod on a node that can affect other pods; many pods share a kind. */
export interface PodKind {
  readonly id: number;
  readonly namespace: string;
  readonly labels: Labels;
  readonly terms: PodAffinityTerms;
  readonly hostPorts: readonly HostPort[];
  /** Whether the pods are being deleted; topology spread does not count such pods. */
  readonly terminating: boolean;
  /** Whether the pods have affinity terms, which can affect pods without terms. */
  readonly hasTerms: boolean;
  /** The node of each pod of the kind. */
  readonly nodes: number[];
}

/** The parts of a pod that determine its kind. */
export interface PodParts {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

/** Takes some milliseconds. */
const NODES_AT_ONCE = 32;

/**
 * The pods on nodes, grouped by the properties that can affect other pods, so that a term or selector is evaluated once per
 * group.
 */
export class PodKinds {
  /** The kinds that these are a copy of, with none of their own pods. */
  private readonly origin: PodKinds | undefined;
  /** The kinds that came since, and the copies of those of the origin, by id. */
  private readonly own = new Map<number, PodKind>();
  private readonly ids = new Map<string, PodKind>();
  private readonly byNamespace = new Map<string, PodKind[]>();
  private readonly ownWithTerms: PodKind[] = [];
  private count: number;

  private constructor(
    private readonly rules: KubernetesRules,
    origin?: PodKinds,
  ) {
    this.origin = origin;
    this.count = origin?.count ?? 0;
  }

  static empty(rules: KubernetesRules): PodKinds {
    return new PodKinds(rules);
  }

  /** The kinds of a state's pods. */
  static in(state: ClusterState): PodKinds {
    const steps = PodKinds.stepIn(state);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** The same, in steps of some nodes. */
  static *stepIn({ pods, nodes, rules }: ClusterState): Generator<undefined, PodKinds> {
    const kinds = PodKinds.empty(rules);
    const ofRow = new Map<string, PodKind>();
    for (let node = 0; node < nodes.count; node++) {
      if (node % NODES_AT_ONCE === 0) yield;
      for (const pod of nodes.podsOf(node)) {
        if (!pods.active(pod)) continue;
        const namespace = pods.namespace(pod);
        const terminating = pods.terminating(pod);
        const row = `${pods.specId(pod)} ${pods.labelSetId(pod)} ${terminating ? 1 : 0} ${namespace}`;
        let kind = ofRow.get(row);
        if (kind === undefined) {
          const parts = { namespace, labels: pods.labels(pod), spec: pods.specOf(pods.specId(pod)) };
          kind = kinds.ofParts(parts, terminating);
          ofRow.set(row, kind);
        }
        kind.nodes.push(node);
      }
    }
    return kinds;
  }

  /** Remembers where the pods are. The returned function takes off the pods that have come since. */
  mark(): () => void {
    const counts = this.all.map(({ nodes }) => nodes.length);
    return () => {
      for (const [index, { nodes }] of this.all.entries()) {
        // To set an equal length would cost a copy.
        if (nodes.length !== (counts[index] ?? 0)) nodes.length = counts[index] ?? 0;
      }
    };
  }

  /**
   * The same kinds, so that pods can come and go without a change of these, which must not change from now on. A kind is copied when
   * `ofPod` or `ofParts` returns it.
   */
  copy(): PodKinds {
    return new PodKinds(this.rules, this);
  }

  get all(): readonly PodKind[] {
    return this.merged(this.origin?.all ?? NONE, this.own.values());
  }

  /** Those with affinity terms. */
  get withTerms(): readonly PodKind[] {
    return this.merged(this.origin?.withTerms ?? NONE, this.ownWithTerms);
  }

  inNamespace(namespace: string): readonly PodKind[] {
    return this.merged(this.origin?.inNamespace(namespace) ?? NONE, this.byNamespace.get(namespace) ?? NONE);
  }

  /** Kinds of the origin, as far as they are not copied, and the own ones. */
  private merged(origins: readonly PodKind[], own: Iterable<PodKind>): readonly PodKind[] {
    const kinds = [...own];
    for (const kind of origins) if (!this.own.has(kind.id)) kinds.push(kind);
    return kinds;
  }

  private add(key: string, kind: PodKind): PodKind {
    const { id, namespace, hasTerms } = kind;
    this.own.set(id, kind);
    this.ids.set(key, kind);
    const others = this.byNamespace.get(namespace);
    if (others === undefined) this.byNamespace.set(namespace, [kind]);
    else others.push(kind);
    if (hasTerms) this.ownWithTerms.push(kind);
    return kind;
  }

  private find(key: string): PodKind | undefined {
    return this.ids.get(key) ?? this.origin?.find(key);
  }

  /** The kind of a pod that is or may be placed. */
  ofPod({ metadata, spec }: Pod): PodKind {
    const { namespace = '', labels = {}, deletionTimestamp } = metadata;
    return this.ofParts({ namespace, labels, spec }, deletionTimestamp !== undefined);
  }

  /** The same, from the parts of a pod that determine its kind. */
  ofParts({ namespace, labels, spec }: PodParts, terminating: boolean): PodKind {
    const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
    const hostPorts = hostPortsOf(spec, this.rules);
    const ports = hostPorts.map(({ ip, protocol, port }) => `${ip} ${protocol} ${port}`);
    const key = internText([namespace, sorted(labels), terminating, ports, podAffinity, podAntiAffinity]);
    const known = this.find(key);
    if (known !== undefined) {
      return this.own.get(known.id) ?? this.add(key, { ...known, nodes: known.nodes.slice() });
    }
    const { terms } = readAffinityTerms(spec, namespace);
    const hasTerms = [
      terms.requiredAffinity,
      terms.requiredAntiAffinity,
      terms.preferredAffinity,
      terms.preferredAntiAffinity,
    ].some(({ length }) => length > 0);
    const id = this.count++;
    return this.add(key, { id, namespace, labels, terms, hostPorts, terminating, hasTerms, nodes: [] });
  }
}

const NONE: readonly PodKind[] = [];

const sorted = (labels: Labels): readonly (readonly [string, string])[] =>
  Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
