import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseJson } from '../json/lossless-json.js';
import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { TaintOwnership } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { parseTaint } from '../kubernetes/taint-text.js';
import type { AttributedChange, TaintTrail } from './attributed-change.js';
import { attributeTaintChanges } from './attribution.js';
import type { AuditEvent } from './audit-event.js';
import type { NodeObservation, TaintEvidence, TaintIntent } from './evidence.js';
import { explainAttribution, explainOwners } from './explain-attribution.js';
import { ownersOf } from './field-ownership.js';
import { nodeTaintState } from './taint-difference.js';

/** A time on the day of these tests: `at(90)` is 90 seconds past ten. */
const at = (second: number): string => new Date(Date.UTC(2026, 5, 1, 10) + second * 1000).toISOString();
const taints = (...texts: string[]): Taint[] => texts.map(parseTaint);

function owner(manager: string, second: number, owns = ['spec.taints'], operation = 'Update'): TaintOwnership {
  return { manager, operation, time: at(second).replace('.000', ''), owns };
}

interface EventOptions extends Partial<AuditEvent> {
  readonly ownership?: readonly TaintOwnership[];
  readonly version?: number;
  readonly uid?: string;
}

/** A patch by a user at a second, with the taints in its response (at level RequestResponse). */
function event(
  username: string,
  second: number,
  shown?: readonly string[],
  { ownership, version, uid, ...more }: EventOptions = {},
): AuditEvent {
  const list = shown === undefined ? undefined : taints(...shown);
  return {
    auditID: `${username}-${second}`,
    level: list === undefined ? 'Metadata' : 'RequestResponse',
    stage: 'ResponseComplete',
    verb: 'patch',
    requestURI: '/api/v1/nodes/n',
    node: 'n',
    user: { username, groups: [] },
    sourceIPs: [],
    userAgent: `${username}-tool/1.0`,
    dryRun: false,
    responseCode: 200,
    requestReceivedTimestamp: at(second),
    stageTimestamp: at(second),
    truncated: false,
    requested: {
      taints: list === undefined ? 'unknown' : { value: list },
      unschedulable: list === undefined ? 'unknown' : 'untouched',
    },
    ...(list !== undefined && {
      responded: {
        taints: list,
        unschedulable: false,
        resourceVersion: String(version ?? second),
        ...(uid !== undefined && { uid }),
        ...(ownership !== undefined && { ownership }),
      },
    }),
    ...more,
  };
}

/** An event without something that the API server did not log. */
function without(whole: AuditEvent, key: 'responseCode' | 'responded'): AuditEvent {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key)) as unknown as AuditEvent;
}

function sight(second: number, shown: readonly string[] | null, more: Partial<NodeObservation> = {}): NodeObservation {
  return {
    node: 'n',
    at: at(second),
    revision: second,
    state: shown === null ? null : nodeTaintState({ taints: taints(...shown) }),
    ...(shown !== null && { resourceVersion: String(second) }),
    ...more,
  };
}

const trailOf = (evidence: Partial<TaintEvidence>): TaintTrail =>
  attributeTaintChanges({ observations: [], events: [], intents: [], ...evidence });

/** A short form of a change: `+added -removed by (basis)`. */
function say({ difference, by, basis, life }: AttributedChange): string {
  const { added = [], removed = [], changed = [], cordon } = difference ?? {};
  const parts = [
    ...added.map((taint) => `+${formatTaint(taint)}`),
    ...removed.map((taint) => `-${formatTaint(taint)}`),
    ...changed.map(({ after }) => `~${formatTaint(after)}`),
    ...(cordon === undefined ? [] : [cordon]),
  ];
  return [life, ...parts, `by ${by?.username ?? 'nobody known'} (${basis})`]
    .filter((part) => part !== undefined)
    .join(' ');
}

const said = (evidence: Partial<TaintEvidence>): string[] => trailOf(evidence).changes.map(say);

