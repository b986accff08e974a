import { DeclareAdmissionConfiguration } from '../../app/admission/declare-admission-configuration.js';
import { ReadAdmissionConfiguration } from '../../app/admission/read-admission-configuration.js';
import { checkQuestion, TryAdmission } from '../../app/admission/try-admission.js';
import { ConfigureWebhooks } from '../../app/webhooks/configure-webhooks.js';
import { ListAdmissionRecords } from '../../app/webhooks/list-admission-records.js';
import * as admission from '../../contract/admission/questions.js';
import { errorsOfCheck } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** How a cluster's API server admits pods, and what the admission webhooks did. */
export const ADMISSION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(admission.readAdmissionConfiguration, ReadAdmissionConfiguration),
  answeredBy(admission.declareAdmissionConfiguration, DeclareAdmissionConfiguration),
  answeredBy(admission.resetAdmissionConfiguration, DeclareAdmissionConfiguration, {
    ask: (declare, request, context) => declare.reset(request, context),
  }),
  answeredBy(admission.tryAdmission, TryAdmission, { crossFieldErrors: errorsOfCheck(checkQuestion) }),
  answeredBy(admission.configureWebhooks, ConfigureWebhooks),
  answeredBy(admission.listAdmissionRecords, ListAdmissionRecords),
];
