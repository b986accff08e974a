/** One object as an API server sent it. */
export interface WireObject {
  /** Its JSON text; items of a list come without apiVersion and kind. Valid until the call that passes it has ended. */
  readonly bytes: Uint8Array;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export type ObjectEvent = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A part of a ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** How a kind is doing. */
export type ReflectorState =
  | { readonly state: 'listing'; readonly since: Date }
  | { readonly state: 'watching'; readonly since: Date }
  | {
      readonly state: 'denied';
      readonly since: Date;
      readonly why: string;
      /** What a ClusterRole must have; null if the credentials themselves were refused. */
      readonly rule: PolicyRule | null;
      readonly nextTry: Date;
    }
  | { readonly state: 'notServed' | 'retrying'; readonly since: Date; readonly why: string; readonly nextTry: Date };

/** Takes one complete list. Nothing of it counts, and nothing known before is gone, until `commit`. */
export interface ListSink {
  item(object: WireObject): void | Promise<void>;
  /** @param resourceVersion the moment of the list */
  commit(resourceVersion: string): void | Promise<void>;
  discard(why: string): void | Promise<void>;
}

/** What a Reflector tells. Calls come one after another; a promise that is pending holds the reading back. */
export interface Reflection {
  /** Everything of the kind comes anew. It is asked for once the sink is there; a promise that is rejected ends the reading. */
  beginList(): ListSink | Promise<ListSink>;
  event(type: ObjectEvent, object: WireObject): void | Promise<void>;
  /** Everything up to this version has come: after each event, and by bookmarks. It is also the sign of life. */
  progress(resourceVersion: string, at: Date): void;
  state(state: ReflectorState): void;
}

/** A resource of an API server, in one version. */
export interface ReflectedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** The only namespace to read; absent: all. */
  readonly namespace?: string;
}

export const pathOf = ({ group, version, plural, namespace }: ReflectedResource): string => {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
};
