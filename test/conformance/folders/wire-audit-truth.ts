import type { AttributedChange, TaintTrail } from '../../../src/core/audit/attributed-change.js';
import {
  changesBetween,
  codeOf,
  isDryRun,
  type RawEvent,
  sameSet,
  say,
  sayDifference,
  sayState,
  whoOf,
} from './audit-words.js';
import type { Batch } from './wire-audit-plays.js';

/** An event as the recording counts it: how often it was sent, and how often the receiver took it. */
export interface CountedEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly user?: string;
  readonly code: number | null;
  readonly delivered: number;
  readonly accepted: number;
}

/** A write to a node, from all events that tell of it. */
export interface NodeWrite {
  readonly auditID: string;
  readonly node: string;
  readonly who: string | undefined;
  /** When it ended, or when it was received if no event tells of its end. */
  readonly at: string;
  /** 0 if no event tells of its end. */
  readonly code: number;
  readonly isDryRun: boolean;
  readonly isDeletion: boolean;
  readonly isCreation: boolean;
  readonly ofStatus: boolean;
  readonly uid: string | undefined;
  readonly resourceVersion: bigint | undefined;
  /** The taints and the cordon after it; undefined if no event shows them. */
  readonly after: ReadonlySet<string> | undefined;
}

export const eventKey = ({ auditID, stage }: Pick<RawEvent, 'auditID' | 'stage'>): string => `${auditID} ${stage}`;

/** Every event of the batches once. */
export const eventsIn = (batches: readonly Batch[]): readonly RawEvent[] => [
  ...new Map(batches.flatMap(({ items }) => items).map((event) => [eventKey(event), event])).values(),
];

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Whether an event is about a write to a node that it names: such events are kept, all others only counted. */
export function isNodeWrite(event: RawEvent): boolean {
  const { resource, apiGroup = '', subresource = '' } = event.objectRef ?? {};
  if (resource !== 'nodes' || apiGroup !== '' || !['', 'status'].includes(subresource)) return false;
  return event.level !== 'None' && WRITES.has(event.verb) && nodeOf(event) !== undefined;
}

function grouped<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    group.push(item);
    groups.set(keyOf(item), group);
  }
  return groups;
}

function nodeOf({ objectRef, responseObject, requestObject }: RawEvent): string | undefined {
  const shown = [responseObject, requestObject].find((object) => object?.kind === 'Node');
  return objectRef?.name ?? shown?.metadata?.name;
}

export function nodeWritesIn(events: readonly RawEvent[]): readonly NodeWrite[] {
  return [...grouped(events.filter(isNodeWrite), ({ auditID }) => auditID)].map(([auditID, stages]) => {
    const last = stages.find(({ stage }) => stage !== 'RequestReceived') ?? stages[0]!;
    const { responseObject } = last;
    const shown = responseObject?.kind === 'Node' ? responseObject : undefined;
    const version = shown?.metadata?.resourceVersion;
    return {
      auditID,
      node: nodeOf(last)!,
      who: whoOf(last),
      at: last.stageTimestamp,
      code: codeOf(last),
      isDryRun: isDryRun(last),
      isDeletion: last.verb.startsWith('delete'),
      isCreation: last.verb === 'create',
      ofStatus: last.objectRef?.subresource === 'status',
      uid: shown?.metadata?.uid ?? responseObject?.details?.uid,
      resourceVersion: version === undefined ? undefined : BigInt(version),
      after: shown && sayState(shown.spec?.taints ?? null, shown.spec?.unschedulable ?? null),
    };
  });
}

export const isDone = ({ code, isDryRun: isDry }: NodeWrite): boolean => code > 0 && code < 400 && !isDry;

/** The state of each node when the recording began, and of which version it is. */
export interface Opening {
  readonly states: ReadonlyMap<string, ReadonlySet<string>>;
  readonly resourceVersion: bigint;
}

export const NOTHING_KNOWN: Opening = { states: new Map(), resourceVersion: 0n };

/**
 * What each write did, by the responses alone: the difference of each to the one before it in the order of the node's
 * resourceVersions. undefined where nothing shows what was there before, or after.
 */
export function deedsOf(
  writes: readonly NodeWrite[],
  opening: Opening,
): ReadonlyMap<string, ReadonlySet<string> | undefined> {
  const deeds = new Map<string, ReadonlySet<string> | undefined>();
  for (const own of grouped(writes.filter(isDone), ({ node }) => node).values()) {
    let standing = opening.states.get(own[0]!.node);
    for (const write of inOrder(own)) {
      // The state already has it.
      if (write.resourceVersion !== undefined && write.resourceVersion <= opening.resourceVersion) continue;
      const after = write.isDeletion ? new Set<string>() : write.after;
      const before = write.isCreation ? new Set<string>() : standing;
      deeds.set(write.auditID, before === undefined || after === undefined ? undefined : changesBetween(before, after));
      standing = after;
    }
  }
  return deeds;
}

