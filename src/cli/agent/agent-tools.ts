import { PARAM_SELECTING_KINDS } from '../../core/admission/policies/param-selection.js';
import type { ObjectRow } from '../../core/cluster/object-row.js';
import { kindInfo, isKeptKind } from '../../core/kubernetes/kinds.js';
import type { FollowerTools } from '../../app/following/cluster-follower.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RowsDelta } from '../../app/snapshots/take-delta.js';
import { readSnapshot } from '../../ingest/read-snapshot.js';
import type { CommittedDelta, ComparedPosition } from '../../storage/delta-writer.js';
import type { StoredIdentity } from '../../storage/follow-leases.js';
import type { DeltaState, KindPosition } from '../../storage/follow-store.js';
import { KindTotal } from '../../storage/kind-total.js';
import { WithheldParams } from '../../storage/withheld-params.js';
import { prunedObject } from './pruned-object.js';
import type { ServiceClient } from './service-client.js';

/** In one request; the service takes 4 MiB unless told otherwise. */
const MOST_CHARACTERS = 2 * 1024 * 1024;
const MOST_OBJECTS = 1000;

/** What a delta has of the answer that the follower reads. */
interface AnsweredDelta {
  readonly revision: number | null;
  readonly positions: readonly ComparedPosition[];
  readonly snapshotNeeded: readonly string[];
}

/**
 * What a snapshot has sent, by kind and by namespace and name: a ConfigMap is sent twice where the policy that takes it as a param comes
 * after it.
 */
type SentObjects = Map<string, Map<string, StoredIdentity>>;

/**
 * Where a follower in the cluster stores what it sees: in the service, over HTTP. Everything is pruned before it is sent, so that nothing
 * leaves the cluster that the service does not keep; of ConfigMaps, only the data that policies take as params.
 */
export class AgentTools implements Pick<FollowerTools, 'snapshots' | 'deltas' | 'follows' | 'leases'> {
  /** What the service has of each kind, by the last snapshot with it or by its own word, until the follower has taken it over. */
  private readonly sent = new Map<string, readonly StoredIdentity[]>();
  /** The policies and bindings that were sent, by kind and name. */
  private readonly policies = new Map<string, string>();
  /** When the snapshots that are being sent were begun. */
  private readonly underWay = new Set<Date>();
  private sequence = 0;
  private lastCapturedAt: Date | null = null;

  constructor(
    private readonly service: ServiceClient,
    private readonly tell: (line: string) => void,
    /** The uid of the namespace kube-system, by which a cluster is known; undefined if it cannot be read. */
    private readonly clusterUid: string | undefined,
  ) {}

  readonly snapshots = {
    take: async ({
      body,
      apiServerVersion,
    }: {
      readonly body: { readonly bytes: AsyncIterable<Uint8Array> };
      readonly apiServerVersion?: string;
    }): Promise<never> => {
      const identities: SentObjects = new Map();
      const capturedAt = this.knownAt(new Date());
      this.underWay.add(capturedAt);
      const answer = await this.service
        .sendSnapshot(this.pruned(body.bytes, identities), {
          createCluster: 'true',
          invalid: 'keep',
          allowRemovals: 'true',
          source: 'agent',
          ...(apiServerVersion !== undefined && { apiServerVersion }),
          capturedAt: capturedAt.toISOString(),
        })
        .finally(() => this.underWay.delete(capturedAt));
      for (const [kind, ofKind] of identities) this.sent.set(kind, [...ofKind.values()]);
      const counts = [...identities].map(([kind, { size }]) => `${size} ${kind}`).join(', ');
      this.tell(`sent a snapshot, revision ${String(answer['revision'])}: ${counts}`);
      // The follower does not read the answer.
      return undefined as never;
    },
  };

