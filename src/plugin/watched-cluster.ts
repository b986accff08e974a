import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ClusterState } from '../core/cluster/cluster-state.js';
import { stringifyJson } from '../core/json/lossless-json.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { versionText } from '../core/kubernetes/version-text.js';
import type { ServedKind } from '../kube-api/discover-kinds.js';
import { realClock } from '../kube-api/reflector/clock.js';
import type { ListSink, Reflection, ReflectorState } from '../kube-api/reflector/reflection.js';
import { Reflector } from '../kube-api/reflector/reflector.js';
import type { KubectlProxy } from './kubectl.js';
import type { ClusterReading } from './read-cluster.js';
import { parsedObject } from './page-values.js';
import { readObject, type WantsWhole } from './read-object.js';

/** Objects in a page. */
const PAGE_SIZE = 500;
/** Objects that changed and are not in the state yet; the reading of events waits while there are more. */
const MOST_PENDING = 5_000;
/** In milliseconds: what comes within it comes together. */
const COALESCE = 100;
/** Failures of a watch in a row until the user is told. */
const PATIENCE = 2;

interface Changed {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  /** Undefined if it is gone, or cannot be decoded. */
  readonly object: KubernetesObject | undefined;
}

/** What is known of an object without keeping it. */
export class ObjectHashes {
  private readonly all = new Map<string, Map<string, string>>();

  /** @returns whether it differs from what is known */
  set(object: KubernetesObject): boolean {
    const { kind, metadata } = object;
    const digits = hash('sha256', versionText(kind, stringifyJson(object, { sortKeys: true })), 'base64');
    const known = this.of(kind);
    const key = `${metadata.namespace ?? ''}/${metadata.name}`;
    if (known.get(key) === digits) return false;
    known.set(key, digits);
    return true;
  }

  delete(kind: string, namespace: string, name: string): boolean {
    return this.of(kind).delete(`${namespace}/${name}`);
  }

  /** `namespace/name`. */
  names(kind: string): readonly string[] {
    return [...this.of(kind).keys()];
  }

  private of(kind: string): Map<string, string> {
    const known = this.all.get(kind) ?? new Map<string, string>();
    this.all.set(kind, known);
    return known;
  }
}

export interface WatchOptions {
  /** Of what was read. */
  readonly hashes: ObjectHashes;
  readonly signal: AbortSignal;
  readonly wantsWhole?: WantsWhole | undefined;
  /** Says what keeps changes from being seen. */
  readonly tell: (text: string) => void;
}

/** A cluster from its reading on: every kind is watched, and a watch that ends is resumed, or the kind is listed again. */
export class WatchedCluster {
  private readonly pending = new Map<string, Changed>();
  private readonly interrupted = new Map<string, number>();
  private stirred: () => void = () => undefined;
  private drained: (() => void)[] = [];

  private fail: (error: unknown) => void = () => undefined;
  private readonly ended: Promise<never>;

  private constructor(
    private reading: ClusterReading,
    proxyFailure: Promise<never>,
    private readonly options: WatchOptions,
  ) {
    const failed = new Promise<never>((_, reject) => (this.fail = reject));
    this.ended = Promise.race([failed, proxyFailure]);
    // It is waited for only between two answers.
    this.ended.catch(() => undefined);
  }

  static start(proxy: KubectlProxy, reading: ClusterReading, options: WatchOptions): WatchedCluster {
    const { signal } = options;
    // Each kind listens to it.
    setMaxListeners(0, signal);
    const watched = new WatchedCluster(reading, proxy.failure, options);
    for (const [kind, resumeFrom] of reading.positions) {
      // Leases tell nothing but heartbeats.
      if (kind.kind === 'Lease') continue;
      const options = {
        clock: realClock,
        random: Math.random,
        pageSize: PAGE_SIZE,
        watchList: 'never',
        resumeFrom,
      } as const;
      const reflector = new Reflector(proxy, { ...kind, kind: kind.servedAs }, options);
      reflector.run(watched.reflection(kind), signal).catch((error: unknown) => {
        watched.fail(error);
      });
    }
    return watched;
  }

