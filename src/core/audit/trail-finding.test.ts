import { describe, expect, it } from '@jest/globals';
import { attributeTaintChanges } from './attribution.js';
import type { AuditEvent } from './audit-event.js';
import type { NodeObservation, TaintEvidence, TaintIntent } from './evidence.js';
import { findingsOf, type RecordedFinding, stepReconcileTrail, type TrailAddition } from './trail-finding.js';

const ML = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const OTHER = { key: 'other', effect: 'NoSchedule' };

const seen = (at: string, taints: readonly (typeof ML | typeof OTHER)[], revision: number): NodeObservation => ({
  node: 'n',
  at: `2026-06-01T${at}:00Z`,
  revision,
  state: { taints, unschedulable: false },
});

const patch = (at: string, username: string, taints: readonly (typeof ML | typeof OTHER)[]): AuditEvent => ({
  auditID: `${username} ${at}`,
  level: 'RequestResponse',
  stage: 'ResponseComplete',
  verb: 'patch',
  requestURI: '/api/v1/nodes/n',
  node: 'n',
  user: { username, groups: [] },
  sourceIPs: [],
  dryRun: false,
  responseCode: 200,
  requestReceivedTimestamp: `2026-06-01T${at}:00Z`,
  stageTimestamp: `2026-06-01T${at}:00Z`,
  truncated: false,
  requested: { taints: { value: taints }, unschedulable: 'untouched' },
  responded: { taints, unschedulable: false },
});

function resultOf<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** An append-only trail, as the service stores it; after each addition, all evidence so far is evaluated again. */
class Trail {
  private readonly records: TrailAddition[] = [];
  private evidence: TaintEvidence = { observations: [], events: [], intents: [] };

  learn(more: Partial<TaintEvidence>): readonly TrailAddition[] {
    const { observations, events, intents } = this.evidence;
    this.evidence = {
      observations: [...observations, ...(more.observations ?? [])],
      events: [...events, ...(more.events ?? [])],
      intents: [...intents, ...(more.intents ?? [])],
    };
    const additions = resultOf(stepReconcileTrail(this.current(), findingsOf(attributeTaintChanges(this.evidence))));
    this.records.push(...additions);
    return additions;
  }

  current(): RecordedFinding[] {
    const gone = new Set(
      this.records.flatMap((one) => ('withdraws' in one ? [one.withdraws.sequence] : one.supersedes)),
    );
    return this.records.flatMap((one, index) =>
      'withdraws' in one || gone.has(index + 1) ? [] : [{ sequence: index + 1, finding: one.finding }],
    );
  }

  told(): string[] {
    return this.current().map(({ finding }) => {
      if (finding.kind !== 'change') return finding.kind;
      const { difference, by } = finding;
      return `${by?.username ?? 'nobody'} +${difference?.added.map(({ key }) => key).join(',') ?? '?'}`;
    });
  }
}

describe('a trail that follows evidence', () => {
  it('supersedes a record without an author by one with the author', () => {
    const trail = new Trail();
    expect(trail.learn({ observations: [seen('10:00', [], 1), seen('11:00', [ML], 2)] })).toHaveLength(1);
    expect(trail.told()).toEqual(['nobody +dedicated']);
    expect(trail.learn({ events: [patch('10:30', 'alice', [ML])] })).toMatchObject([
      { finding: { kind: 'change', by: { username: 'alice' } }, supersedes: [1] },
    ]);
    expect(trail.told()).toEqual(['alice +dedicated']);
  });

  it('splits one observed change into the two writes that made it', () => {
    const trail = new Trail();
    trail.learn({ observations: [seen('10:00', [], 1), seen('11:00', [OTHER, ML], 2)] });
    const additions = trail.learn({
      events: [patch('10:40', 'bob', [OTHER, ML]), patch('10:30', 'alice', [ML])],
    });
    expect(additions.map((one) => ('supersedes' in one ? one.supersedes : []))).toEqual([[1], [1]]);
    expect(trail.told()).toEqual(['alice +dedicated', 'bob +other']);
  });

  it('keeps the record of a write when a snapshot shows its result', () => {
    const trail = new Trail();
    trail.learn({ observations: [seen('10:00', [], 1)], events: [patch('10:30', 'alice', [ML])] });
    expect(trail.learn({ observations: [seen('11:00', [ML], 2)] })).toEqual([]);
    expect(trail.told()).toEqual(['alice +dedicated']);
  });

  it('adds nothing for known evidence, in any order', () => {
    const trail = new Trail();
    const evidence = {
      observations: [seen('10:00', [], 1), seen('11:00', [ML], 2)],
      events: [patch('10:30', 'alice', [ML])],
    };
    trail.learn(evidence);
    expect(trail.learn(evidence)).toEqual([]);
    expect(trail.learn({ observations: [seen('12:00', [ML], 3)] })).toEqual([]);
  });

  it('moves a change to the time by which a late snapshot shows it', () => {
    const trail = new Trail();
    trail.learn({ observations: [seen('10:00', [], 1), seen('12:00', [ML], 3)] });
    // A snapshot from in between arrives late and shows that the taint existed by then.
    expect(trail.learn({ observations: [seen('11:00', [ML], 2)] })).toMatchObject([
      { finding: { kind: 'change', when: { to: '2026-06-01T11:00:00Z' } }, supersedes: [1] },
    ]);
    expect(trail.told()).toEqual(['nobody +dedicated']);
  });

  it('records the taints of a newly observed node once', () => {
    const trail = new Trail();
    expect(trail.learn({ observations: [seen('10:00', [ML], 1)] })).toMatchObject([
      { finding: { kind: 'found', state: { taints: [ML], unschedulable: false } } },
    ]);
    expect(trail.learn({ observations: [seen('11:00', [ML], 2)] })).toEqual([]);
  });

  it('records the outcome of an intent, and the change that applied it only if its author is another client', () => {
    const intent: TaintIntent = {
      id: 'i',
      node: 'n',
      at: '2026-06-01T10:10:00Z',
      author: 'alice',
      difference: { added: [ML], removed: [], changed: [] },
    };
    const trail = new Trail();
    trail.learn({ observations: [seen('10:00', [], 1)], intents: [intent] });
    expect(trail.told()).toEqual([]);
    trail.learn({ observations: [seen('11:00', [ML], 3)] });
    expect(trail.told()).toEqual(['intent']);
    trail.learn({ events: [patch('10:30', 'bob', [ML])] });
    expect(trail.told().sort()).toEqual(['bob +dedicated', 'intent']);
  });

  it('records the outcome of an intent again only if it changes', () => {
    const intent: TaintIntent = {
      id: 'i',
      node: 'n',
      at: '2026-06-01T10:10:00Z',
      author: 'alice',
      difference: { added: [ML], removed: [], changed: [] },
    };
    const trail = new Trail();
    trail.learn({ observations: [seen('10:00', [], 1)], intents: [intent] });
    expect(trail.learn({ observations: [seen('12:00', [], 4)] })).toMatchObject([
      { finding: { kind: 'intent', status: 'notApplied' } },
    ]);
    // It arrives late and is the first snapshot after the change.
    expect(trail.learn({ observations: [seen('11:00', [], 5)] })).toEqual([]);
    expect(trail.learn({ events: [patch('12:30', 'bob', [ML])] })).toContainEqual(
      expect.objectContaining({ finding: expect.objectContaining({ kind: 'intent', status: 'confirmed' }) }),
    );
  });
});
