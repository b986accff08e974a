import { Dice } from '../../support/dice.js';
import type { AuditIntake, TakenIn } from './wire-audit-intake.js';
import type { RawEvent } from './audit-words.js';
import type { Transcript } from './wire-transcript.js';

/** Batches of audit events as an API server sent them, with what its receiver answered. */
export interface AuditTranscript extends Transcript {
  readonly epoch: string;
  readonly direction?: string;
}

/** An EventList on its way. */
export interface Batch {
  /** Milliseconds from the epoch. */
  readonly at: number;
  readonly query: string;
  readonly items: readonly RawEvent[];
  /** As it was sent; absent if its items were sent otherwise. */
  readonly text?: string;
  readonly isAccepted: boolean;
}

export function batchesOf({ exchanges }: Transcript): readonly Batch[] {
  return exchanges
    .filter(({ request }) => request.method === 'POST' && /"kind":\s*"EventList"/.test(request.body ?? ''))
    .map(({ request, response, startedAtMs }) => {
      const text = request.body!;
      const { items } = JSON.parse(text) as { readonly items: readonly RawEvent[] };
      const query = /\?.*$/.exec(request.path)?.[0] ?? '';
      return { at: startedAtMs, query, items, text, isAccepted: response.status >= 200 && response.status < 300 };
    })
    .sort((a, b) => a.at - b.at);
}

/** Which batches reach the service, and how. */
export interface Play {
  readonly batches: readonly Batch[];
  /** How many bodies are under way at the same time. */
  readonly atOnce: number;
  /** Cuts the bodies elsewhere; absent: as they were recorded. */
  readonly dice?: Dice;
}

/**
 * How a transcript is played. What a receiver has refused never came to it, or it came and only the answer was lost: an API server
 * cannot tell the two apart, and does the same.
 */
export const PLAYS: Readonly<Record<string, (batches: readonly Batch[]) => Play>> = {
  'at its pace': (batches) => ({ batches: batches.filter(({ isAccepted }) => isAccepted), atOnce: 1 }),
  'at once, answers lost': (batches) => ({ batches, atOnce: 4, dice: new Dice(1) }),
  'other batches, repeated, out of order': (batches) => {
    const dice = new Dice(2);
    const accepted = batches.filter(({ isAccepted }) => isAccepted);
    const events = accepted.flatMap(({ items }) => items);
    const some = [...events, ...dice.some(events, 30)];
    const order = some.map((event) => ({ event, place: dice.below(1e9) })).sort((a, b) => a.place - b.place);
    const others: Batch[] = [];
    for (let at = 0; at < order.length;) {
      const size = 1 + dice.below(60);
      const items = order.slice(at, at + size).map(({ event }) => event);
      others.push({ at: 0, query: '', items, isAccepted: true });
      at += size;
    }
    return { batches: others, atOnce: 2, dice };
  },
};

/** What the service says it took in, in sum. */
export interface Sums {
  readonly received: number;
  readonly kept: number;
  readonly duplicates: number;
  readonly ignored: number;
  readonly invalid: number;
}

export async function send(intake: AuditIntake, cluster: string, epoch: number, play: Play): Promise<Sums> {
  const left = [...play.batches];
  const sums = { received: 0, kept: 0, duplicates: 0, ignored: 0, invalid: 0 };
  const sender = async (): Promise<void> => {
    for (let batch = left.shift(); batch !== undefined; batch = left.shift()) {
      intake.passTo(epoch + batch.at);
      const text = batch.text ?? JSON.stringify({ ...LIST, items: batch.items });
      add(sums, await intake.take(cluster, batch.query, text, play.dice));
    }
  };
  await Promise.all(Array.from({ length: play.atOnce }, sender));
  return sums;
}

const LIST = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} };

function add(sums: { -readonly [Name in keyof Sums]: number }, taken: TakenIn): void {
  sums.received += taken.received;
  sums.kept += taken.kept;
  sums.duplicates += taken.duplicates;
  sums.invalid += taken.invalid;
  sums.ignored += taken.ignored.reduce((all, { count }) => all + count, 0);
}