  /** The cluster after something has changed that decides something. @throws {CommandFailed} it cannot be watched any longer */
  async next(): Promise<ClusterReading> {
    for (;;) {
      await Promise.race([this.isStirred(), this.ended]);
      await Promise.race([realClock.sleep(COALESCE, this.options.signal), this.ended]);
      const changes = [...this.pending.values()];
      this.pending.clear();
      const { drained } = this;
      this.drained = [];
      for (const go of drained) go();
      const state = this.changed(changes);
      if (state === undefined) continue;
      this.reading = { ...this.reading, state, capturedAt: new Date() };
      return this.reading;
    }
  }

  private async isStirred(): Promise<void> {
    if (this.pending.size > 0) return;
    await new Promise<void>((resolve) => (this.stirred = resolve));
  }

  /** Undefined if nothing that is kept has changed. */
  private changed(changes: readonly Changed[]): ClusterState | undefined {
    const { hashes } = this.options;
    const upserts = changes.flatMap(({ object }) => (object !== undefined && hashes.set(object) ? [object] : []));
    const deletes = changes.flatMap(({ kind: { kind }, namespace, name, object }) =>
      object === undefined && hashes.delete(kind, namespace, name) ? [{ kind, namespace, name }] : [],
    );
    return upserts.length + deletes.length === 0 ? undefined : this.reading.state.apply({ upserts, deletes });
  }

  private reflection(kind: ServedKind): Reflection {
    return {
      beginList: () => this.sink(kind),
      event: (type, { namespace, name, bytes }) =>
        this.take({
          kind,
          namespace,
          name,
          object: type === 'DELETED' ? undefined : this.read(bytes, kind),
        }),
      progress: () => undefined,
      state: (state) => {
        this.note(kind, state);
      },
    };
  }

  private read(bytes: Uint8Array, kind: ServedKind): KubernetesObject | undefined {
    return readObject(parsedObject(bytes), kind, this.options.wantsWhole);
  }

  private sink(kind: ServedKind): ListSink {
    const seen = new Set<string>();
    return {
      item: ({ namespace, name, bytes }) => {
        seen.add(`${namespace}/${name}`);
        return this.take({ kind, namespace, name, object: this.read(bytes, kind) });
      },
      commit: async () => {
        for (const key of this.options.hashes.names(kind.kind)) {
          if (seen.has(key)) continue;
          const [namespace = '', name = ''] = key.split('/');
          await this.take({ kind, namespace, name, object: undefined });
        }
      },
      discard: () => undefined,
    };
  }

  private async take(changed: Changed): Promise<void> {
    this.pending.set(`${changed.kind.kind} ${changed.namespace}/${changed.name}`, changed);
    this.stirred();
    if (this.pending.size >= MOST_PENDING) await new Promise<void>((resolve) => this.drained.push(resolve));
  }

  private note({ kind }: ServedKind, state: ReflectorState): void {
    const { tell } = this.options;
    const failures = this.interrupted.get(kind) ?? 0;
    switch (state.state) {
      case 'denied': {
        if (failures > 0) return;
        const missing = state.rule === null ? '' : `\n  missing in a ClusterRole: ${JSON.stringify(state.rule)}`;
        tell(`Changes of ${kind} are not seen: ${state.why}${missing}`);
        this.interrupted.set(kind, PATIENCE);
        return;
      }
      case 'retrying':
        this.interrupted.set(kind, failures + 1);
        if (failures + 1 === PATIENCE) tell(`Changes of ${kind} are not seen, trying again: ${state.why}`);
        return;
      case 'watching':
        this.interrupted.delete(kind);
        if (failures >= PATIENCE) tell(`Changes of ${kind} are seen again`);
        return;
      default:
    }
  }
}
