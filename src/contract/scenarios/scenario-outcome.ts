import { answerBasis } from '../common/basis.js';
import { knownMoment, scheduleCounts } from '../evictions/eviction-schedule.js';
import { FINDING_CODE, findingCounts, SEVERITY } from '../findings/finding.js';
import { overviewNodes, overviewPods, overviewResource } from '../overview/overview.js';
import { overheadShare } from '../resources/allocation.js';
import { object } from '../schema.js';
import { scenarioInput } from './scenario-request.js';

export const scenarioOutcomeRequest = object(
  'ScenarioOutcome',
  '',
  { scenario: { type: scenarioInput, description: 'The changes.' } },
  { restOnly: true },
);

const scenarioQuotas = object('ScenarioQuotas', 'ResourceQuotas by usage, as the quota controller would count it.', {
  total: { type: 'integer', description: 'All quotas.', example: 3 },
  over: { type: 'integer', description: 'Quotas with usage above a limit.', example: 0 },
  full: { type: 'integer', description: 'Other quotas with usage equal to a limit.', example: 1 },
});

const scenarioEvictions = object('ScenarioEvictions', 'Pods on nodes with NoExecute taints.', {
  ...scheduleCounts.members,
  first: { type: knownMoment, optional: true, description: 'When the first pod is evicted; null if none is.' },
});

export const scenarioSide = object('ScenarioSide', 'A state in sums.', {
  nodes: { type: overviewNodes, description: 'Nodes by state.' },
  pods: { type: overviewPods, description: 'Pods by phase.' },
  resources: { type: overviewResource, list: true, description: 'Allocatable and requested amounts, by resource.' },
  evictions: { type: scenarioEvictions, description: 'Evictions by NoExecute taints.' },
  quotas: { type: scenarioQuotas, description: 'ResourceQuotas by usage.' },
  overhead: { type: overheadShare, description: 'Cost of pod overhead.' },
  findings: { type: findingCounts, description: 'Number of findings of each severity.' },
});

export const scenarioFindings = object('ScenarioFindings', 'The number of findings with one code.', {
  code: { type: FINDING_CODE, description: 'Stable code.', example: 'pod-on-intolerable-node' },
  severity: { type: SEVERITY, description: 'How serious they are.', example: 'warning' },
  before: { type: 'integer', description: 'Number of findings without the changes.', example: 0 },
  after: { type: 'integer', description: 'Number of findings with the changes.', example: 2 },
});

export const scenarioOutcome = object('ScenarioOutcome', 'A state without and with hypothetical changes.', {
  basis: {
    type: answerBasis,
    description:
      'The revision and settings that this response is based on. Use its `revision` in further questions about the same scenario.',
  },
  asOf: { type: 'time', description: 'When the changes happen.', example: '2026-05-04T12:00:00.000Z' },
  before: { type: scenarioSide, description: 'The state without the changes.' },
  after: { type: scenarioSide, description: 'The state with the changes.' },
  findings: {
    type: scenarioFindings,
    list: true,
    description: 'Codes with another number of findings, errors first.',
  },
});
