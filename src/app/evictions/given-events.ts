import { MAX_EVENTS, type EVICTION_EVENT_KINDS } from '../../contract/limits.js';
import { readPodManifest } from '../../core/admission/read-pod-manifest.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../../core/kubernetes/objects/taints.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { faultAt } from '../errors/fault-at.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { readTaintsAt } from '../taints/given-taint.js';
import type { GivenEvent } from './schedule-request.js';

export { MAX_EVENTS };

type EvictionEventKind = (typeof EVICTION_EVENT_KINDS)[number];

/** A parsed event after the state was captured, with nodes and pods by name. */
export type ReadEvent = { readonly at: number } & (
  | { readonly do: 'setTaints'; readonly node: string; readonly taints: readonly Taint[] }
  | { readonly do: 'deleteNode'; readonly node: string }
  | { readonly do: 'setTolerations'; readonly pod: string; readonly tolerations: readonly Toleration[] }
  | { readonly do: 'createPod'; readonly pod: string; readonly node: string; readonly manifest: JsonObject }
  | { readonly do: 'deletePod'; readonly pod: string }
  | { readonly do: 'stopController' | 'startController' }
);

/** The members of each event besides `at` and `do`. */
const MEMBERS: Readonly<
  Record<EvictionEventKind, readonly ('node' | 'pod' | 'taints' | 'tolerations' | 'manifest')[]>
> = {
  setTaints: ['node', 'taints'],
  deleteNode: ['node'],
  setTolerations: ['pod', 'tolerations'],
  createPod: ['node', 'manifest'],
  deletePod: ['pod'],
  stopController: [],
  startController: [],
};
const ALL_MEMBERS = ['node', 'pod', 'taints', 'tolerations', 'manifest'] as const;

/**
 * Parses events and checks them against a state. Reports every error: events out of order, before `from`, or about
 * nodes and pods that do not exist at that time. Yields between events.
 */
export function* stepReadEvents(
  events: readonly GivenEvent[],
  { state, from, at: root }: { readonly state: ClusterState; readonly from: number; readonly at: FieldPath },
): Generator<undefined, { readonly events: readonly ReadEvent[]; readonly faults: readonly ErrorDetail[] }> {
  const reader = new EventReader(state);
  let last = from;
  for (const [index, event] of events.entries()) {
    if (index > 0) yield;
    const place = root.index(index);
    const at = event.at.getTime();
    if (at < last) {
      const message =
        last === from
          ? `must not be before ${new Date(from).toISOString()}, the start of the schedule`
          : `must not be before the previous event, at ${new Date(last).toISOString()}: sort the events by time`;
      reader.complain(place.child('at'), last === from ? 'before-the-state' : 'out-of-order', message);
    }
    last = Math.max(last, at);
    reader.read(event, at, place);
  }
  return { events: reader.events, faults: reader.faults };
}

class EventReader {
  readonly events: ReadEvent[] = [];
  readonly faults: ErrorDetail[] = [];
  private readonly deletedNodes = new Set<string>();
  /** By `namespace/name`: whether the pod exists at this point, for pods that events have changed. */
  private readonly pods = new Map<string, boolean>();

  constructor(private readonly state: ClusterState) {}

  complain(place: FieldPath, code: string, message: string): void {
    this.faults.push(faultAt(place, code, message));
  }

