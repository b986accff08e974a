import { enumType } from '../schema.js';

export const ADMISSION_MODE = enumType('AdmissionMode', "Whether a manifest passes the cluster's admission first.", [
  'run',
  'skip',
]);

/** Of every question that brings a manifest. */
export const ADMISSION = {
  type: ADMISSION_MODE,
  optional: true,
  defaultsTo: 'run',
  sharedAs: 'AdmissionChoice',
  description:
    "Whether a manifest, or a workload's template, passes the admission of the cluster first, which adds to the pod what is listed as added, or refuses it. `skip` takes it as it was sent.",
} as const;
