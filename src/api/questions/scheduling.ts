import { ExplainPreemption } from '../../app/preemption/explain-preemption.js';
import * as scheduling from '../../contract/scheduling/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { subjectFaults } from '../shapes/pod-subject.js';

/** What the scheduler does with many pods, or for one that fits nowhere. */
export const SCHEDULING: readonly AnyAnswered[] = [
  answeredBy(scheduling.explainPreemption, ExplainPreemption, { crossFieldErrors: subjectFaults }),
];
