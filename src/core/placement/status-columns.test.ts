import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FEASIBLE, INFEASIBLE, NOT_KNOWN } from './placement.js';
import { SUCCESS, UNKNOWN } from './plugin.js';
import { StatusColumns } from './status-columns.js';

describe('StatusColumns', () => {
  const tables = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 5 })).chain(([rows, columns]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: rows, maxLength: rows }), {
      minLength: columns,
      maxLength: columns,
    }),
  );

  it('lets a refusal outweigh what is unknown, and that a success, and counts the verdicts', () => {
    fc.assert(
      fc.property(tables, (table) => {
        const rows = table[0]?.length ?? 3;
        const columns = new StatusColumns(table.length + 1, rows);
        for (const statuses of table) columns.next().set(statuses);

        const { verdicts, counts } = columns.merge();

        const expected = Array.from({ length: rows }, (_, node) => {
          const statuses = table.map((column) => column[node]!);
          if (statuses.some((status) => status !== SUCCESS && status !== UNKNOWN)) return INFEASIBLE;
          return statuses.includes(UNKNOWN) ? NOT_KNOWN : FEASIBLE;
        });
        expect([...verdicts]).toEqual(expected);
        const having = (verdict: number): number => expected.filter((one) => one === verdict).length;
        expect(counts).toEqual({
          feasible: having(FEASIBLE),
          infeasible: having(INFEASIBLE),
          unknown: having(NOT_KNOWN),
        });
      }),
    );
  });
});
