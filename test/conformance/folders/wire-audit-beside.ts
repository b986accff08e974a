import type { TaintTrail } from '../../../src/core/audit/attributed-change.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { changesBetween, CORDONED, sameSet, say, sayDifference, sayState } from './audit-words.js';
import type { RecordedFile } from './folder.js';
import { momentsOf } from './wire-actions.js';
import { AuditIntake } from './wire-audit-intake.js';
import { type AuditTranscript, batchesOf, PLAYS, send } from './wire-audit-plays.js';
import { eventsIn, judgeTrail, type NodeWrite, nodeWritesIn, type Opening } from './wire-audit-truth.js';
import { bodyOf, type PlainObject, type Transcript, truthsOf } from './wire-transcript.js';

type Dated = AuditTranscript;

/** All nodes of a cluster, as a list said. */
interface ListedNodes {
  readonly at: number;
  readonly items: readonly NodeObject[];
  readonly resourceVersion: bigint;
}

type NodeObject = PlainObject & {
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
};

/**
 * Judges the audit events of a recording beside its nodes, where both were recorded at the same time (they have the same epoch): the
 * trail begins with the nodes' list, and must lead to the taints that the recording shows later.
 */
export async function judgeAuditBesideNodes(
  files: readonly RecordedFile[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const differences = new Map<string, readonly string[]>();
  const dated = files.map(({ path, content }) => ({ path, transcript: content as unknown as Dated }));
  for (const { path, transcript: audit } of dated.filter(({ transcript }) => isAudit(transcript))) {
    const beside = dated.filter(({ path: other, transcript }) => other !== path && transcript.epoch === audit.epoch);
    const [listed] = beside.flatMap(({ transcript }) => listedNodes(transcript) ?? []);
    if (listed === undefined) continue;
    const opening: Opening = { states: statesOf(listed.items), resourceVersion: listed.resourceVersion };
    const epoch = Date.parse(audit.epoch);
    const play = PLAYS['at its pace']!(batchesOf(audit));
    const intake = await AuditIntake.get();
    const cluster = await intake.newCluster(epoch);
    await intake.show(cluster, listed.items, epoch + listed.at);
    await send(intake, cluster, epoch, play);
    const trail = await intake.trail(cluster);
    const writes = nodeWritesIn(eventsIn(play.batches));
    differences.set(path, judgeTrail(trail, writes, opening));
    for (const { path: other, transcript } of beside) {
      const found = [
        ...judgeTruths(transcript, trail, writes, opening),
        ...judgeMoments(transcript, trail, writes, opening),
      ];
      if (found.length > 0) differences.set(other, [...(differences.get(other) ?? []), ...found]);
    }
  }
  return differences;
}

const isAudit = (transcript: Transcript): boolean => batchesOf(transcript).length > 0;

/** The first whole list of nodes that was read. */
function listedNodes({ exchanges }: Transcript): ListedNodes | undefined {
  for (const exchange of exchanges) {
    const { request, response, startedAtMs } = exchange;
    const [path, query = ''] = request.path.split('?');
    if (request.method !== 'GET' || path !== '/api/v1/nodes' || response.status !== 200) continue;
    if (/(^|&)(watch|continue|fieldSelector|labelSelector)=/.test(query) || response.ended !== 'complete') continue;
    const list = JSON.parse(bodyOf(exchange).toString('utf8')) as PlainObject & { readonly items?: NodeObject[] };
    if (list.kind !== 'NodeList' || (list.metadata?.continue ?? '') !== '') continue;
    return {
      at: startedAtMs,
      items: list.items ?? [],
      resourceVersion: BigInt(list.metadata?.resourceVersion ?? '0'),
    };
  }
  return undefined;
}

const statesOf = (items: readonly NodeObject[]): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    items.map(({ metadata, spec }) => [
      metadata?.name ?? '',
      sayState(spec?.taints ?? null, spec?.unschedulable ?? null),
    ]),
  );

/** The nodes after all changes that came until then; a deletion counts as one that takes everything away. */
function replayed(
  { changes }: TaintTrail,
  { states }: Opening,
  isUntilThen: (auditID: string, at: string) => boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  const standing = new Map([...states].map(([name, state]) => [name, new Set(state)]));
  const placed = changes.map((change) => ({
    change,
    at: change.when.kind === 'point' ? change.when.at : change.when.to,
  }));
  placed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  for (const { change, at } of placed) {
    if (!isUntilThen(change.auditIDs[0] ?? '', at)) continue;
    const state = standing.get(change.node) ?? new Set<string>();
    for (const what of sayDifference(change)) {
      if (what.startsWith('+')) state.add(what.slice(1));
      else state.delete(what.slice(1));
    }
    standing.set(change.node, state);
  }
  return standing;
}

/** The nodes of a truth at its resourceVersion, where it shows their taints. */
function judgeTruths(
  transcript: Transcript,
  trail: TaintTrail,
  writes: readonly NodeWrite[],
  opening: Opening,
): readonly string[] {
  const versions = new Map(writes.map(({ auditID, resourceVersion }) => [auditID, resourceVersion]));
  return truthsOf(transcript).flatMap(({ path, resourceVersion, items }) => {
    if (path !== '/api/v1/nodes') return [];
    const until = BigInt(resourceVersion);
    const standing = replayed(trail, opening, (auditID) => (versions.get(auditID) ?? 0n) <= until);
    return items.flatMap((item) => {
      const { name, taints, unschedulable } = item as unknown as {
        readonly name: string;
        readonly taints?: readonly Taint[];
        readonly unschedulable?: boolean;
      };
      if (taints === undefined) return [];
      const wanted = sayState(taints, unschedulable ?? null);
      const found = standing.get(name) ?? new Set();
      return sameSet(wanted, found)
        ? []
        : [`${name} at ${resourceVersion} has ${say(wanted)}, by the trail ${say(found)}`];
    });
  });
}

/** The taints of all nodes at a moment. */
function judgeMoments(
  transcript: Dated,
  trail: TaintTrail,
  writes: readonly NodeWrite[],
  opening: Opening,
): readonly string[] {
  const epoch = Date.parse(transcript.epoch);
  const deleted = writes.filter(({ isDeletion, code }) => isDeletion && code < 400);
  return momentsOf(transcript).flatMap(({ atMs, taints }) => {
    const until = new Date(epoch + atMs).toISOString();
    const standing = replayed(trail, opening, (_, at) => at <= until);
    const gone = new Set(deleted.filter(({ at }) => at <= until).map(({ node }) => node));
    const wanted = new Map(taints.map((one) => [one.name, sayState(one.taints, null)]));
    return [...standing].flatMap(([name, state]) => {
      if (gone.has(name) && state.size === 0) return [];
      const found = new Set([...state].filter((one) => one !== CORDONED));
      const odd = changesBetween(wanted.get(name) ?? new Set(), found);
      return odd.size === 0 ? [] : [`${name} at ${atMs} ms differs in the trail by ${say(odd)}`];
    });
  });
}
