import { TABLES_OF_CLUSTERS } from './distribution.js';

/** The clusters that a statement asks about: those with these ids, or all; undefined if it does not say so. */
export type AskedClusters = readonly number[] | 'all' | undefined;

const TABLES = new RegExp(`\\b(?:${Object.keys(TABLES_OF_CLUSTERS).join('|')})\\b`);

/** A condition on the id of a cluster, which every statement about one has. */
const CONDITION = /\b(?:cluster_id|id)"?\s*(?:=\s*(?:any\s*\(\s*)?|in\s*\(\s*)((?:\$\d+(?:::\w+)?(?:\s*,\s*)?)+)/gi;

interface Conditions {
  /** The numbers of the parameters with ids. */
  readonly parameters: readonly number[];
  readonly isRead: boolean;
}

/** Texts are many, but not without end. */
const MOST_TEXTS = 2_000;

/** By text, of those that name a table of clusters. Each commit that notifies has another text, which would take the place of one of them. */
const conditions = new Map<string, Conditions>();

/** Reads them from the text of a statement and its values. */
export function askedClusters(text: string, values: readonly unknown[]): AskedClusters {
  let known = conditions.get(text);
  if (known === undefined) {
    known = conditionsOf(text);
    if (known === undefined) return undefined;
    if (conditions.size < MOST_TEXTS) conditions.set(text, known);
  }
  // Other tables have ids, too, which are no numbers.
  const ids = known.parameters
    .flatMap((parameter): unknown => values[parameter - 1])
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
  if (ids.length > 0) return ids;
  return known.isRead ? 'all' : undefined;
}

/** @returns undefined for a text that names no table of clusters */
function conditionsOf(text: string): Conditions | undefined {
  // In a literal, a table is named to ask where it is.
  if (!TABLES.test(text.replace(/'[^']*'/g, "''"))) return undefined;
  const parameters = [...text.matchAll(CONDITION)].flatMap(([, list]) =>
    [...list!.matchAll(/\$(\d+)/g)].map(([, parameter]) => Number(parameter)),
  );
  return { parameters: [...new Set(parameters)], isRead: /^\s*(?:select|with)\b/i.test(text) };
}
