import { InputType, ObjectType } from '@nestjs/graphql';
import type { CaptureTimesResult } from '../../app/snapshots/correct-capture-times.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';

@InputType({ isAbstract: true })
export class CaptureTimeCorrectionBody {
  @Given({
    type: 'string',
    maximumLength: 1024,
    description: 'Why, for those who read the revisions later.',
    example: 'the clock of the host was ahead',
  })
  reason!: string;
}

@ObjectType('CorrectedRevision', { description: 'A revision whose capture time was corrected.' })
export class CorrectedRevisionShape {
  @Shown({ type: 'integer', description: 'Its number.', example: 7 })
  revision!: number;

  @Shown({ type: 'time', description: 'Its capture time before.', example: '2027-06-08T03:02:01.000Z' })
  capturedAt!: Date;
}

@ObjectType('CaptureTimeCorrection', { description: 'Capture times in the future that were set to now.' })
export class CaptureTimeCorrectionShape {
  @Shown({ type: 'string', description: 'The cluster.', example: 'example' })
  cluster!: string;

  @Shown({
    type: 'integer',
    description: 'The head: a new revision that restates the former one, captured now.',
    example: 8,
  })
  head!: number;

  @Shown({ type: 'integer', description: 'How many revisions were corrected.', example: 1 })
  count!: number;

  @Shown({ type: () => CorrectedRevisionShape, list: true, description: 'The oldest hundred of them.' })
  first!: readonly Plain<CorrectedRevisionShape>[];
}

export function captureTimeCorrectionShape(result: CaptureTimesResult): Plain<CaptureTimeCorrectionShape> {
  return result;
}
