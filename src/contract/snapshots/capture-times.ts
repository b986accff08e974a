import { object } from '../schema.js';

export const captureTimeCorrectionInput = object(
  'CaptureTimeCorrectionInput',
  '',
  {
    reason: {
      type: 'identifier',
      maximumLength: 1024,
      description: 'Reason, for later readers of the revisions.',
      example: 'the clock of the host was ahead',
    },
  },
  { openApiName: 'CaptureTimeCorrection' },
);

export const correctedRevision = object('CorrectedRevision', 'A revision whose capture time was corrected.', {
  revision: { type: 'integer', description: 'Revision number.', example: 7 },
  capturedAt: { type: 'time', description: 'Capture time before the correction.', example: '2027-06-08T03:02:01.000Z' },
});

export const captureTimeCorrection = object(
  'CaptureTimeCorrection',
  'Capture times in the future that were set to the current time.',
  {
    cluster: { type: 'identifier', description: 'Cluster name.', example: 'example' },
    head: {
      type: 'integer',
      description: 'The new head: a revision that repeats the previous head, captured now.',
      example: 8,
    },
    count: { type: 'integer', description: 'Number of corrected revisions.', example: 1 },
    first: { type: correctedRevision, list: true, description: 'The 100 oldest revisions.' },
  },
);
