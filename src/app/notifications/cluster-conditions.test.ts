import { describe, expect, it } from '@jest/globals';
import type { LastSign } from '../../storage/follow-leases.js';
import type { Revision } from '../../storage/revision.js';
import { ClusterConditions, signStanding, watchedBy, type SignsOfLife } from './cluster-conditions.js';
import type { RuleDetails } from './given-rule.js';
import { conditionStep, tellAgainAt } from './lasting-conditions.js';
import type { ToldRule } from './told-rule.js';

const NOW = Date.parse('2026-05-04T03:02:01Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CLUSTER = { id: 7, name: 'prod', labels: {} };

/** Rules of these kinds read nothing but what they are given. */
const conditions = new ClusterConditions(
  undefined as never,
  undefined as never,
  { currentAt: () => Promise.reject(new Error('not asked')) },
  { lastSign: () => Promise.reject(new Error('not asked')) },
);

const rule = (kinds: readonly string[], staleAfterMs = HOUR, format = 'alertmanager'): ToldRule => ({
  id: 1,
  name: 'a rule',
  start: { revision: 0, sequence: 0, turn: 0 },
  since: new Date(NOW),
  changedAt: NOW,
  details: { kinds, minSeverity: 'info', format, staleAfter: '1h', link: null } as unknown as RuleDetails,
  nodes: undefined,
  namespaces: undefined,
  keys: undefined,
  effects: undefined,
  staleAfterMs,
});

const RULES = [rule(['snapshotStale']), rule(['connectionLost', 'snapshotStale'], 3 * HOUR), rule(['connectionLost'])];
const ago = (ms: number): Date => new Date(NOW - ms);
const headOf = (capturedAt: Date): Revision => ({ number: 3, capturedAt }) as Revision;
const sign = (at: Date, via: LastSign['via'], seen: readonly (Date | null)[] = []): LastSign => ({
  at,
  via,
  status: {
    message: 'the API server is away',
    kinds: seen.map((one) => ({ kind: 'Node', state: 'retrying', lastSeenAt: one?.toISOString() ?? null })),
  },
});

const AGES = [0, 2 * MINUTE, 3 * MINUTE - 1, 3 * MINUTE, HOUR - 1, HOUR, 3 * HOUR, 5 * HOUR];
const HEADS = [undefined, ...[0, HOUR, 4 * HOUR].map((ms) => headOf(ago(ms)))];
const CURRENT = [undefined, ago(0), ago(HOUR), ago(2 * HOUR)];
const SIGNS: readonly (LastSign | undefined)[] = [
  undefined,
  ...AGES.flatMap((ms) => [
    sign(ago(ms), 'connection'),
    sign(ago(ms), 'agent'),
    sign(ago(5 * HOUR), 'connection', [ago(ms), ago(1), null]),
  ]),
];

/** What the rules tell of, by what they tell of it. */
async function told(
  rules: readonly ToldRule[],
  head: Revision | undefined,
  signs: SignsOfLife,
  now: number,
): Promise<string> {
  const moment = { cluster: CLUSTER, head, signs, state: () => Promise.resolve(undefined), now: new Date(now) };
  const found = await Promise.all(rules.map((one) => conditions.of(one, moment)));
  return JSON.stringify(
    found.map((of) =>
      of.found.map(({ kind, conditions: list }) => [kind, list.map((one) => [one.subject, one.version])]),
    ),
  );
}

describe('the signs of life of a cluster', () => {
  it('have another standing when there is something else to tell of them, and only then', async () => {
    for (const head of HEADS) {
      const watched = watchedBy(RULES, head);
      const toldBy = new Map<string, string>();
      for (const currentAt of CURRENT) {
        for (const last of SIGNS) {
          const signs = { currentAt, last };
          const { standing } = signStanding(watched, signs, NOW);
          const now = await told(RULES, head, signs, NOW);
          expect(toldBy.get(standing) ?? now).toBe(now);
          toldBy.set(standing, now);
        }
      }
      expect(new Set(toldBy.values()).size).toBe(toldBy.size);
      expect(toldBy.size).toBeGreaterThan(2);
    }
  });

  it('are looked at when the time itself changes it, and some time later where a new sign would', () => {
    for (const head of HEADS) {
      const watched = watchedBy(RULES, head);
      for (const currentAt of CURRENT) {
        for (const last of SIGNS) {
          const signs = { currentAt, last };
          const { standing, again } = signStanding(watched, signs, NOW);
          expect(again).toBeGreaterThan(NOW);
          expect(again).toBeLessThanOrEqual(NOW + HOUR);
          expect(signStanding(watched, signs, again - 1).standing).toBe(standing);
          if (signStanding(watched, signs, again).standing === standing) {
            // Nothing is due: a look for a new sign.
            expect([15_000, MINUTE]).toContain(again - NOW);
          }
        }
      }
    }
  });

  it('are not looked for if no rule asks', () => {
    const watched = watchedBy([rule(['taintChanged'])], headOf(ago(HOUR)));
    expect(signStanding(watched, { currentAt: undefined, last: sign(ago(HOUR), 'agent') }, NOW).again).toBe(Infinity);
  });
});

describe('Alertmanager', () => {
  const found = [
    {
      kind: 'connectionLost' as const,
      conditions: [
        {
          subject: 'connection',
          version: '',
          news: {
            object: null,
            since: ago(HOUR),
            severity: 'critical' as const,
            summary: 'lost',
            end: 'found',
            lines: [],
            labels: {},
            data: {},
          },
        },
      ],
    },
  ];
  const lost = rule(['connectionLost']);

  it('is told again of what lasts an hour after it was told, however often that was looked at', () => {
    const first = conditionStep(lost, CLUSTER, found, [], new Date(NOW));
    expect(first.told).toHaveLength(1);
    expect(tellAgainAt(lost, found, [], first)).toBe(NOW + HOUR);
    const between = conditionStep(lost, CLUSTER, found, first.told, new Date(NOW + 40 * MINUTE));
    expect(between).toMatchObject({ told: [], deliveries: [], over: [] });
    expect(tellAgainAt(lost, found, first.told, between)).toBe(NOW + HOUR);
    const later = conditionStep(lost, CLUSTER, found, first.told, new Date(NOW + HOUR));
    expect(later.told).toHaveLength(1);
    expect(tellAgainAt(lost, found, first.told, later)).toBe(NOW + 2 * HOUR);
  });

  it('is told no more of what is over, nor are others told again', () => {
    const first = conditionStep(lost, CLUSTER, found, [], new Date(NOW));
    const none = [{ kind: 'connectionLost' as const, conditions: [] }];
    const over = conditionStep(lost, CLUSTER, none, first.told, new Date(NOW + MINUTE));
    expect(over.over).toHaveLength(1);
    expect(tellAgainAt(lost, none, first.told, over)).toBe(Infinity);
    const slack = rule(['connectionLost'], HOUR, 'slack');
    expect(tellAgainAt(slack, found, first.told, { deliveries: [], told: [], over: [] })).toBe(Infinity);
    // A kind that the rule tells of no longer is left alone.
    expect(tellAgainAt(lost, [], first.told, { deliveries: [], told: [], over: [] })).toBe(Infinity);
  });
});
