import type { RawEvent } from './audit-words.js';
import { judgeActions } from './wire-actions.js';
import { asNodeWrites, judgeAsNodes } from './wire-audit-as-nodes.js';
import { AuditIntake } from './wire-audit-intake.js';
import { type AuditTranscript, type Batch, batchesOf, type Play, PLAYS, send, type Sums } from './wire-audit-plays.js';
import {
  type CountedEvent,
  eventKey,
  eventsIn,
  isNodeWrite,
  judgeGaps,
  judgeTrail,
  nodeWritesIn,
  NOTHING_KNOWN,
} from './wire-audit-truth.js';

/**
 * Sends what an API server sent to its audit webhook to the whole service, in several ways, and compares what it counts and what its
 * trail then says with the events themselves: each once, by whom, when and what.
 */
export async function judgeAudit(transcript: AuditTranscript): Promise<readonly string[]> {
  const batches = batchesOf(transcript);
  if (batches.length === 0) return ['the file has no batch of audit events'];
  const intake = await AuditIntake.get();
  const epoch = Date.parse(transcript.epoch);
  const asNodes = asNodeWrites(batches);
  const differences = [...judgeCounts(transcript, batches)];
  const trails = new Map<string, string>();
  for (const [way, playOf] of Object.entries(PLAYS)) {
    const play = playOf(batches);
    const cluster = await intake.newCluster(epoch);
    const sums = await send(intake, cluster, epoch, play);
    const trail = await intake.trail(cluster);
    const events = eventsIn(play.batches);
    const found = [...judgeSums(sums, play, events), ...judgeTrail(trail, nodeWritesIn(events), NOTHING_KNOWN)];
    found.push(...judgeActions(transcript, trail));
    const came = events.map(eventKey).sort().join();
    const contents = trail.contents.join('\n');
    if ((trails.get(came) ?? contents) !== contents) found.push('the same events give another trail');
    trails.set(came, contents);
    const inNodes = await judgeAsNodes(intake, transcript, playOf(asNodes), asNodes);
    found.push(...inNodes.map((one) => `as if about nodes: ${one}`));
    differences.push(...found.map((one) => `${way}: ${one}`));
  }
  return [...differences, ...(await judgeWithheld(intake, epoch, batches))];
}

/** Each event must come, and be taken, as often as the recording says. */
function judgeCounts({ truth }: AuditTranscript, batches: readonly Batch[]): readonly string[] {
  const counted = (truth['events'] ?? []) as readonly CountedEvent[];
  const counts = new Map(counted.map((event) => [eventKey(event), { event, delivered: 0, accepted: 0 }]));
  const differences: string[] = [];
  for (const { items, isAccepted } of batches) {
    for (const event of items) {
      const count = counts.get(eventKey(event));
      if (count === undefined) differences.push(`no truth about ${eventKey(event)}`);
      else {
        count.delivered += 1;
        count.accepted += isAccepted ? 1 : 0;
        const { user, code } = count.event;
        if (event.user?.username !== user || (event.responseStatus?.code ?? null) !== code) {
          differences.push(`${eventKey(event)} is of ${user} with ${code} by the truth, not by its batch`);
        }
      }
    }
  }
  for (const [key, { event, delivered, accepted }] of counts) {
    if (delivered !== event.delivered || accepted !== event.accepted) {
      differences.push(`${key} came ${delivered} times, by the truth ${event.delivered}; taken ${accepted} times`);
    }
  }
  return differences;
}

function judgeSums(sums: Sums, { batches }: Play, events: readonly RawEvent[]): readonly string[] {
  const sent = batches.flatMap(({ items }) => items);
  const kept = events.filter(isNodeWrite).length;
  const ignored = sent.filter((event) => !isNodeWrite(event)).length;
  const wanted: Sums = { received: sent.length, kept, duplicates: sent.length - ignored - kept, ignored, invalid: 0 };
  return (Object.keys(wanted) as (keyof Sums)[])
    .filter((name) => sums[name] !== wanted[name])
    .map((name) => `${name} is ${wanted[name]}, the service says ${sums[name]}`);
}

/** Every third batch is lost: what the trail says with gaps must not be another's deed. */
async function judgeWithheld(
  intake: AuditIntake,
  epoch: number,
  batches: readonly Batch[],
): Promise<readonly string[]> {
  const accepted = batches.filter(({ isAccepted }) => isAccepted);
  const cluster = await intake.newCluster(epoch);
  await send(intake, cluster, epoch, { batches: accepted.filter((_, index) => index % 3 !== 1), atOnce: 1 });
  const writes = nodeWritesIn(eventsIn(batches));
  return judgeGaps(await intake.trail(cluster), writes, NOTHING_KNOWN).map((one) => `a third of it lost: ${one}`);
}