describe('attributeTaintChanges, with events that include the response', () => {
  it('attributes to each event the difference from the state before it, in the order of resourceVersions', () => {
    const events = [
      event('carol', 30, ['b:NoExecute'], { ownership: [owner('carol-tool', 30)] }),
      event('alice', 10, ['a:NoSchedule'], { ownership: [owner('alice-tool', 10)] }),
      event('bob', 20, ['b:NoExecute', 'a:NoSchedule'], { ownership: [owner('bob-tool', 20)] }),
    ];
    expect(said({ observations: [sight(1, [])], events })).toEqual([
      '+a:NoSchedule by alice (response)',
      '+b:NoExecute by bob (response)',
      '-a:NoSchedule by carol (response)',
    ]);
  });

  it('orders by resourceVersion if the clocks of two API servers disagree', () => {
    const events = [
      event('late', 10, ['a:NoSchedule', 'b:NoSchedule'], { version: 8 }),
      event('early', 11, ['a:NoSchedule'], { version: 7 }),
    ];
    expect(said({ observations: [sight(1, [])], events })).toEqual([
      '+a:NoSchedule by early (response)',
      '+b:NoSchedule by late (response)',
    ]);
  });

  it('is certain about a write that was conditional on the state before it', () => {
    const conditional = event('alice', 10, ['a:NoSchedule'], {
      requested: { taints: { value: taints('a:NoSchedule') }, unschedulable: 'untouched', resourceVersion: '5' },
    });
    const [change] = trailOf({ observations: [sight(5, [])], events: [conditional] }).changes;
    expect(change).toMatchObject({ basis: 'unbrokenWrite', certainty: 'certain' });
    expect(explainAttribution(change!).doesNotProve).toEqual([]);
    const [other] = trailOf({ observations: [sight(4, [])], events: [conditional] }).changes;
    expect(other).toMatchObject({ basis: 'response', certainty: 'likely' });
    expect(explainAttribution(other!).doesNotProve.join(' ')).toContain('not conditional');
  });

  it('does not attribute a change to a write that changed nothing, although its response is the first to show it', () => {
    const unchanged = event('bob', 20, ['a:NoSchedule'], { version: 10, ownership: [owner('alice-tool', 10)] });
    expect(said({ observations: [sight(1, [])], events: [unchanged] })).toEqual([
      '+a:NoSchedule by nobody known (fieldOwner)',
    ]);
  });

  it('does not attribute a change of taints to a write of another field', () => {
    const labels = event('bob', 20, ['a:NoSchedule'], {
      requested: { taints: 'untouched', unschedulable: 'untouched' },
    });
    expect(said({ observations: [sight(1, [])], events: [labels] })).toEqual(['+a:NoSchedule by nobody known (none)']);
  });

  it('attributes the removal of the last taint, which leaves no owner, to the write that requested it', () => {
    const emptied = event('alice', 10, [], { ownership: [] });
    expect(said({ observations: [sight(1, ['a:NoSchedule'])], events: [emptied] })).toEqual([
      '-a:NoSchedule by alice (response)',
    ]);
  });

  it('attributes the removal to an apply without the field only if its manager had applied the taints', () => {
    const observations = [sight(1, ['a:NoSchedule'], { ownership: [owner('gitops', 0, ['spec.taints'], 'Apply')] })];
    const apply = (manager: string): AuditEvent =>
      event('alice', 10, [], {
        ownership: [],
        fieldManager: manager,
        requested: { taints: 'omitted', unschedulable: 'omitted' },
      });
    expect(said({ observations, events: [apply('gitops')] })).toEqual(['-a:NoSchedule by alice (response)']);
    expect(said({ observations, events: [apply('labeller')] })).toEqual(['-a:NoSchedule by nobody known (none)']);
  });

  it('reports what admission added to the request', () => {
    const created = event('admin', 1, ['node.kubernetes.io/not-ready:NoSchedule'], {
      verb: 'create',
      requested: { taints: { value: [] }, unschedulable: { value: false } },
    });
    expect(trailOf({ events: [created] }).changes).toMatchObject([
      {
        life: 'created',
        basis: 'creation',
        certainty: 'certain',
        notRequested: [{ key: 'node.kubernetes.io/not-ready' }],
      },
    ]);
  });

  it('reports that a first write set the list, but not what it changed', () => {
    const [change] = trailOf({ events: [event('alice', 10, ['a:NoSchedule', 'b:NoSchedule'])] }).changes;
    expect(change).toMatchObject({ difference: null, set: { taints: taints('a:NoSchedule', 'b:NoSchedule') } });
    expect(explainAttribution(change!).doesNotProve.join(' ')).toContain('previous state is not known');
  });

  it('counts a request once, whatever its stages and copies', () => {
    const done = event('alice', 10, ['a:NoSchedule']);
    const started: AuditEvent = { ...event('alice', 10), stage: 'RequestReceived' };
    const received = without(started, 'responseCode');
    const trail = trailOf({ observations: [sight(1, [])], events: [done, received, done] });
    expect(trail).toMatchObject({ changes: [{ by: { username: 'alice' } }], attempts: [], writes: [] });
  });

  it('does not let a request hide behind the auditID of another, which clients can choose', () => {
    const first = event('alice', 10, ['a:NoSchedule']);
    const second = event('mallory', 20, ['a:NoSchedule', 'b:NoExecute'], { auditID: first.auditID });
    expect(said({ observations: [sight(1, [])], events: [second, first] })).toEqual([
      '+a:NoSchedule by alice (response)',
      '+b:NoExecute by mallory (response)',
    ]);
  });
});

