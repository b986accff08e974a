import { ApplyRetention } from '../../app/snapshots/apply-retention.js';
import { CorrectCaptureTimes } from '../../app/snapshots/correct-capture-times.js';
import { DiffRevisions } from '../../app/snapshots/diff-revisions.js';
import { GetRevision } from '../../app/snapshots/get-revision.js';
import { ListRevisions } from '../../app/snapshots/list-revisions.js';
import * as snapshots from '../../contract/snapshots/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** The revisions of a cluster: list, compare, remove and correct them. */
export const SNAPSHOT_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(snapshots.listSnapshots, ListRevisions),
  answeredBy(snapshots.getSnapshot, GetRevision),
  answeredBy(snapshots.diffRevisions, DiffRevisions),
  answeredBy(snapshots.applyRetention, ApplyRetention),
  answeredBy(snapshots.correctCaptureTimes, CorrectCaptureTimes),
];
