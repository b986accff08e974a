import { SUCCESS, type NodeFilter } from './plugin.js';

/** Puts a filter's answers into a column of zeros. @returns whether any is not success */
export function fillStatuses({ status, fill: fillAll }: NodeFilter, statuses: Uint8Array): boolean {
  if (fillAll !== undefined) return fillAll(statuses);
  let any = false;
  for (let node = 0; node < statuses.length; node++) {
    const code = status(node);
    if (code === SUCCESS) continue;
    statuses[node] = code;
    any = true;
  }
  return any;
}
