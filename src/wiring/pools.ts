import { DeletePool } from '../app/pools/delete-pool.js';
import { GetPool } from '../app/pools/get-pool.js';
import { ListPools } from '../app/pools/list-pools.js';
import { PlanPool } from '../app/pools/plan-pool.js';
import { PutPool } from '../app/pools/put-pool.js';
import { ReadState } from '../app/reads/read-state.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { PlanNodes } from '../app/taint-changes/plan-nodes.js';
import { made } from './made.js';

export const POOLS = [
  made(ListPools, ReadState),
  made(GetPool, ReadState),
  made(PutPool, ChangeSetting),
  made(DeletePool, ChangeSetting),
  made(PlanPool, ReadState, PlanNodes),
];