describe('attributeTaintChanges, with events that include less', () => {
  it('uses what an accepted request set at level Request, and reports that the response is unknown', () => {
    const asked = without(event('alice', 10, ['a:NoSchedule']), 'responded');
    const [change] = trailOf({ observations: [sight(1, [])], events: [{ ...asked, level: 'Request' }] }).changes;
    expect(say(change!)).toBe('+a:NoSchedule by alice (request)');
    expect(explainAttribution(change!).doesNotProve.join(' ')).toContain('admission may have changed the node');
  });

  it('names no author for an event of level Metadata alone, which proves a write but not its content', () => {
    const trail = trailOf({ observations: [sight(1, []), sight(20, ['a:NoSchedule'])], events: [event('alice', 10)] });
    const [change] = trail.changes;
    expect(change).toMatchObject({
      basis: 'possibleWrite',
      certainty: 'possible',
      when: { kind: 'interval', from: at(1), to: at(20) },
      candidates: [{ auditID: 'alice-10', by: { username: 'alice' } }],
    });
    expect(change?.by).toBeUndefined();
    expect(explainAttribution(change!).doesNotProve.join(' ')).toContain(
      'proves that a write happened, not what it changed',
    );
    expect(trail.writes).toMatchObject([{ auditID: 'alice-10', seen: 'candidate' }]);
  });

  it('names the writer of level Metadata if its manager owns the field since the second of the request', () => {
    const observations = [sight(1, []), sight(30, ['a:NoSchedule'], { ownership: [owner('bob-tool', 20)] })];
    const trail = trailOf({ observations, events: [event('alice', 10), event('bob', 20)] });
    expect(trail.changes.map(say)).toEqual(['+a:NoSchedule by bob (ownedWrite)']);
    expect(trail.changes).toMatchObject([{ when: { kind: 'point', at: at(20) }, certainty: 'likely' }]);
    expect(trail.writes.map(({ auditID, seen }) => [auditID, seen])).toEqual([
      ['alice-10', 'candidate'],
      ['bob-20', 'attributed'],
    ]);
  });

  it('does not name a known write as the author if the owner is another client', () => {
    const observations = [sight(1, []), sight(30, ['a:NoSchedule'], { ownership: [owner('unseen', 15)] })];
    expect(said({ observations, events: [event('alice', 10)] })).toEqual([
      '+a:NoSchedule by nobody known (fieldOwner)',
    ]);
  });

  it('distinguishes a write without a change after it from one without an observation after it', () => {
    const trail = trailOf({
      observations: [sight(1, []), sight(20, [])],
      events: [event('alice', 10), event('bob', 30)],
    });
    expect(trail.changes).toEqual([]);
    expect(trail.writes.map(({ auditID, seen }) => [auditID, seen])).toEqual([
      ['alice-10', 'noChangeSeen'],
      ['bob-30', 'notSeenSince'],
    ]);
  });

  it.each([
    ['a refused request', { responseCode: 403 }, 'refused'],
    ['one that the server broke at', { responseCode: 504 }, 'failed'],
    ['a dry run', { dryRun: true }, 'dryRun'],
  ] as const)('%s is an attempt and changes nothing', (_name, more, outcome) => {
    const trail = trailOf({ observations: [sight(1, [])], events: [event('eve', 10, ['a:NoSchedule'], more)] });
    expect(trail).toMatchObject({ changes: [], attempts: [{ outcome, by: { username: 'eve' } }] });
  });

  it('reports a request without a final event as an attempt with unknown outcome and as a candidate for the next change', () => {
    const received = without(event('alice', 10), 'responseCode');
    const trail = trailOf({
      observations: [sight(1, []), sight(20, ['a:NoSchedule'])],
      events: [{ ...received, stage: 'RequestReceived' }],
    });
    expect(trail).toMatchObject({
      changes: [{ basis: 'possibleWrite', candidates: [{ auditID: 'alice-10' }] }],
      attempts: [{ outcome: 'unknown' }],
      writes: [],
    });
  });
});

