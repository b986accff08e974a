import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import {
  admissionQuestionInput,
  tryAdmissionRequest,
  triedAdmission,
} from '../../contract/admission/tried-admission.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';
import type { AdmissionQuestion, TriedAdmission } from '../../app/admission/try-admission.js';
import type { Plain } from './plain.js';

export const AdmissionQuestionBody = requestClass(admissionQuestionInput);
export type AdmissionQuestionBody = Request<typeof admissionQuestionInput>;

@InputType({ isAbstract: true })
export class TryAdmissionBody extends requestClass(tryAdmissionRequest) {}

export function admissionQuestion(body: AdmissionQuestionBody): AdmissionQuestion {
  const { pod, workload, podRef, workloadRef, operation = 'create', stored, storedRef } = body;
  return { operation, ...defined({ pod, workload, podRef, workloadRef, stored, storedRef }) };
}

export const TriedAdmissionShape = responseClass(triedAdmission);
export type TriedAdmissionShape = Response<typeof triedAdmission>;

export const triedAdmissionShape = (tried: TriedAdmission): Plain<TriedAdmissionShape> => tried;
