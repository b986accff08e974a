import { attributeTaintChanges } from '../../../src/core/audit/attribution.js';
import type { AttributedChange, TaintTrail } from '../../../src/core/audit/attributed-change.js';
import { type AuditEvent, readAuditEvent } from '../../../src/core/audit/audit-event.js';
import type { NodeObservation, TaintEvidence } from '../../../src/core/audit/evidence.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { stringifyJson } from '../../../src/core/json/lossless-json.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { readTaintOwnership } from '../../../src/core/kubernetes/schema/taint-ownership.js';
import { sameJson } from '../same-json.js';
import {
  changesBetween,
  codeOf,
  CORDONED,
  isDryRun,
  type RawEvent,
  sameSet,
  say,
  sayDifference,
  sayState,
  shuffled,
  whoOf,
} from './audit-words.js';
import type { RecordedFile } from './folder.js';

interface Recording {
  readonly recordedAt: string;
  readonly input: { readonly taintsBefore: readonly Taint[] | null; readonly unschedulableBefore: boolean | null };
  readonly observed: {
    readonly auditEvents: readonly RawEvent[];
    readonly taintsAfter: readonly Taint[] | null;
    readonly unschedulableAfter: boolean | null;
    readonly resourceVersionAfter?: string | null;
    readonly managedFieldsAfter?: JsonObject[] | null;
  };
}

interface Step {
  readonly path: string;
  readonly recording: Recording;
  readonly raw: readonly RawEvent[];
  readonly node: string;
  readonly observation: NodeObservation;
  readonly differences: string[];
}

/** The real effect of a write on a node: each taint that was added (`+`) or removed (`-`), and the cordon. */
interface Deed {
  readonly auditID: string;
  readonly who: string;
  readonly manager: string;
  readonly at: string;
  readonly what: ReadonlySet<string>;
}

/**
 * Judges the attribution of the recorded steps of the folder `audit`, all of them in order: their audit events and what each
 * step left behind, fed to the trail. Each change must be the one that the step's own responses show, by who really
 * made the request; refused requests and dry runs are attempts; steps without an event leave nothing. The same evidence
 * shuffled gives the same trail, and without the events nobody is named.
 */
export function judgeAuditAttribution(files: readonly RecordedFile[]): ReadonlyMap<string, readonly string[]> {
  const steps = stepsOf(files);
  const events: AuditEvent[] = [];
  for (const step of steps) {
    for (const value of step.recording.observed.auditEvents) {
      const reading = readAuditEvent(value as unknown as JsonObject);
      if (reading.outcome === 'event') events.push(reading.event);
      else if (reading.outcome === 'invalid')
        step.differences.push(`unreadable event: ${stringifyJson(reading.faults)}`);
      else if (step.raw.some(({ auditID }) => auditID === value.auditID)) {
        step.differences.push(`event ${value.auditID} was ignored: ${reading.reason}`);
      }
    }
  }
  const before = sightsBefore(steps);
  const observations = [...before, ...steps.map(({ observation }) => observation)];
  const evidence = { observations, events, intents: [] };
  const trail = attributeTaintChanges(evidence);
  judgeSaid(steps, before, trail);
  judgeWithheld(steps, attributeTaintChanges({ ...evidence, events: [] }));
  for (const [how, order] of ORDERS) {
    if (!sameJson(attributeTaintChanges(order(evidence)), trail)) {
      steps[0]?.differences.push(`the same evidence ${how} gives another trail`);
    }
  }
  return new Map(steps.map(({ path, differences }) => [path, differences]));
}

