import { agreementCase } from '../agreement/agreement.js';
import { evictionDue, taintChangeRecorded } from '../clusters/cluster-event.js';
import { expectationTurn } from '../expectations/expectation.js';
import { object } from '../schema.js';
import { taintFight } from '../taint-trail/taint-fight.js';

const quotaNews = object('QuotaNews', 'A resource of a ResourceQuota.', {
  namespace: { type: 'identifier', description: 'Namespace of the quota.' },
  name: { type: 'identifier', description: 'Name of the quota.' },
  resource: { type: 'identifier', description: 'The resource.' },
  standing: { type: 'identifier', description: '`atRisk`, `full` or `over`.' },
  used: { type: 'identifier', optional: true, description: 'What is used; null if unknown.' },
  hard: { type: 'identifier', description: 'The limit.' },
  percent: {
    type: 'number',
    optional: true,
    description: 'How much of it is used; null if unknown or if the limit is zero.',
  },
});

const snapshotNews = object('SnapshotNews', 'The stored state of a cluster.', {
  revision: { type: 'integer', description: 'The head.' },
  capturedAt: { type: 'time', description: 'When it was captured.' },
  currentAt: { type: 'time', description: 'Up to when it is known to be current.' },
  staleAfter: { type: 'identifier', description: 'Age from which it is stale.' },
});

const connectionNews = object('ConnectionNews', 'The connection to a cluster, or the agent in it.', {
  via: { type: 'identifier', description: '`connection` or `agent`.' },
  lastSignAt: { type: 'time', description: 'The last sign of life.' },
  message: { type: 'string', optional: true, description: 'What went wrong; null if unknown.' },
  retrying: { type: 'identifier', list: true, description: 'Kinds that cannot be read just now.' },
});

const approvalNews = object('ApprovalNews', 'A step of a taint change that needs approval.', {
  change: { type: 'identifier', description: 'The change.' },
  step: { type: 'identifier', description: 'What happened: `asked`, `askedAgain`, `approved`, `rejected`, `expired`.' },
  by: { type: 'identifier', description: 'By whom.' },
  reason: { type: 'string', optional: true, description: 'The reason.' },
  approveBy: { type: 'identifier', optional: true, description: 'Until when it can be approved.' },
  link: { type: 'string', optional: true, description: 'Link to more information.' },
  onBehalfOf: { type: 'string', optional: true, description: 'For whom, as stated by the caller.' },
  at: { type: 'identifier', description: 'When (RFC 3339).' },
});

const applicationNews = object('ApplicationNews', 'The application of a taint change to the cluster.', {
  change: { type: 'identifier', description: 'The change.' },
  event: { type: 'identifier', description: 'How it ended: `finished`, `stopped`, `cancelled`.' },
  by: { type: 'identifier', optional: true, description: 'By whom; null for the service.' },
  nodes: { type: 'json', optional: true, description: 'Number of nodes by state.' },
  message: { type: 'string', optional: true, description: 'Why it ended; null if there is nothing to say.' },
  at: { type: 'identifier', description: 'When (RFC 3339).' },
});

/** The member of the data of events that has the object, by the kind of the notification, and what it is. */
export const EVENT_DATA = {
  taintChanged: ['taintChangeRecorded', taintChangeRecorded],
  taintFight: ['taintFight', taintFight],
  evictionDue: ['evictionDue', evictionDue],
  quotaAtRisk: ['quota', quotaNews],
  expectationTurned: ['expectationTurned', expectationTurn],
  snapshotStale: ['snapshot', snapshotNews],
  connectionLost: ['connection', connectionNews],
  approvalNeeded: ['approval', approvalNews],
  applicationFinished: ['application', applicationNews],
  disagreement: ['disagreement', agreementCase],
} as const;
