import { ExplainPreemption } from '../app/preemption/explain-preemption.js';
import { ReadState } from '../app/reads/read-state.js';
import { made } from './made.js';

export const PREEMPTION = [made(ExplainPreemption, ReadState)];
