import type { Database } from '../../src/storage/database.js';
import { type HeadEvent, HeadListener } from '../../src/storage/head-listener.js';

/** Listens, and lets a test wait for the next events one by one. */
export async function listenToHeads(database: Database) {
  const events: HeadEvent[] = [];
  let wake: () => void = () => undefined;
  const listener = new HeadListener(database, () => undefined);
  listener.subscribe((event) => {
    events.push(event);
    wake();
  });
  await listener.start();
  const next = async (): Promise<HeadEvent> => {
    while (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return events.shift()!;
  };
  return { listener, next, events };
}
