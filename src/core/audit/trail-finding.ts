import { canonicalJson } from './canonical-json.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type {
  AttributedChange,
  FoundState,
  IntentOutcome,
  ObservationReference,
  TaintAttempt,
  TaintTrail,
  UnprovenWrite,
} from './attributed-change.js';

/** One conclusion from the evidence about a node, which becomes one record of the trail. */
export type TrailFinding =
  | ({ readonly kind: 'found' } & FoundState)
  | ({ readonly kind: 'change' } & AttributedChange)
  | ({ readonly kind: 'attempt' } & TaintAttempt)
  | ({ readonly kind: 'write' } & UnprovenWrite)
  | ({ readonly kind: 'intent' } & IntentOutcome);

/** A finding that already has a record in the trail. */
export interface RecordedFinding {
  readonly sequence: number;
  readonly finding: TrailFinding;
}

/** An addition to the trail. */
export type TrailAddition =
  | { readonly finding: TrailFinding; readonly supersedes: readonly number[] }
  /** A record that the evidence no longer supports, without a replacement. */
  | { readonly withdraws: RecordedFinding };

/**
 * The findings that a trail records: all except those already recorded when they were made (a change that is only known
 * from its intent, and an intent without a known outcome).
 */
export function findingsOf(trail: TaintTrail): TrailFinding[] {
  return [
    ...trail.found.map((found) => ({ kind: 'found' as const, ...found })),
    ...trail.changes
      .filter(({ basis }) => basis !== 'intent')
      .map((change) => ({ kind: 'change' as const, ...change })),
    ...trail.attempts.map((attempt) => ({ kind: 'attempt' as const, ...attempt })),
    ...trail.writes.map((write) => ({ kind: 'write' as const, ...write })),
    ...trail.intents
      .filter(({ status }) => status !== 'recorded')
      .map((intent) => ({ kind: 'intent' as const, ...intent })),
  ];
}

/**
 * Compares the current conclusions about one node with the recorded ones, so that an append-only trail follows evidence
 * that arrives late and out of order: new findings are added, and name the records that they supersede. These are the
 * records of the same request; else of the same taint at the same time; else the nearest one.
 *
 * Example: a snapshot shows a taint without a known author; the audit event that arrives a minute later names alice.
 * The second record supersedes the first, which remains in the trail.
 *
 * Runs in short steps. The cost is linear in the findings (times their logarithm), however many are new.
 *
 * @param recorded the records of the node that are not superseded
 */
export function* stepReconcileTrail(
  recorded: readonly RecordedFinding[],
  found: readonly TrailFinding[],
): Generator<undefined, readonly TrailAddition[]> {
  const standing = new Map<string, RecordedFinding[]>();
  for (const record of recorded) {
    put(standing, essenceOf(record.finding), record);
    yield;
  }
  const fresh: TrailFinding[] = [];
  for (const finding of found) {
    if (standing.get(essenceOf(finding))?.shift() === undefined) fresh.push(finding);
    yield;
  }
  const stale = [...standing.values()].flat();
  if (stale.length === 0) return fresh.map((finding) => ({ finding, supersedes: [] }));
  const successors = new Successors(fresh);
  const supersedes = new Map<TrailFinding, number[]>();
  const withdrawn: RecordedFinding[] = [];
  for (const record of stale) {
    const heirs = successors.of(record.finding);
    if (heirs.length === 0) withdrawn.push(record);
    for (const heir of heirs) put(supersedes, heir, record.sequence);
    yield;
  }
  return [
    ...fresh.map((finding) => ({
      finding,
      supersedes: (supersedes.get(finding) ?? []).sort((one, other) => one - other),
    })),
    ...withdrawn.map((record) => ({ withdraws: record })),
  ];
}

interface Placed {
  readonly finding: TrailFinding;
  readonly span: Span;
}

/** New findings, by what they may supersede. */
class Successors {
  private readonly byRequest = new Map<string, TrailFinding[]>();
  /** By the parts of the node that they concern, in chronological order. */
  private readonly byTopic = new Map<string, Placed[]>();

