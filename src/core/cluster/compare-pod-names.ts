import { compare } from '../json/compare.js';
import type { PodTable } from './pod-table.js';

/** Compares pods by namespace and name: unlike that of their indexes, this order does not depend on how the state was loaded. */
export const comparePodNames = (pods: PodTable, a: number, b: number): number =>
  compare(pods.namespace(a), pods.namespace(b)) || compare(pods.name(a), pods.name(b));