/** What was recorded, as one may send it: each audit event, and the node as snapshots would show it, in the order of time. */
export function recordedEvidence(files: readonly RecordedFile[]): {
  readonly events: readonly JsonObject[];
  /** null: the node is gone. */
  readonly snapshots: readonly { readonly at: string; readonly node: JsonObject | null }[];
} {
  const steps = stepsOf(files);
  const managers = new Map(
    steps.map(({ recording }) => [recording.recordedAt, recording.observed.managedFieldsAfter ?? undefined]),
  );
  const observations = [...sightsBefore(steps), ...steps.map(({ observation }) => observation)];
  const snapshots = observations.map(({ node: name, at, state, resourceVersion }) => {
    const metadata = { name, resourceVersion, managedFields: managers.get(at) };
    const node = state === null ? null : { apiVersion: 'v1', kind: 'Node', metadata, spec: state };
    return { at, node: node as unknown as JsonObject | null };
  });
  return {
    events: steps.flatMap(({ recording }) => recording.observed.auditEvents as unknown as JsonObject[]),
    snapshots: snapshots.sort((a, b) => (a.at < b.at ? -1 : 1)),
  };
}

/** Judges a trail that was built from `recordedEvidence`; changes are in the order of time. */
export function judgeRecordedTrail(files: readonly RecordedFile[], trail: TaintTrail): readonly string[] {
  const steps = stepsOf(files);
  judgeSaid(steps, sightsBefore(steps), trail);
  return steps.flatMap(({ path, differences }) => differences.map((difference) => `${path}: ${difference}`));
}

function judgeSaid(steps: readonly Step[], before: readonly NodeObservation[], trail: TaintTrail): void {
  judgeDeeds(steps, trail);
  judgeAttempts(steps, trail);
  judgeReplay(steps, trail, new Set(before.map(({ node, at }) => sightOf(node, at))));
}

function stepsOf(files: readonly RecordedFile[]): Step[] {
  const recordings = files
    .filter(({ content }) => Array.isArray((content['observed'] as JsonObject | undefined)?.['auditEvents']))
    .map(({ path, content }) => ({ path, recording: content as unknown as Recording }))
    .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
  let node = recordings
    .flatMap(({ recording }) => nodeWrites(recording))
    .map(({ objectRef }) => objectRef?.name)
    .find((name) => name !== undefined);
  return recordings.map(({ path, recording }) => {
    const raw = nodeWrites(recording);
    node = raw.find(({ objectRef }) => objectRef?.name !== undefined)?.objectRef?.name ?? node ?? 'node';
    const { taintsAfter, unschedulableAfter, resourceVersionAfter, managedFieldsAfter } = recording.observed;
    const gone = taintsAfter === null && (resourceVersionAfter ?? null) === null;
    const ownership = readTaintOwnership({ metadata: { managedFields: managedFieldsAfter ?? [] } });
    const hasManagers = managedFieldsAfter !== undefined && managedFieldsAfter !== null && !gone;
    const observation: NodeObservation = {
      node,
      at: recording.recordedAt,
      state: gone ? null : { taints: taintsAfter ?? [], unschedulable: unschedulableAfter ?? false },
      ...(typeof resourceVersionAfter === 'string' && { resourceVersion: resourceVersionAfter }),
      ...(hasManagers && { ownership: ownership ?? [] }),
    };
    return { path, recording, raw, node, observation, differences: [] };
  });
}

/** The writes to nodes among a step's events, in the order in which they ended. */
function nodeWrites({ observed }: Recording): RawEvent[] {
  return observed.auditEvents
    .filter(({ objectRef, verb }) => objectRef?.resource === 'nodes' && !['get', 'list', 'watch'].includes(verb))
    .sort((a, b) => (a.stageTimestamp < b.stageTimestamp ? -1 : 1));
}

/**
 * What a step says was there before it, where no step before it left just that: at the beginning, unless the step creates
 * the node, and where steps are missing.
 */
function sightsBefore(steps: readonly Step[]): NodeObservation[] {
  const left = new Map<string, ReadonlySet<string>>();
  const sights: NodeObservation[] = [];
  for (const { node, recording, raw } of steps) {
    const { input, observed, recordedAt } = recording;
    const before = sayState(input.taintsBefore, input.unschedulableBefore);
    const former = left.get(node);
    left.set(node, sayState(observed.taintsAfter, observed.unschedulableAfter));
    if (raw[0]?.verb === 'create' || (former !== undefined && sameSet(former, before))) continue;
    sights.push({
      node,
      at: new Date(Date.parse(raw[0]?.stageTimestamp ?? recordedAt) - 20).toISOString(),
      state: { taints: input.taintsBefore ?? [], unschedulable: input.unschedulableBefore ?? false },
    });
  }
  return sights;
}

