import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Clock } from '../../src/app/clock.js';
import { readConfig } from '../../src/config.js';
import { startService } from '../../src/start-service.js';
import { startTestPostgres, type TestPostgres } from './postgres.js';
import { watchResponses } from './watched-responses.js';

export { checkResponses } from './watched-responses.js';

/** Dependencies that a test may replace. */
export interface ServiceOverrides {
  readonly clock?: Clock;
  /** Called with the address of the empty database, before the service starts. */
  readonly prepareDatabase?: (url: string) => Promise<void>;
  /** Whether its database is a plain one also where those of other tests are distributed. */
  readonly plain?: boolean;
}

export interface ServiceInProcess {
  readonly url: string;
  readonly postgres: TestPostgres;
  readonly databaseUrl: string;
  readonly logLines: () => string;
  close(): Promise<void>;
}

/** Tests count what questions load and keep, so nothing is loaded and kept ahead of them. */
// On a busy machine, a new connection to Postgres may take long.
const DEFAULTS = { PORT: '0', DIGEST_PERCENT: '0', WARM_UP_MS: '0', DATABASE_CONNECT_TIMEOUT_MS: '20000' };

/** A clock of a test file, whose `Date` is another class. */
class ClockOfTest extends Clock {
  constructor(private readonly clock: Clock) {
    super();
  }

  override now(): Date {
    return new Date(this.clock.now().getTime());
  }
}

/** The service with its own Postgres, on a free port, in this process. */
export async function startInProcess(
  settings: Readonly<Record<string, string>>,
  { clock, prepareDatabase, plain = false }: ServiceOverrides,
): Promise<ServiceInProcess> {
  const postgres = await startTestPostgres({ plain });
  let logged = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const databaseUrl = settings['DATABASE_URL'] ?? (await postgres.createEmptyDatabase());
  await prepareDatabase?.(databaseUrl);
  const config = readConfig({ ...DEFAULTS, DATABASE_URL: databaseUrl, ...settings });
  const log = pino({ level: 'debug' }, sink);
  const service = await startService(config, { log, ...(clock && { clock: new ClockOfTest(clock) }) });
  const unwatch = watchResponses(service.url);
  return {
    url: service.url,
    postgres,
    databaseUrl,
    logLines: () => logged,
    close: async () => {
      await service.close();
      await postgres.stop();
      unwatch();
    },
  };
}
