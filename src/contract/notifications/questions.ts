import { list, question } from '../question.js';
import {
  deletedRule,
  DELIVERY_STATE,
  generalRuleInput,
  notificationDelivery,
  notificationRule,
  ruleInput,
  ruleTest,
} from './notification.js';

const RULES = 'clusters/{cluster}/notification-rules';
const RULE = `${RULES}/{rule}`;
const GENERAL_RULES = 'notification-rules';
const GENERAL_RULE = `${GENERAL_RULES}/{rule}`;
const NAME = { name: { in: 'rule', description: 'The rule.' } } as const;
const PARAMETERS = { cluster: 'example', rule: 'oncall' } as const;
const GENERAL_PARAMETERS = { rule: 'oncall' } as const;

const ruleList = list({
  name: 'NotificationRuleList',
  item: notificationRule,
  itemsDescription: 'The rules, by name.',
  head: {},
  connection: { name: 'NotificationRule', description: 'Rules of notifications, by name.' },
});

const PUT_DESCRIPTION =
  'The receiver is stored encrypted and never shown. It must have an `https` URL, and an address outside private networks unless the service allows it.';
const DELETE_DESCRIPTION = 'Deletes a rule, with what waits for its delivery. Idempotent.';
const TEST_DESCRIPTION =
  'Sends one event of the kind `test` to the receiver now, without the queue and without retries, and returns what it answered.';
const EXAMPLE_RULE = {
  kinds: ['taintChanged', 'evictionDue'],
  effects: ['NoSchedule', 'NoExecute'],
  format: 'cloudevents',
  url: 'https://hooks.example.com/kube-placement',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr',
} as const;

