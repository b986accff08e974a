/**
 * Stands before an object that is copied with further members, where that is done for each request or node:
 * `{ ...NOTHING, ...reason, first }`.
 *
 * Without it, V8 before version 12 (Node.js 20) gives each such copy hidden classes of its own, one for each further member: that takes
 * 3 us a member in place of 0.1, slows down all code that reads the copy, and leaves garbage that only a collection of the whole heap frees.
 * Later versions take the same time with and without it. Members that the copied object has already, and spreads that come later, cost nothing.
 */
export const NOTHING = {};