describe('attributeTaintChanges, with snapshots alone', () => {
  it('names the last writer of the list but no author, within the second of the owner', () => {
    const observations = [
      sight(1, ['a:NoSchedule'], { ownership: [owner('kubectl-taint', 0)] }),
      sight(60, ['a:NoSchedule', 'b:NoExecute'], { ownership: [owner('kube-controller-manager', 30)] }),
    ];
    const [change] = trailOf({ observations }).changes;
    expect(say(change!)).toBe('+b:NoExecute by nobody known (fieldOwner)');
    expect(change).toMatchObject({
      channel: 'snapshot',
      certainty: 'unknown',
      actor: { class: 'kubeControllerManager', from: 'fieldManager' },
      when: { from: at(1), to: at(31).replace('.000', '') },
      observedBefore: { revision: 1 },
      observedAfter: { revision: 60 },
    });
    const { proves, doesNotProve } = explainAttribution(change!);
    expect(proves.join(' ')).toContain('kube-controller-manager (Update) was the last to write the field');
    expect(doesNotProve.join(' ')).toContain('the list is atomic');
  });

  it('names no last writer if several share the value, and says so', () => {
    const shared = [owner('a', 10, ['spec.taints'], 'Apply'), owner('b', 20, ['spec.taints'], 'Apply')];
    const [change] = trailOf({
      observations: [sight(1, []), sight(60, ['x:NoSchedule'], { ownership: shared })],
    }).changes;
    expect(change?.actor.class).toBe('unknown');
    expect(explainAttribution(change!).proves.join(' ')).toContain('b (Apply), a (Apply) share the field');
  });

  it('ignores an owner that wrote before the former state was observed', () => {
    const observations = [sight(50, []), sight(60, ['x:NoSchedule'], { ownership: [owner('old', 10)] })];
    expect(trailOf({ observations }).changes).toMatchObject([{ basis: 'none', actor: { class: 'unknown' } }]);
  });

  it('reports no owner for a removed list, and none for a snapshot without managedFields', () => {
    const removed = trailOf({ observations: [sight(1, ['x:NoSchedule']), sight(9, [], { ownership: [] })] })
      .changes[0]!;
    expect(explainAttribution(removed).doesNotProve.join(' ')).toContain('do not show who removed');
    const stripped = trailOf({ observations: [sight(1, []), sight(9, ['x:NoSchedule'])] }).changes[0]!;
    expect(explainAttribution(stripped).doesNotProve.join(' ')).toContain('without managedFields');
  });

  it('records no change for a first snapshot', () => {
    expect(said({ observations: [sight(1, ['x:NoSchedule'])] })).toEqual([]);
  });

  it('separates taints from the cordon, each with its own owner', () => {
    const ownership = [owner('kubectl', 10, ['spec.unschedulable']), owner('kube-controller-manager', 11)];
    const cordoned = { taints: taints('node.kubernetes.io/unschedulable:NoSchedule'), unschedulable: true };
    const { changes } = trailOf({ observations: [sight(1, []), sight(60, [], { state: cordoned, ownership })] });
    expect(changes.map(({ actor }) => actor.class)).toEqual(['kubeControllerManager', 'kubectl']);
  });
});

