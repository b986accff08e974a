import { compare } from '../json/compare.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type { AuditEvent } from './audit-event.js';
import type { NodeObservation, TaintEvidence, TaintIntent } from './evidence.js';

/** One piece of evidence about a node, at its position in time. */
export type TimelineEntry =
  | { readonly kind: 'event'; readonly event: AuditEvent; readonly time: number; readonly version?: bigint }
  | {
      readonly kind: 'observation';
      readonly observation: NodeObservation;
      readonly time: number;
      readonly version?: bigint;
    }
  | { readonly kind: 'intent'; readonly intent: TaintIntent; readonly time: number };

/**
 * The evidence by node (in the order of their names), each in chronological order, regardless of the input order; of
 * all stages and copies of one request only the most detailed.
 *
 * Evidence with a resourceVersion is ordered by it: it grows with every write and is compared as an integer (as the API
 * guarantees since v1.35). Other evidence is inserted by time.
 */
export function timelines({
  observations,
  events,
  intents,
}: TaintEvidence): ReadonlyMap<string, readonly TimelineEntry[]> {
  const byNode = new Map<string, TimelineEntry[]>();
  const put = (node: string, entry: TimelineEntry): void => {
    const entries = byNode.get(node);
    if (entries === undefined) byNode.set(node, [entry]);
    else entries.push(entry);
  };
  for (const event of onceEach(events)) {
    const version = isWritten(event) ? versionOf(event.responded?.resourceVersion) : undefined;
    const time = microsecondsOf(event.stageTimestamp) ?? 0;
    put(event.node, { kind: 'event', event, time, ...(version !== undefined && { version }) });
  }
  for (const observation of observations) {
    const version = versionOf(observation.resourceVersion);
    const time = microsecondsOf(observation.at) ?? 0;
    put(observation.node, { kind: 'observation', observation, time, ...(version !== undefined && { version }) });
  }
  // One change may concern many nodes.
  for (const intent of new Map(intents.map((intent) => [`${intent.node}\n${intent.id}`, intent])).values()) {
    put(intent.node, { kind: 'intent', intent, time: microsecondsOf(intent.at) ?? 0 });
  }
  const names = [...byNode.keys()].sort();
  return new Map(names.map((name) => [name, inOrder(byNode.get(name) ?? [])]));
}

/** Whether the event's request was executed: neither refused nor a dry run, and its outcome is known. */
export function isWritten({ responseCode, dryRun }: AuditEvent): boolean {
  return responseCode !== undefined && responseCode < 400 && !dryRun;
}

const STAGE_RANK = { RequestReceived: 0, ResponseStarted: 1, Panic: 2, ResponseComplete: 3 } as const;
const LEVEL_RANK = { Metadata: 0, Request: 1, RequestResponse: 2 } as const;

/**
 * The events, each request once. The auditID alone does not identify a request: clients may choose it (the header
 * Audit-ID), and could hide a second request behind the first.
 */
function onceEach(events: readonly AuditEvent[]): Iterable<AuditEvent> {
  const requests = new Map<string, AuditEvent>();
  for (const event of events) {
    const { auditID, requestReceivedTimestamp, verb, requestURI, node, user } = event;
    const identity = JSON.stringify([auditID, requestReceivedTimestamp, verb, requestURI, node, user?.username]);
    const other = requests.get(identity);
    if (other === undefined || saysMore(event, other)) requests.set(identity, event);
  }
  return requests.values();
}

function saysMore(a: AuditEvent, b: AuditEvent): boolean {
  const more =
    STAGE_RANK[a.stage] - STAGE_RANK[b.stage] ||
    LEVEL_RANK[a.level] - LEVEL_RANK[b.level] ||
    Number(b.truncated) - Number(a.truncated);
  return more > 0;
}

/**
 * Merges two sorted lists (by version; by time) by time. Comparing by version if both have one and by time otherwise
 * would not be transitive.
 */
function inOrder(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const versioned = entries.filter(hasVersion).sort((a, b) => compare(a.version, b.version) || tieOf(a, b));
  const others = entries.filter((entry) => !hasVersion(entry)).sort(tieOf);
  const merged: TimelineEntry[] = [];
  let next = 0;
  for (const entry of versioned) {
    for (; next < others.length && others[next]!.time < entry.time; next += 1) merged.push(others[next]!);
    merged.push(entry);
  }
  return [...merged, ...others.slice(next)];
}

const hasVersion = (entry: TimelineEntry): entry is TimelineEntry & { readonly version: bigint } =>
  'version' in entry && entry.version !== undefined;

/** At the same version writes come first, the earliest of which created it, then observations. */
function tieOf(a: TimelineEntry, b: TimelineEntry): number {
  const rank = { intent: 0, event: 1, observation: 2 } as const;
  const sameVersion = hasVersion(a) && hasVersion(b);
  const byKind = orderOfRevisions(a, b) || rank[a.kind] - rank[b.kind];
  return (sameVersion ? byKind || a.time - b.time : a.time - b.time || byKind) || compare(nameOf(a), nameOf(b));
}

/** For an intent and a snapshot: one was made on the state that the other had left. */
function orderOfRevisions(a: TimelineEntry, b: TimelineEntry): number {
  if (a.kind === b.kind || a.kind === 'event' || b.kind === 'event') return 0;
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first === undefined || second === undefined ? 0 : first - second;
}

const revisionOf = (entry: Exclude<TimelineEntry, { readonly kind: 'event' }>): number | undefined =>
  entry.kind === 'intent' ? entry.intent.revision : entry.observation.revision;

function nameOf(entry: TimelineEntry): string {
  switch (entry.kind) {
    case 'event':
      return entry.event.auditID;
    case 'observation':
      return String(entry.observation.revision ?? '').padStart(16, '0');
    case 'intent':
      return entry.intent.id;
  }
}

function versionOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
}
