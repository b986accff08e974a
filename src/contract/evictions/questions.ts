import { PODS_VIEW } from '../common/group.js';
import { READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { evictionScheduleHead, scheduledPod, scheduledPodGroup } from './eviction-schedule.js';
import { evictionScheduleInput } from './eviction-schedule-request.js';

export const scheduleEvictions = question({
  id: 'evictionSchedules.schedule',
  summary: 'Ask who is evicted by NoExecute taints, when, and why',
  description:
    'For each pod on a node with NoExecute taints: whether it is marked for deletion now, at some time, or never; which toleration ' +
    'is used for each taint, which of them decides, and from when its seconds count. The taints are those that stand, with the timers ' +
    'that run by what is stored of the past; those of a `scenario`; those that `events` bring; and those that the node lifecycle ' +
    'controller sets when nodes fail (`outages`). Nothing is stored. As CSV: every pod that is asked for as a line of a table, and nothing else.',
  method: 'POST',
  path: 'clusters/{cluster}/eviction-schedules',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: evictionScheduleInput, description: 'What is asked.', hasPage: true },
  response: list({
    name: 'EvictionSchedule',
    item: scheduledPod,
    itemsDescription:
      'The pods of nodes that have NoExecute taints: being deleted, then those that leave by when, then the others.',
    head: evictionScheduleHead.members,
    groups: {
      view: PODS_VIEW,
      item: scheduledPodGroup,
      description:
        'The pods in groups by what is to be said of them and by the cause: taints, tolerations and seconds. In the order of their first pods.',
    },
    connection: {
      name: 'ScheduledPod',
      description: 'The pods of a schedule: being deleted, then those that leave by when, then the others.',
      within: {
        name: 'EvictionSchedule',
        description: 'Who is evicted by NoExecute taints, when, and why.',
        member: 'pods',
        memberDescription: 'The pods of nodes that have NoExecute taints, page by page.',
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
      'Who is evicted by NoExecute taints as they stand, as a scenario or events bring them, or as nodes fail.',
    input: { optional: true, description: 'Which part, and what is to happen.' },
  },
});