/** What each step's writes did, by the responses alone: the difference of each to the one before it. */
function deedsOf(step: Step): Deed[] {
  const { taintsBefore, unschedulableBefore } = step.recording.input;
  let standing = sayState(taintsBefore, unschedulableBefore);
  const deeds: Deed[] = [];
  for (const event of step.raw) {
    if (codeOf(event) >= 400 || isDryRun(event) || event.objectRef?.subresource === 'status') continue;
    const { responseObject } = event;
    if (event.verb !== 'delete' && responseObject?.kind !== 'Node') continue;
    const { taints, unschedulable } = event.verb === 'delete' ? {} : (responseObject?.spec ?? {});
    const after = sayState(taints ?? null, unschedulable ?? null);
    const what = changesBetween(standing, after);
    standing = after;
    if (what.size === 0) continue;
    const manager = /[?&]fieldManager=([^&]+)/.exec(event.requestURI)?.[1] ?? event.userAgent?.split('/')[0] ?? '';
    deeds.push({ auditID: event.auditID, who: whoOf(event) ?? '', manager, at: event.stageTimestamp, what });
  }
  return deeds;
}

function judgeDeeds(steps: readonly Step[], trail: TaintTrail): void {
  const claims = new Map<string, AttributedChange[]>();
  for (const change of trail.changes) {
    for (const auditID of change.auditIDs) claims.set(auditID, [...(claims.get(auditID) ?? []), change]);
  }
  for (const { raw, differences, ...step } of steps) {
    const deeds = new Map(deedsOf({ raw, differences, ...step }).map((deed) => [deed.auditID, deed]));
    for (const { auditID } of raw) {
      const deed = deeds.get(auditID);
      const said = claims.get(auditID) ?? [];
      const what = new Set(said.flatMap((change) => [...sayDifference(change)]));
      if (!sameSet(what, deed?.what ?? new Set())) {
        differences.push(`event ${auditID} did ${say(deed?.what ?? new Set())}, the trail says ${say(what)}`);
      }
      for (const { by, when, basis } of deed === undefined ? [] : said) {
        if (by?.username !== deed?.who) differences.push(`by ${deed?.who}, the trail says ${by?.username} (${basis})`);
        if (when.kind !== 'point' || when.at !== deed?.at) {
          differences.push(`at ${deed?.at}, the trail says ${stringifyJson(when)}`);
        }
      }
    }
  }
}

function judgeAttempts(steps: readonly Step[], trail: TaintTrail): void {
  const attempts = new Map(trail.attempts.map((attempt) => [attempt.auditID, attempt]));
  for (const { raw, differences } of steps) {
    for (const event of raw) {
      const want = codeOf(event) >= 400 ? 'refused' : isDryRun(event) ? 'dryRun' : undefined;
      const attempt = attempts.get(event.auditID);
      if (attempt?.outcome !== want) {
        differences.push(`event ${event.auditID}: attempt ${want}, the trail says ${attempt?.outcome}`);
      } else if (attempt !== undefined && attempt.by?.username !== whoOf(event)) {
        differences.push(`attempt by ${whoOf(event)}, the trail says ${attempt.by?.username}`);
      }
    }
  }
  const known = new Set(steps.flatMap(({ raw }) => raw.map(({ auditID }) => auditID)));
  for (const { auditID } of trail.attempts) {
    if (!known.has(auditID)) steps[0]?.differences.push(`attempt ${auditID} is of no step`);
  }
}