describe('attributeTaintChanges, when nodes come and go', () => {
  it('ends the taints of a node that an event deleted, and starts again when it is created', () => {
    const deleted = event('admin', 20, undefined, { verb: 'delete' });
    const events = [event('bob', 30, ['b:NoSchedule'], { verb: 'create' }), deleted];
    expect(said({ observations: [sight(1, ['a:NoSchedule'])], events })).toEqual([
      'deleted -a:NoSchedule by admin (deletion)',
      'created +b:NoSchedule by bob (creation)',
    ]);
  });

  it('recognizes a replaced node of the same name by its UID', () => {
    const observations = [sight(1, ['a:NoSchedule'], { uid: 'u1' }), sight(9, ['a:NoSchedule'], { uid: 'u2' })];
    expect(said({ observations })).toEqual([
      'deleted -a:NoSchedule by nobody known (none)',
      'created +a:NoSchedule by nobody known (none)',
    ]);
  });

  it('records once that a node is missing from a snapshot, and when it reappears with its taints', () => {
    const observations = [sight(1, ['a:NoSchedule']), sight(5, null), sight(6, null), sight(9, ['b:NoSchedule'])];
    const { changes } = trailOf({ observations });
    expect(changes.map(say)).toEqual([
      'deleted -a:NoSchedule by nobody known (none)',
      'created +b:NoSchedule by nobody known (none)',
    ]);
    expect(changes.map(({ when }) => when)).toEqual([
      { kind: 'interval', from: at(1), to: at(5) },
      { kind: 'interval', from: at(6), to: at(9) },
    ]);
  });

  it('does not attribute to a write the taints from an unobserved creation of the node', () => {
    const events = [
      event('admin', 20, undefined, { verb: 'delete' }),
      event('bob', 30, ['x:NoSchedule', 'y:NoSchedule']),
    ];
    expect(trailOf({ observations: [sight(1, [])], events }).changes).toMatchObject([
      { by: { username: 'bob' }, difference: null },
    ]);
  });
});

