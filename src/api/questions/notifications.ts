import { NotificationDeliveries } from '../../app/notifications/notification-deliveries.js';
import { NotificationRules } from '../../app/notifications/notification-rules.js';
import { nameErrors, ruleErrors } from '../../app/notifications/given-rule.js';
import * as notifications from '../../contract/notifications/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { errorsInValid } from './check-errors.js';

export const NOTIFICATION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(notifications.listRules, NotificationRules, { ask: (rules, request) => rules.list(request) }),
  answeredBy(notifications.getRule, NotificationRules, { ask: (rules, request) => rules.get(request) }),
  answeredBy(notifications.putRule, NotificationRules, {
    ask: (rules, request, context) => rules.put(request, context),
    crossFieldErrors: errorsInValid(ruleErrors),
    pathErrors: ({ rule = '' }) => nameErrors(rule),
  }),
  answeredBy(notifications.deleteRule, NotificationRules, { ask: (rules, request) => rules.delete(request) }),
  answeredBy(notifications.testRule, NotificationRules, {
    ask: (rules, request, context) => rules.test(request, context),
  }),
  answeredBy(notifications.listGeneralRules, NotificationRules, { ask: (rules, request) => rules.list(request) }),
  answeredBy(notifications.getGeneralRule, NotificationRules, { ask: (rules, request) => rules.get(request) }),
  answeredBy(notifications.putGeneralRule, NotificationRules, {
    ask: (rules, request, context) => rules.put(request, context),
    crossFieldErrors: errorsInValid(ruleErrors),
    pathErrors: ({ rule = '' }) => nameErrors(rule),
  }),
  answeredBy(notifications.deleteGeneralRule, NotificationRules, { ask: (rules, request) => rules.delete(request) }),
  answeredBy(notifications.testGeneralRule, NotificationRules, {
    ask: (rules, request, context) => rules.test(request, context),
  }),
  answeredBy(notifications.listDeliveries, NotificationDeliveries, {
    ask: (deliveries, request) => deliveries.list(request),
  }),
  answeredBy(notifications.retryDelivery, NotificationDeliveries, {
    ask: (deliveries, request, context) => deliveries.retry(request, context),
  }),
];
