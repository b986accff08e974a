import type { Op } from '../op.js';

/** Every op of the vectors that this project answers, by its name. */
export const ops: ReadonlyMap<string, Op> = new Map<string, Op>([]);
