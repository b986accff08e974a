import { counted } from '../core/collections/counted.js';
import { junitXml, type JUnitCase } from '../app/reports/junit.js';

/** A result as the service sends it. */
export interface CheckedExpectation {
  readonly name: string;
  readonly kind: string;
  readonly verdict: 'holds' | 'broken' | 'unknown';
  readonly reason: string;
  readonly details: readonly string[];
  readonly nodes: readonly string[];
  readonly pods: readonly string[];
  readonly workloads: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
}

export interface CheckedFile {
  readonly cluster: string;
  /** Null for a dump that is not stored. */
  readonly revision: number | null;
  readonly capturedAt: string | null;
  readonly results: readonly CheckedExpectation[];
}

const LABELS = { holds: 'holds', broken: 'BROKEN', unknown: 'unknown' } as const;

/** A table of the verdicts, with the facts behind those that do not hold. */
export function renderCheck({ cluster, revision, capturedAt, results }: CheckedFile): string {
  const where = revision === null ? cluster : `${cluster}, revision ${revision}, captured at ${capturedAt ?? ''}`;
  const lines = [where, ''];
  for (const result of results) {
    lines.push(`${LABELS[result.verdict].padEnd(8)} ${result.name}`, `         ${result.reason}`);
    if (result.verdict !== 'holds') lines.push(...factsOf(result).map((fact) => `           ${fact}`));
  }
  const count = (verdict: CheckedExpectation['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  lines.push(
    '',
    `${counted(results.length, 'expectation')}: ${count('holds')} ${count('holds') === 1 ? 'holds' : 'hold'}, ${count('broken')} broken, ${count('unknown')} unknown`,
  );
  return `${lines.join('\n')}\n`;
}

function factsOf({ details, nodes, pods, workloads }: CheckedExpectation): readonly string[] {
  const listed = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
  return [
    ...details,
    ...listed('nodes', nodes),
    ...listed('pods', pods),
    ...listed(
      'workloads',
      workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
    ),
  ];
}

/** The verdicts as JUnit XML: a broken expectation is a failure, an unknown one an error. */
export function junitOf({ cluster, revision, capturedAt, results }: CheckedFile): string {
  const cases = results.map((result): JUnitCase => {
    const { name, kind, verdict, reason } = result;
    const problem = { type: verdict, message: reason, text: factsOf(result).join('\n') };
    return {
      classname: `expectations.${kind}`,
      name,
      ...(verdict === 'broken' && { failure: problem }),
      ...(verdict === 'unknown' && { error: problem }),
    };
  });
  return junitXml([
    {
      name: `expectations of ${cluster}`,
      cases,
      ...(capturedAt !== null && { timestamp: capturedAt }),
      ...(revision !== null && { properties: { revision: String(revision) } }),
    },
  ]);
}

/** 1 if any is broken, otherwise 2 if any is unknown, otherwise 0. */
export function exitCodeOf(results: readonly CheckedExpectation[]): 0 | 1 | 2 {
  if (results.some(({ verdict }) => verdict === 'broken')) return 1;
  return results.some(({ verdict }) => verdict === 'unknown') ? 2 : 0;
}
