import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { stringifyJson } from '../core/json/lossless-json.js';
import { settingOf, THE_ONE } from '../core/cluster/setting.js';
import { DecisionRetention } from '../storage/decisions/decision-retention.js';
import { Clock } from './clock.js';
import { AutomaticRetention } from './automatic-retention.js';
import { DecisionRetentionLimit, keptFor } from './decisions/decision-retention-setting.js';

const DAY = 86_400;
const setting = (maxAge: string): string => stringifyJson(settingOf('DecisionRetention', THE_ONE, { maxAge }));

describe('how long decisions are kept', () => {
  it.each([
    ['for ever without any limit', undefined, undefined, null],
    ['as the service says', undefined, 30 * DAY, 30 * DAY],
    ['as the cluster says, longer', setting('90d'), 30 * DAY, 90 * DAY],
    ['as the cluster says, shorter', setting('1h'), 30 * DAY, 3600],
    ['for ever if the cluster says so', setting('forever'), 30 * DAY, null],
    ['for ever by a setting that this version cannot read', setting('a while'), 30 * DAY, null],
  ])('is %s', (_, stored, ofService, expected) => {
    expect(keptFor(stored, new DecisionRetentionLimit(ofService))).toBe(expected);
  });
});

class FixedClock extends Clock {
  constructor(private readonly time: Date) {
    super();
  }

  override now(): Date {
    return this.time;
  }
}

describe('a round of retention', () => {
  let postgres: TestPostgres;
  beforeAll(async () => (postgres = await startTestPostgres()));
  afterAll(() => postgres.stop());

  it('removes what is older by its clock, reports it, and survives a failure', async () => {
    const database = await postgres.createDatabase();
    const day = (number: number): Date => new Date(Date.UTC(2026, 5, number));
    for (const number of [1, 2, 3]) {
      await database.query(
        `insert into decisions (cluster_id, id, cluster_name, revision, rules_version, asked_at, caller, caller_kind, type,
                                verdict, summary, workloads, reasons, taint_values, question_hash, withheld_values, answer_hash)
         values (1, gen_random_uuid(), 'a', 1, 'v', $1, 'c', 'token', 'gate', 'yes', '', '[]', '[]', '[]', '', 0, '')`,
        [day(number)],
      );
    }
    const told: unknown[] = [];
    const events = {
      removed: (what: string, reports: readonly unknown[]) => void told.push(what, ...reports),
      failed: (what: string) => void told.push(`${what} failed`),
    };
    const limit = new DecisionRetentionLimit(7 * DAY);
    const decisions = new DecisionRetention(database);
    const broken = { what: 'other', prune: () => Promise.reject(new Error('no')) };
    const rule = {
      what: 'decisions',
      prune: (now: Date, failed: (error: unknown) => void) =>
        decisions.prune(now, failed, (setting) => keptFor(setting, limit)),
    };
    const retention = (now: Date) => new AutomaticRetention([broken, rule], new FixedClock(now), events);
    const late = retention(day(10));
    // A second call joins the round in progress.
    await Promise.all([late.round(), late.round()]);
    // Another replica whose clock is behind.
    await retention(day(9)).round();
    expect(told).toEqual([
      'other failed',
      'decisions',
      { clusterId: 1, clusterName: 'a', decisions: 2 },
      'other failed',
    ]);
    await database.dataSource.destroy();
    await late.round();
    await late.stop();
    expect(told.slice(4)).toEqual(['other failed', 'decisions failed']);
  });
});