export const listRules = question({
  id: 'notificationRules.list',
  summary: 'List notification rules',
  description: 'The rules about one cluster. Rules about several clusters are in `GET /notification-rules`.',
  method: 'GET',
  path: RULES,
  permission: 'admin',
  response: ruleList,
  statuses: { 200: 'A page of rules.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'notificationRules', description: 'Of what the service tells whom.' },
});

export const getRule = question({
  id: 'notificationRules.get',
  summary: 'Read a notification rule',
  description: 'One rule about a cluster.',
  method: 'GET',
  path: RULE,
  variables: NAME,
  permission: 'admin',
  beyondRevision: true,
  response: notificationRule,
  statuses: { 200: 'The rule.' },
  errors: ['cluster-not-found', 'object-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'notificationRule', description: 'One rule of notifications.' },
});

export const putRule = question({
  id: 'notificationRules.put',
  summary: 'Put a notification rule',
  description: `Creates or replaces a rule about a cluster. It tells of what happens from then on. ${PUT_DESCRIPTION}`,
  method: 'PUT',
  path: RULE,
  variables: NAME,
  permission: 'admin',
  body: { type: ruleInput, description: 'The rule.' },
  response: notificationRule,
  statuses: { 200: 'The rule.' },
  errors: ['cluster-not-found', 'connections-not-configured', 'forbidden'],
  examples: { parameters: PARAMETERS, body: EXAMPLE_RULE },
  graphql: {
    on: 'Mutation',
    name: 'putNotificationRule',
    description: 'Creates or replaces a rule of notifications about a cluster.',
    input: { type: 'PutNotificationRuleInput', description: 'The rule.' },
  },
});

export const deleteRule = question({
  id: 'notificationRules.delete',
  summary: 'Delete a notification rule',
  description: DELETE_DESCRIPTION,
  method: 'DELETE',
  path: RULE,
  variables: NAME,
  permission: 'admin',
  response: deletedRule,
  statuses: { 200: 'There is no such rule any longer.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deleteNotificationRule',
    description: 'Deletes a rule of notifications about a cluster.',
    input: { type: 'DeleteNotificationRuleInput', description: 'The rule.' },
  },
});

export const testRule = question({
  id: 'notificationRules.test',
  summary: 'Test a notification rule',
  description: TEST_DESCRIPTION,
  method: 'POST',
  path: `${RULE}/test`,
  variables: NAME,
  permission: 'admin',
  response: ruleTest,
  statuses: { 200: 'What the receiver answered.' },
  errors: ['cluster-not-found', 'object-not-found', 'connections-not-configured'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'testNotificationRule',
    description: 'Sends one test event to the receiver of a rule about a cluster.',
    input: { type: 'TestNotificationRuleInput', description: 'The rule.' },
  },
});

export const listGeneralRules = question({
  id: 'generalNotificationRules.list',
  summary: 'List notification rules about several clusters',
  description: 'The rules that are not about one cluster.',
  method: 'GET',
  path: GENERAL_RULES,
  permission: 'admin',
  clusters: 'all',
  response: ruleList,
  statuses: { 200: 'A page of rules.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { limit: 10 } },
  graphql: {
    on: 'Query',
    name: 'generalNotificationRules',
    description: 'Rules of notifications about several clusters.',
  },
});

export const getGeneralRule = question({
  id: 'generalNotificationRules.get',
  summary: 'Read a notification rule about several clusters',
  description: 'One rule that is not about one cluster.',
  method: 'GET',
  path: GENERAL_RULE,
  variables: NAME,
  permission: 'admin',
  clusters: 'all',
  beyondRevision: true,
  response: notificationRule,
  statuses: { 200: 'The rule.' },
  errors: ['object-not-found'],
  examples: { parameters: GENERAL_PARAMETERS, response: { cluster: null, clusterSelector: 'env=prod' } },
  graphql: {
    on: 'Query',
    name: 'generalNotificationRule',
    description: 'One rule of notifications about several clusters.',
  },
});

export const putGeneralRule = question({
  id: 'generalNotificationRules.put',
  summary: 'Put a notification rule about several clusters',
  description: `Creates or replaces a rule about every cluster that \`clusterSelector\` selects, including later ones. It tells of what happens from then on. ${PUT_DESCRIPTION}`,
  method: 'PUT',
  path: GENERAL_RULE,
  variables: NAME,
  permission: 'admin',
  clusters: 'all',
  body: { type: generalRuleInput, description: 'The rule.' },
  response: notificationRule,
  statuses: { 200: 'The rule.' },
  errors: ['connections-not-configured', 'forbidden'],
  examples: {
    parameters: GENERAL_PARAMETERS,
    body: { ...EXAMPLE_RULE, clusterSelector: 'env=prod' },
    response: { cluster: null, clusterSelector: 'env=prod' },
  },
  graphql: {
    on: 'Mutation',
    name: 'putGeneralNotificationRule',
    description: 'Creates or replaces a rule of notifications about several clusters.',
    input: { type: 'PutGeneralNotificationRuleInput', description: 'The rule.' },
  },
});

export const deleteGeneralRule = question({
  id: 'generalNotificationRules.delete',
  summary: 'Delete a notification rule about several clusters',
  description: DELETE_DESCRIPTION,
  method: 'DELETE',
  path: GENERAL_RULE,
  variables: NAME,
  permission: 'admin',
  clusters: 'all',
  response: deletedRule,
  statuses: { 200: 'There is no such rule any longer.' },
  errors: [],
  examples: { parameters: GENERAL_PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deleteGeneralNotificationRule',
    description: 'Deletes a rule of notifications about several clusters.',
    input: { type: 'DeleteGeneralNotificationRuleInput', description: 'The rule.' },
  },
});

export const testGeneralRule = question({
  id: 'generalNotificationRules.test',
  summary: 'Test a notification rule about several clusters',
  description: TEST_DESCRIPTION,
  method: 'POST',
  path: `${GENERAL_RULE}/test`,
  variables: NAME,
  permission: 'admin',
  clusters: 'all',
  response: ruleTest,
  statuses: { 200: 'What the receiver answered.' },
  errors: ['object-not-found', 'connections-not-configured'],
  examples: { parameters: GENERAL_PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'testGeneralNotificationRule',
    description: 'Sends one test event to the receiver of a rule about several clusters.',
    input: { type: 'TestGeneralNotificationRuleInput', description: 'The rule.' },
  },
});

export const listDeliveries = question({
  id: 'notificationDeliveries.list',
  summary: 'List notification deliveries',
  description:
    'The notifications about a cluster, newest first: what waits, what was delivered, and what was given up. Those that are done are kept for 30 days.',
  method: 'GET',
  path: 'clusters/{cluster}/notification-deliveries',
  permission: 'admin',
  query: {
    rule: { type: 'identifier', optional: true, maximumLength: 253, description: 'Only of rules with this name.' },
    state: { type: DELIVERY_STATE, optional: true, description: 'Only in this state.' },
  },
  response: list({
    name: 'NotificationDeliveryList',
    item: notificationDelivery,
    itemsDescription: 'The deliveries, newest first.',
    head: {},
    counted: false,
    connection: { name: 'NotificationDelivery', description: 'Notifications, newest first, not counted.' },
  }),
  statuses: { 200: 'A page of deliveries.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', state: 'givenUp', limit: 10 } },
  graphql: { on: 'Cluster', name: 'notificationDeliveries', description: 'Notifications, newest first.' },
});

export const retryDelivery = question({
  id: 'notificationDeliveries.retry',
  summary: 'Retry a notification delivery',
  description:
    'A notification that was given up waits again, behind the others of its rule. One that waits after a failure is tried at once. A delivered one stays as it is.',
  method: 'POST',
  path: 'clusters/{cluster}/notification-deliveries/{id}/retry',
  variables: { id: { in: 'id', description: 'Id of the delivery.' } },
  permission: 'admin',
  response: notificationDelivery,
  statuses: { 200: 'The delivery.' },
  errors: ['cluster-not-found', 'object-not-found'],
  examples: { parameters: { cluster: 'example', id: '42' }, response: { state: 'waiting' } },
  graphql: {
    on: 'Mutation',
    name: 'retryNotificationDelivery',
    description: 'Delivers a notification that was given up.',
    input: { type: 'RetryNotificationDeliveryInput', description: 'The delivery.' },
  },
});