  read(event: GivenEvent, at: number, place: FieldPath): void {
    const before = this.faults.length;
    const wanted = MEMBERS[event.do];
    for (const member of ALL_MEMBERS) {
      const given = event[member] !== undefined;
      if (given && !wanted.includes(member)) {
        this.complain(place.child(member), 'unknown-field', `${event.do} does not take ${member}; remove it`);
      } else if (!given && wanted.includes(member)) {
        this.complain(place.child(member), 'required', `${event.do} requires ${member}`);
      }
    }
    if (this.faults.length > before) return;
    const node = event.node ?? '';
    const pod = event.pod ?? '';
    if (wanted.includes('node')) this.checkNode(node, event.do, place.child('node'));
    if (wanted.includes('pod')) this.checkPod(pod, place.child('pod'));
    switch (event.do) {
      case 'setTaints': {
        const { taints, details } = readTaintsAt(event.taints!, place.child('taints'));
        this.faults.push(...details);
        this.deletedNodes.delete(node);
        this.events.push({ at, do: 'setTaints', node, taints });
        return;
      }
      case 'deleteNode':
        this.deletedNodes.add(node);
        this.events.push({ at, do: 'deleteNode', node });
        return;
      case 'setTolerations':
        this.events.push({ at, do: 'setTolerations', pod, tolerations: this.tolerations(event.tolerations!, place) });
        return;
      case 'createPod':
        this.createPod(event.manifest!, { at, node, place: place.child('manifest') });
        return;
      case 'deletePod':
        this.pods.set(pod, false);
        this.events.push({ at, do: 'deletePod', pod });
        return;
      case 'stopController':
      case 'startController':
        this.events.push({ at, do: event.do });
    }
  }

  private checkNode(node: string, word: EvictionEventKind, place: FieldPath): void {
    const stored = this.state.nodes.indexOf(node) >= 0;
    if (!stored) this.complain(place, 'object-not-found', `node ${JSON.stringify(node)} does not exist`);
    // setTaints creates a deleted node again.
    else if (this.deletedNodes.has(node) && word !== 'setTaints') {
      this.complain(place, 'object-not-found', `node ${JSON.stringify(node)} was deleted by an earlier event`);
    }
  }

  private checkPod(pod: string, place: FieldPath): void {
    const [namespace = '', name = '', ...more] = pod.split('/');
    if (namespace === '' || name === '' || more.length > 0) {
      this.complain(place, 'invalid-pod-key', 'must be namespace/name');
      return;
    }
    const there = this.pods.get(pod) ?? this.state.pods.indexOf(namespace, name) >= 0;
    if (!there) this.complain(place, 'object-not-found', `pod ${pod} does not exist at that time`);
  }

  private tolerations(given: readonly JsonValue[], place: FieldPath): readonly Toleration[] {
    const at = place.child('tolerations');
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'x', image: 'x' }], tolerations: [...given] },
    };
    const read = readPodManifest('pod', manifest, gatesOf(this.state.rules));
    if ('errors' in read) {
      for (const { field, pointer, type, message } of read.errors) {
        this.faults.push({
          field: field.replace(/^spec\.tolerations/, at.toString()),
          pointer: pointer.replace(/^\/spec\/tolerations/, at.toPointer()),
          code: type,
          message,
        });
      }
      return [];
    }
    return (read.object as Pod).spec.tolerations ?? [];
  }

  private createPod(
    manifest: JsonObject,
    { at, node, place }: { readonly at: number; readonly node: string; readonly place: FieldPath },
  ): void {
    const { kind = 'Pod', metadata } = manifest;
    const { name, namespace } = membersOf(metadata);
    const before = this.faults.length;
    if (kind !== 'Pod') this.complain(place.child('kind'), 'invalid', 'must be Pod');
    if (typeof name !== 'string' || name === '') {
      this.complain(place.child('metadata', 'name'), 'required', 'must be set: the pod requires a name');
    }
    if (namespace != null && typeof namespace !== 'string') {
      this.complain(place.child('metadata', 'namespace'), 'invalid', 'must be a string');
    }
    if (this.faults.length > before || typeof name !== 'string') return;
    const inNamespace = typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
    const key = `${inNamespace}/${name}`;
    if (this.pods.has(key) || this.state.pods.indexOf(inNamespace, name) >= 0) {
      this.complain(
        place.child('metadata', 'name'),
        'already-exists',
        `pod ${key} exists or existed before; use another name`,
      );
      return;
    }
    this.pods.set(key, true);
    this.events.push({ at, do: 'createPod', pod: key, node, manifest });
  }
}

const membersOf = (value: JsonValue | undefined): Readonly<Record<string, JsonValue>> =>
  isJsonObject(value) ? value : {};
