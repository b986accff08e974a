import { nearestField } from '../core/findings/nearest-field.js';
import type { FieldError } from '../core/kubernetes/field-error.js';
import { isKeptKind, KINDS } from '../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import type { Node } from '../core/kubernetes/objects/node.js';
import type { Pod } from '../core/kubernetes/objects/pod.js';
import type { UnknownField } from '../core/kubernetes/schema/decoding.js';
import { compareKubernetesVersions, parseKubernetesVersion } from '../core/kubernetes/versions.js';
import type { IngestLimits } from './ingest-limits.js';
import { First } from './first.js';
import type {
  Counted,
  DuplicateObject,
  IngestReport,
  InvalidItem,
  ObjectName,
  SnapshotFinding,
} from './ingest-report.js';
import { KeySet } from './key-set.js';

/** The maximum number of distinct names in counts, so that a hostile stream cannot make the report itself large. */
const MAX_NAMES = 100_000;
const MAX_IGNORED_KINDS = 1000;
const PODS_NAMED = 5;
/** Maximum number of distinct unknown fields for which a known one is looked for. */
const MAX_UNKNOWN_PLACES = 1000;

/** Collects the report of a stream in bounded memory. */
export class ReportBuilder {
  items = 0;
  private readonly seen: KeySet;
  private readonly kept = new Map<string, number>();
  private readonly ignored = new Map<string, { apiVersion: string; kind: string; count: number }>();
  private droppedFields = 0;
  private unknownFieldCount = 0;
  private readonly unknownFields = new Set<string>();
  private readonly duplicates: First<DuplicateObject>;
  private readonly invalid: First<InvalidItem>;
  private readonly nodesWithoutStatus: First<SnapshotFinding>;
  private readonly misspelt: First<SnapshotFinding>;
  /** The kinds and paths of unknown fields that were looked at. */
  private readonly unknownPlaces = new Set<string>();
  /** Nodes that pods name and that have not occurred yet. */
  private readonly awaitedNodes = new Map<string, First<string>>();
  private readonly kinds = new Set<string>();
  /** The resourceVersions of the lists by kind; null for a kind whose lists differ. */
  private readonly positions = new Map<string, string | null>();
  private readonly namespaces = new Set<string>();
  /** Kinds of objects in the stream that could not be stored. */
  private readonly leftOut = new Set<string>();
  /** Whether to reject the stream even if the caller keeps invalid objects. */
  private forbidden = false;
  /** The number of objects of kinds that are not stored. */
  ignoredCount = 0;
  private versions: { oldest: string; newest: string } | null = null;

  constructor(
    private readonly limits: IngestLimits,
    seed: number,
  ) {
    this.seen = new KeySet(seed);
    this.duplicates = new First(limits.maxReported);
    this.invalid = new First(limits.maxReportedErrors);
    this.nodesWithoutStatus = new First(limits.maxReported);
    this.misspelt = new First(limits.maxReported);
  }

  get invalidCount(): number {
    return this.invalid.count;
  }

  get invalidItems(): readonly InvalidItem[] {
    return this.invalid.first;
  }

  hasSeen(object: ObjectName): boolean {
    return this.seen.has(keyOf(object));
  }

  /** Adds a stored object. */
  keep(object: KubernetesObject, item: number): void {
    const { kind } = object;
    const namespace = object.metadata.namespace ?? '';
    const { name } = object.metadata;
    this.kinds.add(kind);
    if (namespace !== '' && this.namespaces.size < MAX_NAMES) this.namespaces.add(namespace);
    if (this.seen.add(keyOf({ kind, namespace, name }))) this.kept.set(kind, (this.kept.get(kind) ?? 0) + 1);
    else this.duplicates.add({ kind, namespace, name, item });
    if (kind === 'Node') this.keepNode(object as Node);
    else if (kind === 'Pod') this.keepPod(object as Pod);
  }

  /** Adds a kind with an empty list: the cluster is known to have no objects of it. */
  occurs(kind: string): void {
    this.kinds.add(kind);
  }

  /** Notes the resourceVersion of a complete list of a kind. */
  position(kind: string, resourceVersion: string | null): void {
    const isFirst = !this.positions.has(kind);
    this.positions.set(kind, isFirst || this.positions.get(kind) === resourceVersion ? resourceVersion : null);
  }

  /** Adds the kind of an object that could not be stored; empty if the kind is unknown. */
  leaveOut(kind: string): void {
    this.leftOut.add(kind);
  }

  /** Rejects the stream even if the caller keeps invalid objects. */
  forbid(): void {
    this.forbidden = true;
  }

  get isForbidden(): boolean {
    return this.forbidden;
  }

  ignore(apiVersion: string, kind: string): void {
    this.ignoredCount++;
    const key = `${apiVersion}\0${kind}`;
    const entry = this.ignored.get(key);
    if (entry !== undefined) entry.count++;
    else if (this.ignored.size < MAX_IGNORED_KINDS) this.ignored.set(key, { apiVersion, kind, count: 1 });
  }

