import { ListDisruptionBudgets } from '../app/disruptions/list-disruption-budgets.js';
import { PlanDrain } from '../app/disruptions/plan-drain.js';
import { RankEvictions } from '../app/disruptions/rank-evictions.js';
import { ReadDisruptionKinds } from '../app/disruptions/read-disruption-kinds.js';
import { ReadState } from '../app/reads/read-state.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { made } from './made.js';

export const DISRUPTIONS = [
  made(PlanDrain, ReadState, DerivedStateCache),
  made(ListDisruptionBudgets, ReadState, DerivedStateCache),
  made(RankEvictions, ReadState),
  made(ReadDisruptionKinds),
];
