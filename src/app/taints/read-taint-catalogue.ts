import { describeTaintKey, wellKnownTaints, type WellKnownTaint } from '../../core/kubernetes/well-known-taints.js';
import { pageByPosition } from '../paging/page-by-position.js';
import type { Page, PageRequest } from '../../contract/page.js';

/** The well-known taint keys, legacy ones included: who sets them, when, with which effect. */
export class ReadTaintCatalogue {
  /** With `key`, the one entry that explains it, or none. */
  run({ key, page }: { readonly key?: string | undefined; readonly page: PageRequest }): Page<WellKnownTaint> {
    return pageByPosition(entriesFor(key), page, ['well-known-taints', key], 1);
  }
}

function entriesFor(key: string | undefined): readonly WellKnownTaint[] {
  if (key === undefined) return wellKnownTaints;
  const entry = describeTaintKey(key);
  return entry === undefined ? [] : [entry];
}
