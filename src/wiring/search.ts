import { ReadState } from '../app/reads/read-state.js';
import { SearchClusters } from '../app/search/search-clusters.js';
import { ClusterStates } from '../app/states/cluster-states.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { made } from './made.js';

export const SEARCH = [made(SearchClusters, ClusterStore, ReadState, DerivedStateCache, ClusterStates)];