  readonly deltas = {
    takeRows: async (delta: RowsDelta): Promise<CommittedDelta> => {
      const rows = this.withoutSecrets(delta.rows);
      const parts = partsOf(rows);
      const knownAt = delta.capturedAt && this.knownAt(delta.capturedAt);
      let answer: AnsweredDelta | undefined;
      for (const [index, upserts] of parts.entries()) {
        const isLast = index === parts.length - 1;
        // Until the last part is stored, the head is no newer than before.
        const capturedAt = isLast ? knownAt : this.lastCapturedAt;
        const rest = JSON.stringify({
          stream: delta.stream,
          sequence: (this.sequence += 1),
          ...(capturedAt !== null && { capturedAt: capturedAt.toISOString() }),
          deletions: isLast ? delta.deletions.map(withoutNulls) : [],
          positions: isLast ? delta.positions : [],
          ...(delta.apiServerVersion !== undefined && { apiServerVersion: delta.apiServerVersion }),
          allowRemovals: true,
          invalid: 'keep',
        });
        const json = `{"upserts":[${upserts.join(',')}],${rest.slice(1)}`;
        try {
          answer = (await this.service.send('deltas', json)) as unknown as AnsweredDelta;
        } catch (error) {
          this.sequence -= 1;
          throw error;
        }
      }
      this.lastCapturedAt = knownAt;
      const { revision, positions, snapshotNeeded } = answer!;
      if (revision !== null)
        this.tell(`sent ${rows.length} changed and ${delta.deletions.length} deleted objects, revision ${revision}`);
      if (snapshotNeeded.length > 0) this.tell(`the service needs a snapshot of ${snapshotNeeded.join(', ')}`);
      return { positions, snapshotNeeded } as unknown as CommittedDelta;
    },
  };

  readonly follows = { deltaState: (): Promise<DeltaState> => this.stored() };

  readonly leases = {
    storedObjects: (_: number, kinds: readonly string[], take: (object: StoredIdentity) => void): Promise<void> => {
      for (const kind of kinds) {
        this.sent.get(kind)?.forEach(take);
        this.sent.delete(kind);
      }
      return Promise.resolve();
    },
  };

  /**
   * The time up to which the whole cluster is known: kinds that are being listed are known as of the beginning of that. A snapshot would be
   * refused if what overtakes it were of a later time.
   */
  private knownAt(at: Date): Date {
    return new Date(Math.min(at.getTime(), ...[...this.underWay].map((one) => one.getTime())));
  }

  /** Where the service is: the kinds from whose positions this process goes on, with their objects. */
  private async stored(): Promise<DeltaState> {
    try {
      const { capturedAt, positions } = await this.service.read('deltas');
      const known = (positions as readonly KindPosition[]).filter(
        ({ resourceVersion, snapshotNeeded }) => resourceVersion !== null && !snapshotNeeded,
      );
      if (known.length === 0) return NOTHING_STORED;
      const objects = objectsByKind(await this.service.readLines<StoredIdentity>('deltas/objects'));
      const namespace = objects.get('Namespace')?.find(({ name }) => name === 'kube-system');
      if (this.clusterUid !== undefined && typeof namespace?.uid === 'string' && namespace.uid !== this.clusterUid) {
        this.tell('the service has the objects of another cluster, whose kube-system is another one: sending all anew');
        return NOTHING_STORED;
      }
      // Which ConfigMaps policies take is not known until the policies are read.
      const needsPolicies = PARAM_SELECTING_KINDS.some((kind) => objects.has(kind));
      const usable = known.filter(
        (position) => isWhole(position, objects) && !(needsPolicies && NEED_POLICIES.has(position.kind)),
      );
      let count = 0;
      for (const { kind } of usable) {
        const ofKind = objects.get(kind) ?? [];
        count += ofKind.length;
        this.sent.set(kind, ofKind);
      }
      this.lastCapturedAt = typeof capturedAt === 'string' ? new Date(capturedAt) : null;
      if (usable.length > 0)
        this.tell(`going on where the service is, with ${count} objects of ${usable.length} kinds`);
      return { ...NOTHING_STORED, positions: usable };
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : undefined;
      // A cluster that is yet to be created, or a service that cannot say what it has.
      if (code === 'cluster-not-found' || code === 'route-not-found') return NOTHING_STORED;
      throw error;
    }
  }

