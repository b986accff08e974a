import { AcrossClusters } from '../app/across-clusters.js';
import { ReadDigest } from '../app/reads/read-digest.js';
import { ReadState } from '../app/reads/read-state.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { ListTaintSets } from '../app/taints/list-taint-sets.js';
import { ReadTaintCatalogue } from '../app/taints/read-taint-catalogue.js';
import { TakeTaintInventories } from '../app/taints/take-taint-inventories.js';
import { TakeTaintInventory } from '../app/taints/take-taint-inventory.js';
import { made } from './made.js';

export const TAINTS = [
  made(TakeTaintInventories, AcrossClusters, TakeTaintInventory),
  made(ListTaintSets, ReadState),
  made(TakeTaintInventory, ReadDigest, DerivedStateCache),
  made(ReadTaintCatalogue),
];
