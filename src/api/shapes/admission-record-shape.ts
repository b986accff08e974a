import { ArgsType, ObjectType } from '@nestjs/graphql';
import { defined } from '../../core/collections/defined.js';
import type { AdmissionRecordFilter, StoredAdmissionRecord } from '../../storage/admission-record-store.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Given, Shown } from './property.js';

const OUTCOME = wordsType('AdmissionRecordOutcome', 'What a webhook did to a pod.', ['added', 'refused']);

@ObjectType('AddedOperation', { description: 'An operation of a JSON Patch (RFC 6902), and why.' })
export class AddedOperationShape {
  @Shown({ type: 'string', description: 'add or replace.', example: 'add' })
  op!: string;

  @Shown({ type: 'string', description: 'A JSON pointer into the pod.', example: '/spec/tolerations' })
  path!: string;

  @Shown({ type: 'json', optional: true, description: 'What was put there.' })
  value?: unknown;

  @Shown({ type: 'string', description: 'Why.' })
  why!: string;
}

@ObjectType('AdmissionRecord', { description: 'What a webhook added to a pod, or why it refused it.' })
export class AdmissionRecordShape {
  @Shown({ type: 'int64', description: 'Its number.', example: 1 })
  id!: number;

  @Shown({ type: 'int64', description: 'Tells clusters of one name apart.', example: 1 })
  clusterId!: number;

  @Shown({ type: 'time', description: 'When.', example: '2026-05-04T03:02:01.000Z' })
  recordedAt!: Date;

  @Shown({ type: 'integer', description: 'The revision whose pools it went by.', example: 7 })
  revision!: number;

  @Shown({
    type: 'string',
    description: "Of the API server's request.",
    example: '705ab4f5-6393-11e8-b7cc-42010a800002',
  })
  uid!: string;

  @Shown({ type: OUTCOME, description: 'What was done.', example: 'added' })
  outcome!: string;

  @Shown({ type: 'string', description: 'CREATE or UPDATE.', example: 'CREATE' })
  operation!: string;

  @Shown({ type: 'string', description: 'The namespace of the pod.', example: 'ml' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name; empty while the API server had none for it.', example: 'trainer' })
  pod!: string;

  @Shown({ type: 'string', description: 'What its name is to begin with.', example: '' })
  generateName!: string;

  @Shown({ type: 'string', description: 'The service account that it runs as.', example: 'default' })
  serviceAccount!: string;

  @Shown({ type: 'string', description: 'Who asked for it.', example: 'alice' })
  username!: string;

  @Shown({ type: 'string', list: true, description: 'The pools that gave, or refused.', example: ['ml'] })
  pools!: readonly string[];

  @Shown({ type: () => AddedOperationShape, list: true, description: 'What was added.' })
  patch!: readonly Plain<AddedOperationShape>[];

  @Shown({ type: 'string', description: 'Why it was refused; empty otherwise.', example: '' })
  message!: string;
}

/** A stored record and a shape say the same. */
export const admissionRecordShape = (record: StoredAdmissionRecord): Plain<AdmissionRecordShape> => record;

/** What admission records are picked by. */
@ArgsType()
export class AdmissionRecordFilters {
  @Given({ type: 'string', optional: true, description: 'Only of pods of this namespace.', example: 'ml' })
  namespace?: string;

  @Given({ type: 'string', optional: true, description: 'Only of pods of this name.', example: 'trainer' })
  pod?: string;

  @Given({ type: 'string', optional: true, description: 'Only what this pool did.', example: 'ml' })
  pool?: string;

  @Given({ type: OUTCOME, optional: true, description: 'Only additions, or only refusals.' })
  outcome?: string;

  @Given({ type: 'string', optional: true, description: 'Only what this user asked for.', example: 'alice' })
  username?: string;

  @Given({ type: 'time', optional: true, description: 'Only from this moment on.' })
  from?: string | Date;

  @Given({ type: 'time', optional: true, description: 'Only before this moment.' })
  to?: string | Date;
}

export function admissionRecordFilter(given: Plain<AdmissionRecordFilters>): AdmissionRecordFilter {
  const { namespace, pod, pool, outcome, username, from, to } = given;
  const times = { from: from && new Date(from), to: to && new Date(to) };
  return defined({ namespace, pod, pool, outcome, username, ...times }) as AdmissionRecordFilter;
}
