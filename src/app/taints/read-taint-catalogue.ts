import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { readTaintCatalogue } from '../../contract/taints/questions.js';
import type { wellKnownTaint } from '../../contract/taints/well-known-taint.js';
import { describeTaintKey, wellKnownTaints, type WellKnownTaint } from '../../core/kubernetes/well-known-taints.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { RequestOf } from '../request-of.js';

/** Lists the well-known taint keys, including legacy ones: who sets them, when, and with which effect. */
export class ReadTaintCatalogue {
  /** With `key`, returns only the entry of that key, or none. */
  run({ key, page }: RequestOf<typeof readTaintCatalogue>): AnswerTo<typeof readTaintCatalogue> {
    return { page: mapPage(pageByPosition(entriesFor(key), page, ['well-known-taints', key], 1), entryResponse) };
  }
}

function entriesFor(key: string | undefined): readonly WellKnownTaint[] {
  if (key === undefined) return wellKnownTaints;
  const entry = describeTaintKey(key);
  return entry === undefined ? [] : [entry];
}

function entryResponse(entry: WellKnownTaint): Response<typeof wellKnownTaint> {
  const { value = null, keptBy = null, since = null, until = null, replacedBy = null, notes = null } = entry;
  return { ...entry, value, keptBy, since, until, replacedBy, notes };
}
