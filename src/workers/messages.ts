import type { Entry, PlaceLimits, Window } from '../app/shared-counts.js';

/** What the parent sends to a worker. */
export type ToWorker =
  /** With the socket of a connection; `head` has the bytes that were already read of it, in base64. */
  | { readonly type: 'connection'; readonly head: string }
  /** Close so many connections, each after its next response: another worker has more time for them. */
  | { readonly type: 'relieve'; readonly connections: number }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  /** Asks for the metrics of this process. */
  | { readonly type: 'collect'; readonly id: number }
  | { readonly type: 'stop' };

/** What a worker sends to its parent. */
export type ToParent =
  | { readonly type: 'ready' }
  /** It cannot start; `reason` is for operators. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'load'; readonly utilization: number; readonly connections: number }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  | { readonly type: 'leave'; readonly place: number }
  | { readonly type: 'collected'; readonly id: number; readonly metrics: unknown };

/** What a worker asks its parent, who knows of all workers. */
export type Question =
  | { readonly about: 'hit'; readonly key: string; readonly windowMs: number }
  | { readonly about: 'enter'; readonly kind: string; readonly caller: string; readonly limits: PlaceLimits }
  | { readonly about: 'metrics' };

/** The answers, by question. */
export interface Answers {
  readonly hit: Window;
  readonly enter: { readonly place: number } | Exclude<Entry, { readonly leave: unknown }>;
  /** Of each worker that answers. */
  readonly metrics: readonly unknown[];
}
