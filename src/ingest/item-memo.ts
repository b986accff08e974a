import { hash } from 'node:crypto';
import type { UnchangedRow } from '../core/cluster/object-row.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import type { Node } from '../core/kubernetes/objects/node.js';
import type { Pod } from '../core/kubernetes/objects/pod.js';
import { CLOSE_BRACE } from './json-bytes.js';
import { type ItemRuns, RunFinder } from './item-runs.js';
import { HASH_BYTES, type KnownHashes } from './known-hashes.js';

/** What is remembered of an item that was read: how it was written, and what became of it. */
interface RememberedItem {
  /** A SHA-256 of its bytes, in Latin-1. */
  readonly source: string;
  readonly sourceLength: number;
  readonly lineFeeds: number;
  /** The type that its list gave it; empty if it states its own. */
  readonly listType: string;
  /** What the report reads of the object. */
  readonly object: KubernetesObject;
  readonly resourceVersion: string | null;
  readonly hash: Uint8Array;
  readonly droppedFields: number;
}

/** What is remembered of a stream. */
export interface RememberedStream {
  readonly items: readonly RememberedItem[];
  readonly runs: ItemRuns;
}

/** An item that is in the state unchanged. */
export interface UnchangedItem {
  readonly object: KubernetesObject;
  readonly row: UnchangedRow;
  readonly droppedFields: number;
  readonly end: number;
  readonly lineFeeds: number;
}

/** The predicted end of an item is beyond the text. */
export const BEYOND = Symbol('beyond');

/** How many items may be missing from a stream before the next one is looked up by its name. */
const NEAR = 32;

/**
 * Recognizes items by the bytes with which an earlier stream of the same sender had them, in about the same order: an item whose bytes
 * are the same need not be read again if its object is in the state that the stream is compared with.
 *
 * What an item means depends on its bytes and the type of its list only, so a memo never becomes wrong.
 */
export class ItemMemo {
  private next = 0;
  private positions: Map<string, number> | undefined;
  private readonly items: RememberedItem[] = [];
  /** The number of items that the earlier stream did not have. */
  added = 0;
  private readonly texts = new Map<string, string>();
  /** The items of an earlier stream. */
  readonly former: readonly RememberedItem[];
  private readonly runs: RunFinder;

  /**
   * @param earlier what is remembered of an earlier stream
   * @param hasRoom whether one more item can be remembered
   */
  constructor(
    { items, runs }: RememberedStream,
    private readonly hasRoom: () => boolean,
  ) {
    this.former = items;
    this.runs = new RunFinder(runs);
  }

  /** What is remembered of this stream, for the next. */
  get remembered(): RememberedStream {
    return { items: this.items, runs: this.runs.runs };
  }

  /** Must be called before the text changes in which items are found. */
  endText(): void {
    this.runs.endText();
  }

  /** The item at `at` if it is as it was in the earlier stream. */
  find(
    bytes: Buffer,
    at: number,
    limit: number,
    listType: string,
    known: KnownHashes,
  ): UnchangedItem | typeof BEYOND | undefined {
    const item = this.former[this.next];
    if (item === undefined || (item.listType !== '' && item.listType !== listType)) return undefined;
    const end = at + item.sourceLength;
    if (end > limit) return BEYOND;
    if (bytes[end - 1] !== CLOSE_BRACE) return undefined;
    const unchanged = known.indexOf(item.hash, 0);
    if (unchanged < 0) return undefined;
    if (this.runs.proves(this.next, bytes, at, limit)) {
      this.runs.noteProven(this.items.length, this.next);
    } else {
      if (sourceHash(bytes, at, end) !== item.source) return undefined;
      this.runs.note(this.items.length, bytes, at, end);
    }
    this.next++;
    this.items.push(item);
    const { object, resourceVersion, droppedFields, lineFeeds } = item;
    return { object, row: { unchanged, resourceVersion }, droppedFields, end, lineFeeds };
  }

