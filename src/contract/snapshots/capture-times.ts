import { object } from '../schema.js';

export const captureTimeCorrectionInput = object(
  'CaptureTimeCorrectionInput',
  '',
  {
    reason: {
      type: 'string',
      maximumLength: 1024,
      description: 'Why, for those who read the revisions later.',
      example: 'the clock of the host was ahead',
    },
  },
  { openApiName: 'CaptureTimeCorrection' },
);

export const correctedRevision = object('CorrectedRevision', 'A revision whose capture time was corrected.', {
  revision: { type: 'integer', description: 'Its number.', example: 7 },
  capturedAt: { type: 'time', description: 'Its capture time before.', example: '2027-06-08T03:02:01.000Z' },
});

export const captureTimeCorrection = object(
  'CaptureTimeCorrection',
  'Capture times in the future that were set to now.',
  {
    cluster: { type: 'string', description: 'The cluster.', example: 'example' },
    head: {
      type: 'integer',
      description: 'The head: a new revision that restates the former one, captured now.',
      example: 8,
    },
    count: { type: 'integer', description: 'How many revisions were corrected.', example: 1 },
    first: { type: correctedRevision, list: true, description: 'The oldest hundred of them.' },
  },
);
