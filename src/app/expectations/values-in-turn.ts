import type { Expectation } from '../../core/expectations/expectation.js';
import type { StoredTurn } from '../../storage/expectation-store.js';

/** What a text may quote of a taint, as kubectl writes it: `dedicated=ml:NoSchedule`. */
const QUOTED = /([A-Za-z0-9][\w./-]*)=([A-Za-z0-9][\w.-]*)/g;

/** The values that the texts of a turn may quote of taints, with their keys: some readers may not see them. */
export function valuesInTurn({ name, reason }: Pick<StoredTurn, 'name' | 'reason'>): readonly {
  readonly key: string;
  readonly value: string;
}[] {
  return [...`${name}\n${reason}`.matchAll(QUOTED)].map(([, key = '', value = '']) => ({ key, value }));
}

/** Where the values of taints and tolerations are in expectations. */
export const valuesInExpectations = (expectations: readonly Expectation[]): readonly object[] =>
  expectations.map(({ spec, compiled }) => ({ spec, taints: compiled.taints ?? [] }));