  constructor(fresh: readonly TrailFinding[]) {
    for (const finding of fresh) {
      for (const request of requestsOf(finding)) put(this.byRequest, request, finding);
      const span = spanOf(finding);
      for (const topic of topicsOf(finding)) put(this.byTopic, topic, { finding, span });
    }
    for (const placed of this.byTopic.values()) placed.sort((a, b) => a.span.to - b.span.to);
  }

  /** The findings that supersede a record. */
  of(record: TrailFinding): readonly TrailFinding[] {
    const same = new Set(requestsOf(record).flatMap((request) => this.byRequest.get(request) ?? []));
    if (same.size > 0) return [...same];
    const span = spanOf(record);
    const meeting = new Set<TrailFinding>();
    const nearest = new Set<TrailFinding>();
    for (const topic of topicsOf(record)) {
      const placed = this.byTopic.get(topic) ?? [];
      const start = firstAtOrAfter(placed, span.from);
      for (let index = start; index < placed.length && placed[index]!.span.from <= span.to; index += 1) {
        meeting.add(placed[index]!.finding);
      }
      const near = placed[start] ?? placed.at(-1);
      if (near !== undefined) nearest.add(near.finding);
    }
    return [...(meeting.size > 0 ? meeting : nearest)];
  }
}

/** The index of the first finding that ends at or after a time. */
function firstAtOrAfter(placed: readonly Placed[], time: number): number {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (placed[middle]!.span.to < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In microseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function spanOf(finding: TrailFinding): Span {
  if (finding.kind !== 'change' && finding.kind !== 'found') return { from: 0, to: 0 };
  const { when } = finding;
  const to = microsecondsOf(when.kind === 'point' ? when.at : when.to) ?? 0;
  const from = when.kind === 'point' ? to : when.from === undefined ? -Infinity : (microsecondsOf(when.from) ?? to);
  return { from, to };
}

function put<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/**
 * The identity of a finding: all of it except the locations of snapshots before and after, which change as evidence
 * arrives.
 */
function essenceOf(finding: TrailFinding): string {
  switch (finding.kind) {
    case 'change':
      return canonicalJson({ ...finding, observedBefore: undefined, observedAfter: undefined });
    case 'found':
      return canonicalJson({ ...finding, observedAfter: undefined });
    case 'intent':
      return canonicalJson({ ...finding, saidBy: observedOf(finding) === undefined ? finding.saidBy : 'snapshot' });
    case 'attempt':
    case 'write':
      return canonicalJson(finding);
  }
}

/** The snapshot that decided an intent: if several show the node unchanged, only the last is available. */
const observedOf = ({ saidBy }: IntentOutcome): ObservationReference | undefined =>
  saidBy !== undefined && 'observation' in saidBy ? saidBy.observation : undefined;

/** The requests that a finding is about. */
function requestsOf(finding: TrailFinding): readonly string[] {
  switch (finding.kind) {
    case 'attempt':
    case 'write':
      return [finding.auditID];
    case 'change':
      return [...finding.auditIDs, ...(finding.candidates ?? []).map(({ auditID }) => auditID)];
    case 'found':
    case 'intent':
      return [];
  }
}

/** The parts of the node that a finding is about. */
function topicsOf(finding: TrailFinding): readonly string[] {
  switch (finding.kind) {
    case 'intent':
      return [`intent ${finding.id}`];
    case 'attempt':
    case 'write':
      return [];
    case 'found':
      return ['found'];
    case 'change': {
      const { difference, set } = finding;
      const taints =
        difference === null
          ? (set?.taints ?? [])
          : [...difference.added, ...difference.removed, ...difference.changed.map(({ after }) => after)];
      const cordon = difference === null ? set?.unschedulable !== undefined : difference.cordon !== undefined;
      return [
        ...new Set(taints.map(({ key, effect }) => `taint ${effect} ${key}`)),
        ...(cordon ? ['cordon'] : []),
        ...(finding.life === undefined ? [] : [`life ${finding.life}`]),
      ];
    }
  }
}