  private async *pruned(bytes: AsyncIterable<Uint8Array>, identities: SentObjects): AsyncGenerator<Uint8Array, void> {
    const reading = readSnapshot(bytes, { contentType: 'application/x-ndjson', invalid: 'keep' });
    const params = new WithheldParams([...this.policies.values()]);
    const linesOf = (rows: readonly ObjectRow[]): Uint8Array => {
      for (const row of rows) this.note(row, identities);
      return Buffer.from(rows.map((row) => `${prunedObject(row)}\n`).join(''));
    };
    for await (const batch of reading.rows) yield linesOf(batch.map((row) => params.pass(row)));
    yield linesOf(params.rest());
    const { kinds, incompleteKinds, positions } = await reading.report;
    const versions = new Map(positions.map(({ kind, resourceVersion }) => [kind, resourceVersion]));
    for (const kind of kinds) {
      if (!identities.has(kind)) identities.set(kind, new Map());
      yield Buffer.from(`${endOf(kind, versions.get(kind), incompleteKinds.includes(kind))}\n`);
    }
  }

  private note(row: ObjectRow, identities: SentObjects): void {
    const { kind, namespace, name, uid, resourceVersion } = row;
    const hash = Buffer.from(row.hash).toString('hex');
    const ofKind = identities.get(kind) ?? new Map<string, StoredIdentity>();
    identities.set(kind, ofKind.set(`${namespace}/${name}`, { kind, namespace, name, uid, resourceVersion, hash }));
    this.notePolicy(row);
  }

  private notePolicy({ kind, name, content }: ObjectRow): void {
    if (PARAM_SELECTING_KINDS.includes(kind)) this.policies.set(`${kind}/${name}`, content);
  }

  private withoutSecrets(rows: readonly ObjectRow[]): readonly ObjectRow[] {
    for (const row of rows) this.notePolicy(row);
    const params = new WithheldParams([...this.policies.values()]);
    const passed = rows.map((row) => params.pass(row));
    return [...passed, ...params.rest()];
  }
}

const NOTHING_STORED: DeltaState = { stream: null, sequence: 0, capturedAt: null, positions: [] };

/** Kinds that are listed anew where there are policies that may take ConfigMaps as params. */
const NEED_POLICIES: ReadonlySet<string> = new Set(['ConfigMap', ...PARAM_SELECTING_KINDS]);

function objectsByKind(objects: readonly StoredIdentity[]): ReadonlyMap<string, readonly StoredIdentity[]> {
  const byKind = new Map<string, StoredIdentity[]>();
  for (const object of objects) {
    const ofKind = byKind.get(object.kind);
    if (ofKind === undefined) byKind.set(object.kind, [object]);
    else ofKind.push(object);
  }
  return byKind;
}

/** Whether the objects are those of the position, where that has a total. */
function isWhole(
  { kind, count, hash }: KindPosition,
  objects: ReadonlyMap<string, readonly StoredIdentity[]>,
): boolean {
  if (count === null || hash === null) return true;
  const total = KindTotal.empty();
  for (const object of objects.get(kind) ?? []) total.add(object);
  return total.count === count && total.hash === hash;
}

/**
 * What ends the objects of a kind: an empty list, which says as of when the kind is complete. A kind of which an object could not be read
 * is not complete: an object without a name says so.
 */
function endOf(kind: string, resourceVersion: string | undefined, isIncomplete: boolean): string {
  const apiVersion = isKeptKind(kind) ? kindInfo(kind).apiVersions[0] : 'v1';
  if (isIncomplete) return JSON.stringify({ apiVersion, kind, metadata: {} });
  return JSON.stringify({
    apiVersion,
    kind: `${kind}List`,
    metadata: { resourceVersion: resourceVersion ?? '' },
    items: [],
  });
}

/** The objects in requests of limited size; at least one request. */
function partsOf(rows: readonly ObjectRow[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let characters = 0;
  for (const row of rows) {
    const text = prunedObject(row);
    const last = parts.at(-1)!;
    if (last.length > 0 && (last.length >= MOST_OBJECTS || characters + text.length > MOST_CHARACTERS)) {
      parts.push([text]);
      characters = text.length;
    } else {
      last.push(text);
      characters += text.length;
    }
  }
  return parts;
}

/** Absent members are left out of a request. */
const withoutNulls = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
