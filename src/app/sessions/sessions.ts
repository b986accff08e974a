import type { Caller } from '../../auth/caller.js';
import { SessionStore } from '../../storage/session-store.js';

/** An open session. */
export interface Session {
  readonly caller: Caller;
  readonly expiresAt: Date;
}

/** The sessions of people who logged in with a browser. Each ends after a fixed time, and when it is closed. */
export class Sessions {
  constructor(
    private readonly store: SessionStore,
    private readonly lifetimeSeconds: number,
  ) {}

  async open(caller: Caller, now: Date): Promise<{ readonly id: string; readonly expiresAt: Date }> {
    const expiresAt = new Date(now.getTime() + this.lifetimeSeconds * 1000);
    return { id: await this.store.open(JSON.stringify(caller), now, expiresAt), expiresAt };
  }

  /** Undefined if it is unknown, closed or expired. */
  async find(id: string, now: Date): Promise<Session | undefined> {
    const found = await this.store.find(id, now);
    return found && { caller: JSON.parse(found.caller) as Caller, expiresAt: found.expiresAt };
  }

  close(id: string): Promise<void> {
    return this.store.close(id);
  }
}