/** One life of the node after the other; each in the order of its versions, with its deletion last. */
function inOrder(writes: readonly NodeWrite[]): readonly NodeWrite[] {
  const inTime = [...writes].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [...grouped(inTime, ({ uid }) => uid).values()].flatMap((life) => {
    const end = life.filter(({ isDeletion }) => isDeletion);
    const rest = life.filter(({ isDeletion }) => !isDeletion);
    const areNumbered = rest.every(({ resourceVersion }) => resourceVersion !== undefined);
    if (areNumbered) rest.sort((a, b) => Number(a.resourceVersion! - b.resourceVersion!));
    return [...rest, ...end];
  });
}

const claimsOf = ({ changes }: TaintTrail): ReadonlyMap<string, readonly AttributedChange[]> =>
  grouped(
    changes.filter(({ auditIDs }) => auditIDs.length > 0),
    ({ auditIDs }) => auditIDs[0]!,
  );

/** Compares who, when and what of a trail with the writes themselves. */
export function judgeTrail(trail: TaintTrail, writes: readonly NodeWrite[], opening: Opening): readonly string[] {
  const differences: string[] = [];
  const claims = claimsOf(trail);
  const attempts = grouped(trail.attempts, ({ auditID }) => auditID);
  const unproven = grouped(trail.writes, ({ auditID }) => auditID);
  const deeds = deedsOf(writes, opening);
  for (const write of writes) {
    const { auditID, node, who, at } = write;
    const about = `the write ${auditID} to ${node}`;
    const wanted = outcomeOf(write);
    const [attempt, ...more] = attempts.get(auditID) ?? [];
    if (attempt?.outcome !== wanted || more.length > 0) {
      differences.push(`${about}: attempt ${wanted}, the trail says ${attempt?.outcome}, ${more.length} more times`);
    } else if (attempt !== undefined && (attempt.by?.username !== who || attempt.at !== at)) {
      differences.push(`${about}: attempt of ${who} at ${at}, the trail says ${attempt.by?.username} at ${attempt.at}`);
    }
    const said = claims.get(auditID) ?? [];
    const what = new Set(said.flatMap((change) => [...sayDifference(change)]));
    const deed = deeds.get(auditID);
    if (isDone(write) ? deed !== undefined && !sameSet(what, deed) : said.length > 0) {
      differences.push(`${about} did ${say(deed ?? new Set())}, the trail says ${say(what)}`);
    }
    for (const { by, when, basis } of said) {
      if (by?.username !== who) differences.push(`${about}: by ${who}, the trail says ${by?.username} (${basis})`);
      if (when.kind !== 'point' || when.at !== at) {
        differences.push(`${about}: at ${at}, the trail says ${JSON.stringify(when)}`);
      }
    }
    const isUnproven = isDone(write) && write.after === undefined && !write.isDeletion && !write.ofStatus;
    const seen = unproven.get(auditID) ?? [];
    if (seen.length !== (isUnproven ? 1 : 0)) {
      differences.push(
        `${about}: its content is ${isUnproven ? 'not ' : ''}known, the trail has ${seen.length} writes`,
      );
    }
    if (seen.some(({ by }) => by?.username !== who))
      differences.push(`${about}: the trail has another user than ${who}`);
  }
  const known = new Set(writes.map(({ auditID }) => auditID));
  for (const auditID of [...claims.keys(), ...attempts.keys(), ...unproven.keys()]) {
    if (!known.has(auditID)) differences.push(`the trail names ${auditID}, of which no event came`);
  }
  return differences;
}

function outcomeOf({ code, isDryRun: isDry, ofStatus }: NodeWrite): string | undefined {
  if (ofStatus) return undefined;
  return code >= 500 ? 'failed' : code >= 400 ? 'refused' : isDry ? 'dryRun' : code === 0 ? 'unknown' : undefined;
}

/**
 * What a trail says although batches are missing: whatever it calls certain must be so, and whoever it names must have written
 * to that node.
 */
export function judgeGaps(trail: TaintTrail, writes: readonly NodeWrite[], opening: Opening): readonly string[] {
  const deeds = deedsOf(writes, opening);
  const whole = new Map(writes.map((write) => [write.auditID, write]));
  return [...claimsOf(trail)].flatMap(([auditID, said]) => {
    const write = whole.get(auditID);
    const deed = deeds.get(auditID);
    const what = new Set(said.flatMap((change) => [...sayDifference(change)]));
    const isCertain = said.some(({ certainty }) => certainty === 'certain');
    if (isCertain && deed !== undefined && !sameSet(what, deed)) {
      return [`${auditID} did ${say(deed)}, with gaps the trail is certain of ${say(what)}`];
    }
    return said
      .filter(({ by, node }) => by?.username !== write?.who || node !== write?.node)
      .map(({ by }) => `${auditID} was by ${write?.who}, with gaps the trail says ${by?.username}`);
  });
}
