import { TRAIL_EXAMPLE } from '../shapes/trail-shape.js';
import type { Plain } from '../shapes/plain.js';
import type { TrailRecordShape } from '../shapes/trail-record-shape.js';

const HASH = TRAIL_EXAMPLE.hash!;
const TAINT = {
  key: 'dedicated',
  value: 'ml',
  effect: 'NoSchedule',
  timeAdded: null,
  text: 'dedicated=ml:NoSchedule',
  wellKnown: null,
};
const DIFFERENCE = { added: [TAINT], removed: [], changed: [], cordon: null };
const ALICE = {
  username: 'alice',
  kind: null,
  uid: null,
  groups: ['sre'],
  impersonatedBy: null,
  sourceIPs: ['10.0.0.7'],
  userAgent: 'kubectl/v1.36.2',
};
const ACTOR = { class: 'person', from: 'user', program: 'kubectl' };
const WHEN = { kind: 'point', from: '2026-05-04T03:01:01Z', to: '2026-05-04T03:01:01Z' } as const;

export const RECORD: Plain<TrailRecordShape> = {
  cluster: 'example',
  clusterId: 1,
  sequence: 3,
  kind: 'change',
  summary: 'added dedicated=ml:NoSchedule',
  node: 'node-1',
  when: WHEN,
  recordedAt: '2026-05-04T03:02:01.000Z',
  revision: null,
  channel: 'auditEvent',
  by: ALICE,
  onBehalfOf: null,
  actor: ACTOR,
  basis: 'unbrokenWrite',
  certainty: 'certain',
  status: null,
  reason: null,
  link: null,
  change: null,
  difference: DIFFERENCE,
  labels: null,
  body: { kind: 'change', auditIDs: ['6f2d9f0e-1f0a-4a6c-8f0f-6a5b4c3d2e1f'], intents: [] },
  supersedes: [2],
  supersededBy: null,
  previousHash: HASH,
  hash: HASH,
};

const SAID = {
  proves: ['The API server authenticated this user, and the response shows the node after the write.'],
  doesNotProve: [],
};

export const DETAILS = { ...RECORD, ...SAID, effects: null, canonical: '{"...":"..."}' };

export const HISTORY = {
  trail: TRAIL_EXAMPLE,
  node: 'node-1',
  at: null,
  intents: 'include',
  taints: [
    {
      taint: TAINT,
      from: WHEN,
      setBy: {
        sequence: 3,
        kind: 'change',
        when: WHEN,
        recordedAt: '2026-05-04T03:02:01.000Z',
        revision: null,
        channel: 'auditEvent',
        by: ALICE,
        onBehalfOf: null,
        actor: ACTOR,
        basis: 'unbrokenWrite',
        certainty: 'certain',
        reason: null,
        link: null,
        change: null,
        confirmed: true,
        carriedOutBy: null,
        lastWriters: [],
        ...SAID,
      },
      to: null,
      removedBy: null,
      confirmed: true,
      stood: null,
    },
  ],
  cordons: [],
  unapplied: [],
  total: 1,
  complete: true,
};

export const FIGHTS = {
  trail: TRAIL_EXAMPLE,
  fights: [
    {
      node: 'node-1',
      key: 'dedicated',
      effect: 'NoSchedule',
      writers: [
        { name: 'alice', known: 'user', changes: 2 },
        { name: 'system:serviceaccount:pools:keeper', known: 'user', changes: 2 },
      ],
      turns: 3,
      first: '2026-05-04T03:02:01Z',
      last: '2026-05-04T03:32:01Z',
      records: [4, 5, 6, 7],
      proven: true,
    },
  ],
  total: 1,
};

export const HEAD = {
  cluster: 'example',
  clusterId: 1,
  sequence: 3,
  hash: HASH,
  at: '2026-05-04T03:12:01.000Z',
  signature: null,
  publicKey: null,
};

export const VERIFICATION = {
  trail: TRAIL_EXAMPLE,
  holds: true,
  verified: 3,
  head: { sequence: 3, hash: HASH },
  fault: null,
  checkpoint: null,
};