describe('attributeTaintChanges, with intents', () => {
  const intent = (id: string, second: number, ...added: string[]): TaintIntent => ({
    id,
    node: 'n',
    at: at(second),
    author: 'ann',
    difference: { added: taints(...added), removed: [], changed: [] },
  });

  it('confirms an intent by the snapshot that shows it, and attributes only the intended part of the change to it', () => {
    const observations = [sight(1, []), sight(20, ['a:NoSchedule', 'b:NoSchedule'])];
    const trail = trailOf({ observations, intents: [intent('i1', 10, 'a:NoSchedule')] });
    expect(trail.changes.map(say)).toEqual(['+a:NoSchedule by ann (intent)', '+b:NoSchedule by nobody known (none)']);
    expect(trail.changes).toMatchObject([
      { channel: 'api', intents: ['i1'] },
      { channel: 'snapshot', intents: [] },
    ]);
    expect(trail.intents).toMatchObject([{ status: 'confirmed', saidBy: { observation: { revision: 20 } } }]);
    expect(explainAttribution(trail.changes[0]!).doesNotProve).toEqual(['Who applied it to the cluster.']);
  });

  it('confirms an intent by the event that applied it, whose user is the author', () => {
    const trail = trailOf({
      observations: [sight(1, [])],
      events: [event('bob', 15, ['a:NoSchedule'])],
      intents: [intent('i1', 10, 'a:NoSchedule')],
    });
    expect(trail.changes).toMatchObject([{ by: { username: 'bob' }, intents: ['i1'] }]);
    expect(trail.intents).toMatchObject([{ status: 'confirmed', saidBy: { auditID: 'bob-15' } }]);
  });

  it('does not treat the absence of a change that was not applied as a removal', () => {
    const observations = [sight(1, []), sight(20, [])];
    const trail = trailOf({ observations, intents: [intent('i1', 10, 'a:NoSchedule')] });
    expect(trail.changes).toEqual([]);
    expect(trail.intents).toMatchObject([{ status: 'notApplied', saidBy: { observation: { revision: 20 } } }]);
  });

  it('reports an intent as overwritten if the cluster has neither the former nor the intended value', () => {
    const observations = [sight(1, []), sight(20, ['a=other:NoSchedule'])];
    expect(trailOf({ observations, intents: [intent('i1', 10, 'a=x:NoSchedule')] }).intents).toMatchObject([
      { status: 'overwritten' },
    ]);
  });

  it('confirms an intent that was applied late', () => {
    const observations = [sight(1, []), sight(20, []), sight(30, ['a:NoSchedule'])];
    const trail = trailOf({ observations, intents: [intent('i1', 10, 'a:NoSchedule')] });
    expect(trail.intents).toMatchObject([{ status: 'confirmed', saidBy: { observation: { revision: 30 } } }]);
  });

  it('keeps an intent as recorded until a snapshot follows it', () => {
    const trail = trailOf({ observations: [sight(1, [])], intents: [intent('i1', 10, 'a:NoSchedule')] });
    expect(trail.intents).toEqual([{ id: 'i1', node: 'n', status: 'recorded' }]);
  });

  it('does not confirm an intent by an earlier state', () => {
    const observations = [sight(1, []), sight(5, ['a:NoSchedule']), sight(20, [])];
    const trail = trailOf({ observations, intents: [intent('i1', 10, 'a:NoSchedule')] });
    expect(trail.intents).toMatchObject([{ status: 'notApplied' }]);
  });
});

describe('the evidence for the taint of the recorded EKS nodes', () => {
  const { items } = parseJson(readFileSync('demo/clusters/eks-nodes.json', 'utf8')) as unknown as {
    items: JsonObject[];
  };
  const nodes = items.map((item) => {
    // The list declares the kind of its items once.
    const decoded = decodeObject({ ...item, apiVersion: 'v1', kind: 'Node' });
    if (decoded.outcome !== 'object') throw new Error('not a node');
    return decoded.object as Node;
  });

  it('shows the last writer of the list and the time, but not who added the taint', () => {
    const hounds = nodes.filter(({ spec }) =>
      spec?.taints?.some((taint) => formatTaint(taint) === 'type=hound:NoSchedule'),
    );
    expect(hounds.length).toBeGreaterThan(0);
    for (const { metadata } of hounds) {
      const owners = ownersOf(metadata.taintOwnership, 'taints');
      expect(owners).toEqual([
        { manager: 'kube-controller-manager', operation: 'Update', time: '2021-12-08T01:46:54Z' },
      ]);
      const { proves, doesNotProve } = explainOwners(owners);
      expect(proves).toEqual([
        'The field manager kube-controller-manager (Update) was the last to write the field, with its current value. The entry was last written at 2021-12-08T01:46:54Z (in whole seconds).',
      ]);
      expect(doesNotProve).toEqual([
        'Who set or removed each taint: the list is atomic, and its last writer owns all of it.',
        'Which user was behind the field manager: a manager is a name that the client chose.',
      ]);
    }
  });
});

describe('attributeTaintChanges, at size', () => {
  it('takes time linear in the evidence: 20,000 writes to one node', () => {
    const events = Array.from({ length: 20_000 }, (_, index) =>
      index % 3 === 0
        ? event('m', index + 10)
        : event('u', index + 10, [`k${index % 5}:NoSchedule`], { ownership: [owner('u-tool', index + 10)] }),
    );
    const start = performance.now();
    const trail = trailOf({ observations: [sight(1, [])], events });
    expect(trail.changes.length).toBeGreaterThan(10_000);
    expect(trail.writes).toHaveLength(6_667);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
