import { defined } from '../../core/collections/defined.js';
import { admissionRecord, admissionRecordFiltersRequest } from '../../contract/admission/admission-record.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';
import type { AdmissionRecordFilter, StoredAdmissionRecord } from '../../storage/admission-record-store.js';
import type { Plain } from './plain.js';

export const AdmissionRecordShape = responseClass(admissionRecord);
export type AdmissionRecordShape = Response<typeof admissionRecord>;

/** A stored record and a shape say the same. */
export const admissionRecordShape = (record: StoredAdmissionRecord): Plain<AdmissionRecordShape> => record;

export const AdmissionRecordFilters = requestClass(admissionRecordFiltersRequest);
export type AdmissionRecordFilters = Request<typeof admissionRecordFiltersRequest>;

export function admissionRecordFilter(given: Plain<AdmissionRecordFilters>): AdmissionRecordFilter {
  const { namespace, pod, pool, outcome, username, from, to } = given;
  const times = { from: from && new Date(from), to: to && new Date(to) };
  return defined({ namespace, pod, pool, outcome, username, ...times }) as AdmissionRecordFilter;
}
