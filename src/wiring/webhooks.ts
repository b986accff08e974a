import { ReadState } from '../app/reads/read-state.js';
import { ResolveRevision } from '../app/reads/resolve-revision.js';
import { ServiceMetrics } from '../app/service-metrics.js';
import { StoredStates } from '../app/states/stored-states.js';
import { AdmissionRecordWriter } from '../app/webhooks/admission-record-writer.js';
import { ConfigureWebhooks } from '../app/webhooks/configure-webhooks.js';
import { ListAdmissionRecords } from '../app/webhooks/list-admission-records.js';
import { ReviewAdmission } from '../app/webhooks/review-admission.js';
import { TrustedCertificates } from '../app/webhooks/trusted-certificates.js';
import { AdmissionRecordStore } from '../storage/admission-record-store.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { made } from './made.js';

export const WEBHOOKS = [
  made(AdmissionRecordWriter, AdmissionRecordStore),
  made(ReviewAdmission, ResolveRevision, StoredStates, AdmissionRecordWriter, ServiceMetrics),
  made(ListAdmissionRecords, AdmissionRecordStore, ClusterStore),
  made(ConfigureWebhooks, ReadState, TrustedCertificates),
];
