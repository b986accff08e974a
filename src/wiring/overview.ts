import { ListFindings } from '../app/findings/list-findings.js';
import { KeepFigures } from '../app/overview/keep-figures.js';
import { ReadFleet } from '../app/overview/read-fleet.js';
import { ReadNodeMatrix } from '../app/overview/read-node-matrix.js';
import { ReadOverview } from '../app/overview/read-overview.js';
import { ReadState } from '../app/reads/read-state.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { TakeTaintInventory } from '../app/taints/take-taint-inventory.js';
import { FleetStore } from '../storage/fleet-store.js';
import { made } from './made.js';

export const OVERVIEW = [
  made(ReadOverview, ReadState, DerivedStateCache),
  made(ReadNodeMatrix, ReadState, DerivedStateCache),
  made(KeepFigures, FleetStore, ReadState, DerivedStateCache, ListFindings, TakeTaintInventory),
  made(ReadFleet, FleetStore, KeepFigures),
];
