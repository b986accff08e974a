import type { agreementCase } from '../../contract/agreement/agreement.js';
import type { Response } from '../../contract/schema.js';
import type { StoredCase } from '../../storage/agreement-store.js';

export function caseResponse({ words, difference, ...stored }: StoredCase): Response<typeof agreementCase> {
  return { ...stored, text: words, difference: difference === null ? null : differenceResponse(difference) };
}

function differenceResponse(
  difference: NonNullable<StoredCase['difference']>,
): NonNullable<Response<typeof agreementCase>['difference']> {
  const { node, best, refusals, total, bestTotal, scores, ours, theirs, differsAt, predicted, happened } = difference;
  return {
    node: node ?? null,
    best: best ?? [],
    refusals: refusals ?? [],
    total: total ?? null,
    bestTotal: bestTotal ?? null,
    scores: scores ?? [],
    ours: ours ?? null,
    theirs: theirs ?? null,
    differsAt: differsAt ?? null,
    predictedFrom: timeOf(predicted?.from),
    predictedTo: timeOf(predicted?.to),
    happened: timeOf(happened),
  };
}

const timeOf = (at: number | null | undefined): Date | null => (at === undefined || at === null ? null : new Date(at));

/** How texts quote a taint: `dedicated=ml:NoSchedule`; and how Kubernetes before v1.34 did: `{dedicated: ml}`. */
const QUOTED = /([A-Za-z0-9][\w./-]*)(?:=|: )([A-Za-z0-9][\w.-]*)/g;

/** The values that the texts of a case may quote of taints, with their keys: some readers may not see them. */
export function valuesInCase(stored: Pick<StoredCase, 'words' | 'difference'>): readonly {
  readonly key: string;
  readonly value: string;
}[] {
  const { ours = '', theirs = '', refusals = [] } = stored.difference ?? {};
  const text = [stored.words, ours, theirs, ...refusals.map(({ message }) => message)].join('\n');
  return [...text.matchAll(QUOTED)]
    .filter(([, , value = '']) => value.length > 1)
    .map(([, key = '', value = '']) => ({ key, value }));
}