  /** Remembers an item that was not found but read. */
  add(
    bytes: Buffer,
    at: number,
    end: number,
    item: Pick<RememberedItem, 'lineFeeds' | 'listType' | 'object' | 'resourceVersion' | 'hash' | 'droppedFields'>,
  ): void {
    this.follow(item.object);
    if (!this.hasRoom()) return;
    this.added++;
    const source = sourceHash(bytes, at, end);
    this.runs.note(this.items.length, bytes, at, end);
    this.items.push({ ...item, source, sourceLength: end - at, object: this.witness(item.object) });
  }

  /** Expects the item that came after this one in the earlier stream. */
  private follow(object: KubernetesObject): void {
    const { former } = this;
    if (former.length === 0) return;
    const key = keyOf(object);
    const near = Math.min(this.next + NEAR, former.length);
    for (let index = this.next; index < near; index++) {
      if (former[index]!.object.metadata.name !== object.metadata.name || keyOf(former[index]!.object) !== key)
        continue;
      this.next = index + 1;
      return;
    }
    this.positions ??= new Map(former.map((item, index) => [keyOf(item.object), index]));
    const position = this.positions.get(key);
    if (position !== undefined) this.next = position + 1;
  }

  /** The parts that the report reads, with one copy of each text that repeats. */
  private witness({ kind, metadata, ...rest }: KubernetesObject): KubernetesObject {
    const { name, namespace } = metadata;
    const witness: Record<string, unknown> = {
      kind: this.shared(kind),
      metadata: namespace === undefined ? { name } : { name, namespace: this.shared(namespace) },
    };
    if (kind === 'Pod') {
      const nodeName = (rest as Partial<Pod>).spec?.nodeName;
      if (nodeName !== undefined) witness['spec'] = { nodeName: this.shared(nodeName) };
    } else if (kind === 'Node') {
      const { status } = rest as Partial<Node>;
      if (status !== undefined) witness['status'] = status;
    }
    return witness as unknown as KubernetesObject;
  }

  private shared(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    this.texts.set(text, text);
    return text;
  }
}

const sourceHash = (bytes: Buffer, at: number, end: number): string =>
  hash('sha256', bytes.subarray(at, end), 'binary').slice(0, HASH_BYTES);

const keyOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind}\0${metadata.namespace ?? ''}\0${metadata.name}`;

/** The number of items that all memos of a thread remember together, at about 500 bytes each. */
const MOST_ITEMS = 400_000;

const NOTHING: RememberedStream = { items: [], runs: new Map() };

/**
 * The memos of the last streams, by what they are streams of, and of those that are being read. If there are too many items, those of the
 * streams that are longest ago are forgotten.
 */
export class ItemMemos {
  private readonly kept = new Map<string, RememberedStream>();
  /** The number of different items. */
  private count = 0;

  constructor(private readonly most = MOST_ITEMS) {}

  /** The memo for a stream. It must be kept or dropped at the end. */
  open(key: string): ItemMemo {
    return new ItemMemo(this.kept.get(key) ?? NOTHING, () => this.takeRoom());
  }

  /** Keeps what a stream that was read to its end has remembered, in place of what the last one had. */
  keep(key: string, memo: ItemMemo): void {
    const replaced = this.kept.get(key) ?? NOTHING;
    memo.endText();
    const { remembered } = memo;
    this.kept.delete(key);
    this.count -= replaced.items.length;
    // What it has of the last stream counts again; what it has added is counted.
    this.count += remembered.items.length - memo.added;
    if (remembered.items.length > 0) this.kept.set(key, remembered);
  }

  /** Forgets what a stream that was not read to its end has remembered. */
  drop(memo: ItemMemo): void {
    this.count -= memo.added;
  }

  private takeRoom(): boolean {
    for (const [oldest, { items }] of this.kept) {
      if (this.count < this.most) break;
      this.kept.delete(oldest);
      this.count -= items.length;
    }
    if (this.count >= this.most) return false;
    this.count++;
    return true;
  }
}
