import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Random } from '../../bench/generator/random.js';
import type { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import type { Ledger } from './ledger.js';
import type { ServiceProcess } from '../support/service-process.js';

export type Victim = 'service' | 'postgres';

/** After a kill, changes must be acknowledged again within this time, in milliseconds. */
const MAX_SILENCE = 30_000;

/** Kills the service or its database every few seconds, and waits each time until changes succeed again. */
export class Killer {
  kills = 0;
  /** From a kill to the first acknowledged change after it, in milliseconds. */
  longestSilence = 0;
  private readonly random: Random;

  constructor(
    private readonly replicas: readonly ServiceProcess[],
    private readonly server: EmbeddedPostgres,
    private readonly ledger: Ledger,
    seed: number,
  ) {
    this.random = new Random(seed * 1_000 + 777);
  }

  /** Kills once, after about this many milliseconds; resolves when changes succeed again. */
  async strike(victim: Victim, pause: number): Promise<void> {
    await sleep(pause * (0.5 + this.random.next()));
    if (victim === 'service') await this.killService();
    else await this.killPostgres(this.kills);
    this.kills += 1;
    await this.untilMade(victim);
  }

  /** Usually one replica, while the others continue; sometimes all of them. */
  private async killService(): Promise<void> {
    const one = this.replicas[this.random.below(this.replicas.length)]!;
    const victims = this.random.chance(0.3) ? this.replicas : [one];
    await Promise.all(victims.map((service) => service.kill()));
    await Promise.all(victims.map((service) => service.run()));
  }

  /** Alternately the whole server, and one of its sessions, after which the server itself ends all others. */
  private async killPostgres(blow: number): Promise<void> {
    const session = blow % 2 === 0 ? undefined : await busySession(this.server.url);
    if (session !== undefined && killed(session)) return;
    // It may be recovering from the kill before.
    while (!killed(this.server.pid)) await sleep(5);
  }

  private async untilMade(victim: Victim): Promise<void> {
    const start = performance.now();
    const known = this.ledger.acknowledged.size;
    while (this.ledger.acknowledged.size === known) {
      if (performance.now() - start > MAX_SILENCE) {
        this.ledger.violation(`no change was made for ${MAX_SILENCE} ms after ${victim} was killed`);
        return;
      }
      await sleep(5);
    }
    this.longestSilence = Math.max(this.longestSilence, performance.now() - start);
  }
}

/** @returns false if the process does not exist any more */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** A session of the service that is writing; undefined if there is none. */
async function busySession(url: string): Promise<number | undefined> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where application_name = 'kube-placement' and backend_xid is not null order by random() limit 1`,
    );
    return rows[0]?.pid;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
