import { FirstFew } from '../collections/first-few.js';
import { compare } from '../json/compare.js';
import type { FindingOccurrences } from './finding.js';

const EXAMPLES = 3;

/** Counts the objects that a finding covers, and keeps the first few of their names, in whatever order they are added. */
export class OccurrenceCounter {
  private readonly names = new FirstFew<string>(EXAMPLES, compare);

  constructor(private readonly kind: 'Pod' | 'Node') {}

  add(name: string): void {
    this.names.add(name);
  }

  static sum(counters: readonly OccurrenceCounter[]): FindingOccurrences {
    const results = counters.map(({ result }) => result);
    return {
      kind: results[0]?.kind ?? 'Pod',
      count: results.reduce((sum, { count }) => sum + count, 0),
      examples: results
        .flatMap(({ examples }) => examples)
        .sort(compare)
        .slice(0, EXAMPLES),
    };
  }

  get result(): FindingOccurrences {
    const { total, items } = this.names.listed((name) => name);
    return { kind: this.kind, count: total, examples: items };
  }
}
