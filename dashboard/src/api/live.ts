import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clusterKey } from './queries.js';
import { Refresher } from './refresh.js';
import { service } from './service.js';

/** Of the stream of a cluster's events. */
export type LinkState = 'connecting' | 'live' | 'lost';

/** Before another stream, if one cannot go on. */
const LEAST_WAIT_MS = 1000;
const MOST_WAIT_MS = 30_000;
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
  let wait = LEAST_WAIT_MS;
  let wasLost = false;
  const onState = (state: 'open' | 'lost'): void => {
    setState(state === 'open' ? 'live' : 'lost');
    if (state === 'open') wait = LEAST_WAIT_MS;
    // What happened meanwhile may be more than the service replays.
    if (state === 'open' && wasLost) changed();
    wasLost = true;
  };
  while (!signal.aborted) {
    try {
      const events = service.events(cluster, { signal, onState });
      while ((await events.next()).done !== true) changed();
    } catch {
      // It cannot go on where it was: the cluster or the login is gone, which may pass.
    }
    if (signal.aborted) return;
    onState('lost');
    await pause(wait, signal);
    wait = Math.min(wait * 2, MOST_WAIT_MS);
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
