import { canonicalJson } from './canonical-json.js';
import type {
  AttributedChange,
  FoundState,
  IntentOutcome,
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
 * follows evidence that comes late and out of order: what is new is added, and names the records whose place it takes.
 *
 * Example: a snapshot shows a taint, by nobody known; the audit event that arrives a minute later names alice. The second
 * record supersedes the first, which stays where it is.
 *
 * @param recorded the records of the node that nothing has superseded
 */
export function reconcileTrail(
  recorded: readonly RecordedFinding[],
  found: readonly TrailFinding[],
): readonly TrailAddition[] {
  const standing = new Map<string, RecordedFinding[]>();
  for (const record of recorded) {
    const text = essenceOf(record.finding);
    const same = standing.get(text);
    if (same === undefined) standing.set(text, [record]);
    else same.push(record);
  }
  const fresh = found.filter((finding) => standing.get(essenceOf(finding))?.shift() === undefined);
  const stale = new Set([...standing.values()].flat());
  const byTopic = new Map<string, RecordedFinding[]>();
  for (const record of stale) {
    for (const topic of topicsOf(record.finding)) {
      const others = byTopic.get(topic);
      if (others === undefined) byTopic.set(topic, [record]);
      else others.push(record);
    }
  }
  const replaced = new Set<RecordedFinding>();
  const additions: TrailAddition[] = fresh.map((finding) => {
    const former = new Set<RecordedFinding>();
    for (const topic of topicsOf(finding)) for (const record of byTopic.get(topic) ?? []) former.add(record);
    for (const record of former) replaced.add(record);
    return { finding, supersedes: [...former].map(({ sequence }) => sequence).sort((a, b) => a - b) };
  });
  return [
    ...additions,
    ...[...stale].filter((record) => !replaced.has(record)).map((record) => ({ withdraws: record })),
  ];
}

/** What makes two findings the same: all but where snapshots before and after are to be found, which goes on growing. */
function essenceOf(finding: TrailFinding): string {
  switch (finding.kind) {
    case 'change':
      return canonicalJson({ ...finding, observedBefore: undefined, observedAfter: undefined });
    case 'found':
      return canonicalJson({ ...finding, observedAfter: undefined });
    case 'attempt':
    case 'write':
    case 'intent':
      return canonicalJson(finding);
  }
}

/** By what one finding may take the place of another: the request that both tell of, or what of the node they touch. */
function topicsOf(finding: TrailFinding): string[] {
  switch (finding.kind) {
    case 'intent':
      return [`intent ${finding.id}`];
    case 'attempt':
    case 'write':
      return [`event ${finding.auditID}`];
    case 'found':
      return ['found'];
    case 'change': {
      const events = [...finding.auditIDs, ...(finding.candidates ?? []).map(({ auditID }) => auditID)];
      const { difference, set } = finding;
      const taints =
        difference === null
          ? (set?.taints ?? [])
          : [...difference.added, ...difference.removed, ...difference.changed.map(({ after }) => after)];
      const cordon = difference === null ? set?.unschedulable !== undefined : difference.cordon !== undefined;
      return [
        ...events.map((id) => `event ${id}`),
        ...taints.map(({ key, effect }) => `taint ${effect} ${key}`),
        ...(cordon ? ['cordon'] : []),
        ...(finding.life === undefined ? [] : [`life ${finding.life}`]),
      ];
    }
  }
}
