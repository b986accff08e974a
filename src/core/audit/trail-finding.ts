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

/** One thing that the evidence about a node says: what becomes one record of the trail. */
export type TrailFinding =
  | ({ readonly kind: 'found' } & FoundState)
  | ({ readonly kind: 'change' } & AttributedChange)
  | ({ readonly kind: 'attempt' } & TaintAttempt)
  | ({ readonly kind: 'write' } & UnprovenWrite)
  | ({ readonly kind: 'intent' } & IntentOutcome);

/** A finding that the trail has a record of. */
export interface RecordedFinding {
  readonly sequence: number;
  readonly finding: TrailFinding;
}

/** What is to be added to the trail. */
export type TrailAddition =
  | { readonly finding: TrailFinding; readonly supersedes: readonly number[] }
  /** A record that the evidence does not bear out any more, and nothing takes the place of. */
  | { readonly withdraws: RecordedFinding };

/**
 * What a trail says in records: all but what is recorded already where it was done (a change that is known by its intent
 * alone, and an intent of which nothing is known since).
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
 * Compares what the evidence about one node says now with what was recorded of it before, so that an append-only trail
 * follows evidence that comes late and out of order: what is new is added, and names the records whose place it takes. That
 * is those that tell of the same request; else those that tell of the same taint at the same time; else the nearest one.
 *
 * Example: a snapshot shows a taint, by nobody known; the audit event that arrives a minute later names alice. The second
 * record supersedes the first, which stays where it is.
 *
 * In short steps. Time grows with the findings (and their logarithm), whatever of them is new.
 *
 * @param recorded the records of the node that nothing has superseded
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

/** New findings, by what they may take the place of. */
class Successors {
  private readonly byRequest = new Map<string, TrailFinding[]>();
  /** By what of the node they touch, in the order of time. */
  private readonly byTopic = new Map<string, Placed[]>();

  constructor(fresh: readonly TrailFinding[]) {
    for (const finding of fresh) {
      for (const request of requestsOf(finding)) put(this.byRequest, request, finding);
      const span = spanOf(finding);
      for (const topic of topicsOf(finding)) put(this.byTopic, topic, { finding, span });
    }
    for (const placed of this.byTopic.values()) placed.sort((a, b) => a.span.to - b.span.to);
  }

  /** Those that take the place of a record. */
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

/** The index of the first that ends at a time or after it. */
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

/** What makes two findings the same: all but where snapshots before and after are to be found, which goes on growing. */
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

/** The snapshot that decided about an intent: of several that show the node unchanged, only the last is at hand. */
const observedOf = ({ saidBy }: IntentOutcome): ObservationReference | undefined =>
  saidBy !== undefined && 'observation' in saidBy ? saidBy.observation : undefined;

/** The requests that a finding tells of. */
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

/** What of the node a finding tells of. */
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
