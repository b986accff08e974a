import { ReadFleet } from '../../app/overview/read-fleet.js';
import { ReadNodeMatrix } from '../../app/overview/read-node-matrix.js';
import { ReadOverview } from '../../app/overview/read-overview.js';
import { readFleet, readNodeMatrix, readOverview } from '../../contract/overview/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const OVERVIEW_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(readOverview, ReadOverview),
  answeredBy(readNodeMatrix, ReadNodeMatrix),
  answeredBy(readFleet, ReadFleet),
];
