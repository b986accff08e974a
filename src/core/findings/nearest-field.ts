import { nearest } from '../collections/edit-distance.js';

/**
 * The known field that an unknown one is likely a misspelling of: one that differs only in case, or by one or two typing
 * errors; undefined without such a field. Short names can differ by a letter or two without being misspelled.
 */
export function nearestField(name: string, known: Iterable<string>): string | undefined {
  const fields = [...known];
  const lower = name.toLowerCase();
  const inOtherCase = fields.find((field) => field.toLowerCase() === lower);
  const limit = name.length < 4 ? 0 : name.length < 8 ? 1 : 2;
  return inOtherCase ?? nearest(name, fields, limit);
}