  /** Notes the fields of an object of a kind that are not kept. */
  drop(kind: string, droppedFields: number, unknownCount: number, unknown: readonly UnknownField[]): void {
    this.droppedFields += droppedFields;
    this.unknownFieldCount += unknownCount;
    for (const { field, name, known } of unknown) {
      const path = field.replaceAll(/\[\d+\]/g, '[]');
      if (this.unknownFields.size < this.limits.maxReported) this.unknownFields.add(path);
      this.noteMisspelling(kind, path, name, known);
    }
  }

  private noteMisspelling(kind: string, field: string, name: string, known: UnknownField['known']): void {
    const place = `${kind} ${field}`;
    if (this.unknownPlaces.size >= MAX_UNKNOWN_PLACES || this.unknownPlaces.has(place)) return;
    this.unknownPlaces.add(place);
    const suggestion = nearestField(name, known.keys());
    if (suggestion === undefined) return;
    const message = `${kind} has no field ${field}, which is not kept: ${suggestion} is the nearest known one`;
    this.misspelt.add({ code: 'unknown-field', kind, field, suggestion, message });
  }

  refuse(item: number, object: ObjectName, errors: readonly Omit<FieldError, 'type'>[], type?: string): void {
    for (const error of errors) {
      this.invalid.add({
        ...object,
        item,
        pointer: error.pointer,
        field: error.field,
        type: type ?? (error as FieldError).type,
        message: error.message,
      });
    }
  }

  finish(bytesRead: number, bytesDecoded: number): IngestReport {
    const byKind = (a: { kind: string }, b: { kind: string }): number => (a.kind < b.kind ? -1 : 1);
    return {
      bytesRead,
      bytesDecoded,
      items: this.items,
      kept: [...this.kept].map(([kind, count]) => ({ kind, count })).sort(byKind),
      ignored: [...this.ignored.values()].sort((a, b) => b.count - a.count),
      droppedFields: this.droppedFields,
      unknownFields: { count: this.unknownFieldCount, first: [...this.unknownFields] },
      duplicates: this.duplicates.toJSON(),
      invalid: this.invalid.toJSON(),
      findings: this.findings(),
      kubeletVersions: this.versions,
      kinds: [...this.kinds].sort(),
      incompleteKinds: this.leftOut.has('')
        ? [...KINDS.map(({ kind }) => kind)].sort()
        : [...this.leftOut].filter(isKeptKind).sort(),
      namespaces: [...this.namespaces].sort(),
      positions: [...this.positions]
        .flatMap(([kind, resourceVersion]) => (resourceVersion === null ? [] : [{ kind, resourceVersion }]))
        .sort(byKind),
    };
  }

  private keepNode(node: Node): void {
    const { name } = node.metadata;
    this.awaitedNodes.delete(name);
    if (node.status === undefined || Object.keys(node.status).length === 0) {
      const message = `node ${name} has no status: its capacity and conditions are not known`;
      this.nodesWithoutStatus.add({ code: 'node-without-status', node: name, message });
    }
    const version = node.status?.nodeInfo?.kubeletVersion;
    if (version === undefined || parseKubernetesVersion(version) === undefined) return;
    const { oldest, newest } = this.versions ?? { oldest: version, newest: version };
    this.versions = {
      oldest: isOlder(version, oldest) ? version : oldest,
      newest: isOlder(newest, version) ? version : newest,
    };
  }

  private keepPod(pod: Pod): void {
    const node = pod.spec?.nodeName;
    if (node === undefined || node === '' || this.hasSeen({ kind: 'Node', namespace: '', name: node })) return;
    let pods = this.awaitedNodes.get(node);
    if (pods === undefined) {
      if (this.awaitedNodes.size >= MAX_NAMES) return;
      this.awaitedNodes.set(node, (pods = new First(PODS_NAMED)));
    }
    pods.add(`${pod.metadata.namespace ?? ''}/${pod.metadata.name}`);
  }

  private findings(): Counted<SnapshotFinding> {
    const findings = new First<SnapshotFinding>(this.limits.maxReported);
    for (const [node, pods] of this.awaitedNodes) {
      const message = `${pods.count === 1 ? '1 pod names' : `${pods.count} pods name`} node ${node}, which is not in the snapshot`;
      findings.add({ code: 'pod-on-absent-node', node, pods: pods.toJSON(), message });
    }
    for (const finding of this.nodesWithoutStatus.first) findings.add(finding);
    for (const finding of this.misspelt.first) findings.add(finding);
    for (const { count, first } of [this.nodesWithoutStatus, this.misspelt]) findings.count += count - first.length;
    return findings.toJSON();
  }
}

const keyOf = ({ kind, namespace, name }: ObjectName): string => `${kind}\0${namespace}\0${name}`;

function isOlder(a: string, b: string): boolean {
  const left = parseKubernetesVersion(a);
  const right = parseKubernetesVersion(b);
  return left !== undefined && right !== undefined && compareKubernetesVersions(left, right) < 0;
}
