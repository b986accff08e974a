import { PODS_VIEW } from '../common/group.js';
import { READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { evictionScheduleHead, scheduledPod, scheduledPodGroup } from './eviction-schedule.js';
import { evictionScheduleInput } from './eviction-schedule-request.js';

export const scheduleEvictions = question({
  id: 'evictionSchedules.schedule',
  summary: 'Compute evictions by NoExecute taints',
  description:
    'Returns for each pod on a node with NoExecute taints whether it is evicted now, later or never; which ' +
    'toleration applies to each taint, which taint decides, and from when its seconds count. The taints are the ' +
    'current ones, with running timers derived from the stored history; those of a `scenario`; those set by ' +
    '`events`; and those that the node lifecycle controller sets when nodes fail (`outages`). Nothing is stored. ' +
    'As CSV: only the selected pods, one per row.',
  method: 'POST',
  path: 'clusters/{cluster}/eviction-schedules',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: {
    type: evictionScheduleInput,
    description: 'What to return, and what happens.',
    hasPage: true,
  },
  response: list({
    name: 'EvictionSchedule',
    item: scheduledPod,
    itemsDescription:
      'Pods on nodes with NoExecute taints: those being deleted, then those that are evicted by time, then the ' +
      'others.',
    head: evictionScheduleHead.members,
    groups: {
      view: PODS_VIEW,
      item: scheduledPodGroup,
      description:
        'Pods grouped by action and cause (taints, tolerations and seconds), ordered by the first pod of each group.',
    },
    connection: {
      name: 'ScheduledPod',
      description: 'Pods of a schedule: those being deleted, then those that are evicted by time, then the others.',
      within: {
        name: 'EvictionSchedule',
        description: 'Which pods NoExecute taints evict, when, and why.',
        member: 'pods',
        memberDescription: 'Pods on nodes with NoExecute taints.',
      },
    },
  }),
  statuses: { 200: 'The schedule.' },
  errors: [...READ_ERRORS, 'invalid-continue-token', 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      nodes: ['node-1'],
      asOf: '2126-05-04T12:00:00Z',
      scenario: { changes: [{ editNodes: { nodes: ['node-1'], taints: ['maintenance=true:NoExecute'] } }] },
    },
  },
  graphql: {
    on: 'Query',
    alsoOnCluster: true,
    name: 'evictionSchedule',
    description:
      'Which pods are evicted by current NoExecute taints, by those of a scenario or of events, or when nodes fail.',
    input: { optional: true, description: 'What to return, and what happens.' },
  },
});
