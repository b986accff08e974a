import type { FindingOccurrences } from './finding.js';

const EXAMPLES = 3;

/** Counts the objects that a finding covers, and keeps the names of the first few. */
export class OccurrenceCounter {
  private count = 0;
  private readonly examples: string[] = [];

  constructor(private readonly kind: 'Pod' | 'Node') {}

  add(name: string): void {
    this.count++;
    if (this.examples.length < EXAMPLES) this.examples.push(name);
  }

  static sum(counters: readonly OccurrenceCounter[]): FindingOccurrences {
    return {
      kind: counters[0]?.kind ?? 'Pod',
      count: counters.reduce((sum, counter) => sum + counter.count, 0),
      examples: counters.flatMap(({ examples }) => examples).slice(0, EXAMPLES),
    };
  }

  get result(): FindingOccurrences {
    return { kind: this.kind, count: this.count, examples: this.examples };
  }
}
