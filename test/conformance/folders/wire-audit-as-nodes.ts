import { codeOf, isDryRun, type RawEvent, whoOf } from './audit-words.js';
import type { AuditIntake } from './wire-audit-intake.js';
import { type AuditTranscript, type Batch, send, type Play } from './wire-audit-plays.js';
import { eventKey, eventsIn, isNodeWrite, judgeTrail, nodeWritesIn, NOTHING_KNOWN } from './wire-audit-truth.js';

const WRITES = new Set(['create', 'update', 'patch', 'delete']);

/**
 * The same batches, as if each written object were a node and its content had not been logged: the service keeps nothing but writes
 * to nodes, so only this shows what it makes of repeated, late and lost events of other objects.
 */
export function asNodeWrites(batches: readonly Batch[]): readonly Batch[] {
  const names = new Map<string, string>();
  for (const { auditID, objectRef, responseObject } of batches.flatMap(({ items }) => items)) {
    const name = objectRef?.name ?? responseObject?.metadata?.name;
    if (name !== undefined) names.set(auditID, name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-'));
  }
  return batches.map(({ at, query, items, isAccepted }) => {
    return { at, query, items: items.map((event) => asNodeWrite(event, names.get(event.auditID))), isAccepted };
  });
}

function asNodeWrite(event: RawEvent, name: string | undefined): RawEvent {
  if (!WRITES.has(event.verb) || name === undefined) return event;
  const rest = Object.fromEntries(Object.entries(event).filter(([member]) => !BODIES.has(member)));
  const uri = `/api/v1/nodes/${name}${isDryRun(event) ? '?dryRun=All' : ''}`;
  const written = { level: 'Metadata', verb: 'patch', requestURI: uri, objectRef: { resource: 'nodes', name } };
  return { ...(rest as unknown as RawEvent), ...written };
}

const BODIES = new Set(['requestObject', 'responseObject']);
const TAINTS = [{ key: 'example.com/written', effect: 'NoSchedule' }];
const nodeNamed = (name: string, taints: readonly object[]): object => {
  return { metadata: { name }, spec: { taints } };
};

/**
 * Every written object is a node that gets a taint, and snapshots show it before and after. Writes that came to the service must be
 * there once each; a taint whose writer's events are lost must be there too, with nobody to blame; no other is blamed in his place.
 */
export async function judgeAsNodes(
  intake: AuditIntake,
  transcript: AuditTranscript,
  { batches, ...how }: Play,
  all: readonly Batch[],
): Promise<readonly string[]> {
  const epoch = Date.parse(transcript.epoch);
  const events = eventsIn(all);
  const done = events.filter((event) => isNodeWrite(event) && codeOf(event) < 400 && !isDryRun(event));
  const ended = done.filter(({ stage }) => stage === 'ResponseComplete');
  const names = [...new Set(ended.map(({ objectRef }) => objectRef!.name!))].sort();
  const times = events.map(({ stageTimestamp }) => Date.parse(stageTimestamp));
  const from = Math.min(...times, epoch) - 1000;
  const to = Math.max(...times, epoch + Math.max(...all.map(({ at }) => at))) + 1000;

  const cluster = await intake.newCluster(from);
  await intake.show(cluster, [nodeNamed('quiet', []), ...names.map((name) => nodeNamed(name, []))], from);
  const sums = await send(intake, cluster, epoch, { ...how, batches });
  await intake.show(cluster, [nodeNamed('quiet', []), ...names.map((name) => nodeNamed(name, TAINTS))], to);
  const trail = await intake.trail(cluster);

  const came = eventsIn(batches);
  const kept = came.filter(isNodeWrite).length;
  const differences = sums.kept === kept ? [] : [`${kept} events came, the service kept ${sums.kept}`];
  differences.push(...judgeTrail(trail, nodeWritesIn(came), NOTHING_KNOWN));
  const arrived = new Set(came.map(eventKey));
  const writersOf = (name: string): readonly RawEvent[] =>
    ended.filter((event) => event.objectRef!.name === name && arrived.has(eventKey(event)));
  for (const name of names) {
    const writers = writersOf(name);
    const changes = trail.changes.filter(({ node }) => node === name);
    if (changes.length !== 1) differences.push(`${name} was written once, the trail has ${changes.length} changes`);
    for (const { by, candidates = [], certainty } of changes) {
      if (certainty !== (writers.length === 0 ? 'unknown' : 'possible')) {
        differences.push(`${name}: ${writers.length} writes came, the trail says ${certainty}`);
      }
      if (by !== undefined) differences.push(`${name}: nothing proves its writer, the trail says ${by.username}`);
      const wanted = writers.map((event) => `${event.auditID} ${whoOf(event)}`).sort();
      const found = candidates.map(({ auditID, by: who }) => `${auditID} ${who?.username}`).sort();
      if (wanted.join() !== found.join()) differences.push(`${name}: written by ${wanted.join()}, not ${found.join()}`);
    }
  }
  return [...differences, ...judgeLost(transcript, names, writersOf, batches === all)];
}

/** What the recording itself says was written, and lost. */
function judgeLost(
  { truth }: AuditTranscript,
  names: readonly string[],
  writersOf: (name: string) => readonly RawEvent[],
  isAllOfIt: boolean,
): readonly string[] {
  const { wrote = [], lost = [] } = truth as { readonly wrote?: readonly string[]; readonly lost?: readonly string[] };
  const missing = wrote.filter((name) => !names.includes(name));
  const silent = wrote.filter((name) => writersOf(name).length === 0).sort();
  const wanted = isAllOfIt ? [] : [...lost].sort();
  return [
    ...missing.map((name) => `${name} was written, no event of the file tells of it`),
    ...(silent.join() === wanted.join() ? [] : [`lost are ${wanted.join()}, by the trail ${silent.join()}`]),
  ];
}
