import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clusterKey } from './queries.js';
import { Refresher } from './refresh.js';
import { SERVICE, token } from './service.js';

/** Of the stream of a cluster's events. */
export type LinkState = 'connecting' | 'live' | 'lost';

const LEAST_WAIT_MS = 1000;
const MOST_WAIT_MS = 30_000;
/** Heartbeats come more often; a stream without any sign of life is dead. */
const SILENCE_MS = 60_000;
/** Several events that come together make the page ask once. */
const GATHER_MS = 250;

/**
 * Follows a cluster: what changes makes its answers stale, and those on the page are asked again. Lost streams go on after the
 * last event.
 */
export function useLive(cluster: string | undefined): LinkState {
  const client = useQueryClient();
  const [state, setState] = useState<LinkState>('connecting');
  useEffect(() => {
    if (cluster === undefined) return undefined;
    const ending = new AbortController();
    const refresher = new Refresher(client);
    let gathering: number | undefined;
    const changed = (): void => {
      gathering ??= window.setTimeout(() => {
        gathering = undefined;
        refresher.refresh(clusterKey(cluster));
      }, GATHER_MS);
    };
    void follow(cluster, { changed, setState }, ending.signal);
    return () => {
      ending.abort();
      window.clearTimeout(gathering);
    };
  }, [cluster, client]);
  return state;
}

interface Follower {
  readonly changed: () => void;
  readonly setState: (state: LinkState) => void;
}

async function follow(cluster: string, { changed, setState }: Follower, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let wait = LEAST_WAIT_MS;
  let wasLost = false;
  while (!signal.aborted) {
    try {
      for await (const event of read(cluster, lastId, signal)) {
        if (event === 'open') {
          setState('live');
          wait = LEAST_WAIT_MS;
          // What happened meanwhile may be more than the service replays.
          if (wasLost) changed();
          continue;
        }
        if (event.id !== undefined) lastId = event.id;
        if (event.type === 'end') break;
        changed();
      }
    } catch {
      // Goes on below.
    }
    if (signal.aborted) return;
    wasLost = true;
    setState('lost');
    await pause(wait, signal);
    wait = Math.min(wait * 2, MOST_WAIT_MS);
  }
}

interface StreamEvent {
  readonly id: string | undefined;
  readonly type: string;
}

/** The events of a stream. `fetch` instead of EventSource, which cannot send a token. */
async function* read(
  cluster: string,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent | 'open'> {
  const given = token.get();
  const dead = new AbortController();
  const alive = (): number => window.setTimeout(() => dead.abort(), SILENCE_MS);
  let watch = alive();
  const response = await fetch(`${SERVICE}/api/v1/clusters/${encodeURIComponent(cluster)}/events`, {
    signal: AbortSignal.any([signal, dead.signal]),
    headers: {
      accept: 'text/event-stream',
      ...(given !== null && { authorization: `Bearer ${given}` }),
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
  });
  if (!response.ok || response.body === null) throw new Error(`the stream answers ${response.status}`);
  yield 'open';
  let rest = '';
  try {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      window.clearTimeout(watch);
      watch = alive();
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
        if (fields.has('data')) yield { id: fields.get('id'), type: fields.get('event') ?? 'message' };
      }
    }
  } finally {
    window.clearTimeout(watch);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
}
