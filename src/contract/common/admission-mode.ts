import { enumType } from '../schema.js';

export const ADMISSION_MODE = enumType('AdmissionMode', 'Whether a manifest goes through admission first.', [
  'run',
  'skip',
]);

/** A member of every question that takes a manifest. */
export const ADMISSION = {
  type: ADMISSION_MODE,
  optional: true,
  defaultsTo: 'run',
  sharedAs: 'AdmissionChoice',
  description:
    'Whether a manifest or workload template goes through admission first, which refuses the pod or adds to it (see `added`). `skip` uses it as sent.',
} as const;
