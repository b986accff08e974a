import { disruptionBudget } from '../../contract/disruptions/disruption-budget.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const DisruptionBudgetShape = responseClass(disruptionBudget);
export type DisruptionBudgetShape = Response<typeof disruptionBudget>;
