import { DeletePool } from '../../app/pools/delete-pool.js';
import { GetPool } from '../../app/pools/get-pool.js';
import { ListPools } from '../../app/pools/list-pools.js';
import { PlanPool } from '../../app/pools/plan-pool.js';
import { declarationErrors, PutPool } from '../../app/pools/put-pool.js';
import * as pools from '../../contract/pools/questions.js';
import { errorsInValid } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const POOL_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(pools.listPools, ListPools),
  answeredBy(pools.getPool, GetPool),
  answeredBy(pools.putPool, PutPool, {
    crossFieldErrors: errorsInValid(declarationErrors),
    status: ({ outcome, dryRun }) => (outcome === 'created' && !dryRun ? 201 : 200),
  }),
  answeredBy(pools.deletePool, DeletePool),
  answeredBy(pools.planPool, PlanPool),
];
