import { apiVersionOf, type ServedKind } from '../../kube-api/discover-kinds.js';
import type { ListSink, WireObject } from '../../kube-api/reflector/reflection.js';
import { LineChannel } from './line-channel.js';

/** Bytes on their way to the reading thread. */
const MOST_BYTES = 4 * 1024 * 1024;
const FIRST_MEMBER = /^\{\s*"(?:kind|apiVersion)"/;

/**
 * Complete lists of one or more kinds as one snapshot: NDJSON, in which the lists may interleave, with an empty list of each kind at its
 * end, which says that the kind is complete, and as of when. The snapshot is begun with the first object.
 */
export class ListedKinds {
  private readonly waitsFor: Set<string>;
  private readonly channel = new LineChannel(MOST_BYTES);
  private stored: Promise<void> | undefined;
  private completed = 0;
  /** Kinds of which objects were sent, and that are not complete. */
  private readonly begun = new Set<string>();

  constructor(
    kinds: readonly string[],
    private readonly store: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  ) {
    this.waitsFor = new Set(kinds);
  }

  awaits(kind: string): boolean {
    return this.waitsFor.has(kind);
  }

  /** A kind that cannot be listed now; the others do not wait for it. */
  leaveOut(kind: string): void {
    if (!this.begun.has(kind)) this.settle(kind);
  }

  /** Nothing is listed any longer: kinds that are complete do not wait for the others. */
  end(): void {
    if (this.waitsFor.size > 0) this.channel.fail(new ListCut('the lists are not read any longer'));
  }

  /** Whether any kind is complete. */
  get hasAny(): boolean {
    return this.completed > 0;
  }

  sink(served: ServedKind): ListSink {
    const { kind } = served;
    const apiVersion = apiVersionOf(served);
    return {
      item: ({ bytes }: WireObject) => {
        this.begun.add(kind);
        return this.write(...typed(served, bytes));
      },
      commit: async (resourceVersion) => {
        const list = { apiVersion, kind: `${kind}List`, metadata: { resourceVersion }, items: [] };
        await this.write(Buffer.from(JSON.stringify(list)));
        this.completed += 1;
        this.begun.delete(kind);
        this.settle(kind);
        await this.stored;
      },
      discard: (why) => {
        if (!this.begun.has(kind)) return;
        // Objects that were sent may be gone when the kind is listed again.
        this.channel.fail(new ListCut(`the list of ${kind} was cut: ${why}`));
      },
    };
  }

  private write(...parts: readonly Uint8Array[]): Promise<void> {
    this.stored ??= this.store(this.channel);
    // It is waited for by those that commit.
    this.stored.catch((error: unknown) => {
      this.channel.fail(error instanceof Error ? error : new Error(String(error)));
    });
    return this.channel.write(...parts);
  }

  private settle(kind: string): void {
    this.waitsFor.delete(kind);
    if (this.waitsFor.size === 0) this.channel.end();
  }
}

/** A list was cut in the middle, so that a snapshot of several kinds begins anew. */
export class ListCut extends Error {
  override readonly name = 'ListCut';
}

/** The parts of an object with its type, which items of a list come without. */
function typed(served: ServedKind, bytes: Uint8Array): readonly Uint8Array[] {
  const isTyped = FIRST_MEMBER.test(Buffer.from(bytes.buffer, bytes.byteOffset, 20).toString('latin1'));
  if (isTyped) return [bytes];
  const type = `{"apiVersion":${JSON.stringify(apiVersionOf(served))},"kind":${JSON.stringify(served.kind)},`;
  return [Buffer.from(type), bytes.subarray(1)];
}
