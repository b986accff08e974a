import type { expectationCheck, expectationTurn } from '../../contract/expectations/expectation.js';
import type { Response } from '../../contract/schema.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Expectation, Finding } from '../../core/expectations/expectation.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { StoredTurn } from '../../storage/expectation-store.js';

/** The verdicts on expectations, in their order. */
export function checkResponse(
  expectations: readonly Expectation[],
  findings: readonly Finding[],
): Omit<Response<typeof expectationCheck>, 'basis'> {
  const results = expectations.map(({ name, description, kind }, index) => {
    const { count, ...found } = findings[index]!;
    return { name, description: description ?? null, kind, ...found, count: count ?? null };
  });
  const counts = { holds: 0, broken: 0, unknown: 0 };
  for (const { verdict } of results) counts[verdict]++;
  const verdict = counts.broken > 0 ? 'broken' : counts.unknown > 0 ? 'unknown' : 'holds';
  return { verdict, ...counts, results };
}

export const turnResponse = (turn: StoredTurn): Response<typeof expectationTurn> => ({
  ...turn,
  capturedAt: turn.capturedAt.toISOString(),
});

/** The expectations that a state stores, as a file. */
export function storedFile(state: ClusterState): { readonly stored: boolean; readonly file: JsonObject | null } {
  const setting = state.setting('Expectations', THE_ONE);
  const file = setting === undefined ? null : fileOf(setting.content);
  return { stored: file !== null, file };
}

export const fileOf = (content: JsonObject): JsonObject => ({
  apiVersion: 'kube-placement/v1',
  kind: 'Expectations',
  ...content,
});