/** The changes of a step must lead from the state before it to the state after it. */
function judgeReplay(steps: readonly Step[], trail: TaintTrail, before: ReadonlySet<string>): void {
  const stepOf = new Map(steps.flatMap((step) => step.raw.map(({ auditID }): [string, Step] => [auditID, step])));
  const bySight = new Map(steps.map((step): [string, Step] => [sightOf(step.node, step.observation.at), step]));
  const standing = new Map(
    steps.map(({ recording, ...step }): [string, Set<string>] => {
      return [step.path, new Set(sayState(recording.input.taintsBefore, recording.input.unschedulableBefore))];
    }),
  );
  for (const change of trail.changes) {
    const [auditID] = change.auditIDs;
    const sight = sightOf(change.node, change.observedAfter?.at ?? '');
    // Of changes in missing steps, only their existence is known.
    if (auditID === undefined && before.has(sight)) continue;
    const step = auditID === undefined ? bySight.get(sight) : stepOf.get(auditID);
    const taints = step === undefined ? undefined : standing.get(step.path);
    if (step === undefined || taints === undefined) {
      steps[0]?.differences.push(`the trail has a change of no step: ${stringifyJson(change)}`);
      continue;
    }
    if (auditID === undefined && step.raw.length === 0) {
      step.differences.push(`a step without an event changed nothing, the trail says ${say(sayDifference(change))}`);
    }
    for (const what of sayDifference(change)) {
      if (what.startsWith('+')) taints.add(what.slice(1));
      else taints.delete(what.slice(1));
    }
  }
  for (const { path, recording, differences } of steps) {
    const want = sayState(recording.observed.taintsAfter, recording.observed.unschedulableAfter);
    const got = standing.get(path) ?? new Set();
    if (!sameSet(want, got)) differences.push(`afterwards ${say(want)} stood, by the trail ${say(got)}`);
  }
}

/** Without the events: what changed is known, who did it is not; the last writer is named where one entry owns the field. */
function judgeWithheld(steps: readonly Step[], trail: TaintTrail): void {
  if (trail.attempts.length > 0 || trail.writes.length > 0) {
    steps[0]?.differences.push('without events the trail has attempts or writes');
  }
  for (const step of steps) {
    const { recording, differences, node, observation } = step;
    const { input, observed } = recording;
    const changes = trail.changes.filter(
      (change) => change.node === node && change.observedAfter?.at === observation.at,
    );
    const said = new Set(changes.flatMap((change) => [...sayDifference(change)]));
    const want = changesBetween(
      sayState(input.taintsBefore, input.unschedulableBefore),
      sayState(observed.taintsAfter, observed.unschedulableAfter),
    );
    if (!sameSet(said, want)) differences.push(`without events: ${say(want)}, the trail says ${say(said)}`);
    for (const change of changes) {
      const { by, certainty, basis, actor, when, lastWriters } = change;
      if (by !== undefined || certainty !== 'unknown') {
        differences.push(`without events nobody is known, the trail says ${stringifyJson(by)} (${certainty})`);
      }
      if (when.kind !== 'interval') differences.push('without events no point in time is known');
      if (basis !== 'fieldOwner' || actor.from !== 'fieldManager') continue;
      const field = [...sayDifference(change)].some((what) => what.slice(1) === CORDONED) ? 'cordon' : 'taints';
      const writers = deedsOf(step).filter(({ what }) =>
        [...what].some((one) => (one.slice(1) === CORDONED) === (field === 'cordon')),
      );
      const [owner] = lastWriters ?? [];
      if (owner?.manager !== writers.at(-1)?.manager) {
        differences.push(`${writers.at(-1)?.manager} wrote last, without events the trail says ${owner?.manager}`);
      }
    }
  }
}

const sightOf = (node: string, at: string): string => `${node} ${at}`;

/** Other orders in which the same evidence may arrive, some of it twice. */
const ORDERS: readonly (readonly [string, (evidence: TaintEvidence) => TaintEvidence])[] = [
  ['backwards', (evidence) => reordered(evidence, (items) => items.toReversed())],
  ['shuffled', (evidence) => reordered(evidence, shuffled)],
  ['given twice', (evidence) => reordered(evidence, (items) => [...items, ...shuffled(items)])],
];

function reordered(evidence: TaintEvidence, order: <T>(items: readonly T[]) => T[]): TaintEvidence {
  return { observations: order(evidence.observations), events: order(evidence.events), intents: [] };
}
