import { wellKnownTaint } from '../../contract/taints/well-known-taint.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { WellKnownTaint } from '../../core/kubernetes/well-known-taints.js';
import type { Plain } from './plain.js';

export const WellKnownTaintShape = responseClass(wellKnownTaint);
export type WellKnownTaintShape = Response<typeof wellKnownTaint>;

export function wellKnownTaintShape(entry: WellKnownTaint): Plain<WellKnownTaintShape> {
  const { value = null, since = null, until = null, replacedBy = null, notes = null } = entry;
  return { ...entry, value, since, until, replacedBy, notes };
}
