import { ReadState } from '../app/reads/read-state.js';
import { ExplainPodResources } from '../app/resources/explain-pod-resources.js';
import { ListAllocations } from '../app/resources/list-allocations.js';
import { ReadNodeAllocation } from '../app/resources/read-node-allocation.js';
import { ReadOverheadCosts } from '../app/resources/read-overhead-costs.js';
import { WriteStateMetrics } from '../app/resources/write-state-metrics.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { made } from './made.js';

export const RESOURCES = [
  made(ExplainPodResources, ReadState),
  made(ReadNodeAllocation, ReadState),
  made(ListAllocations, ReadState, DerivedStateCache),
  made(ReadOverheadCosts, ReadState, DerivedStateCache),
  made(WriteStateMetrics, ReadState),
];
