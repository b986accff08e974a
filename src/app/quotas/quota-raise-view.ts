import type { QuotaRaise } from '../../core/quota-review/quota-room.js';

/** A number of a quota to raise, in words. */
export interface QuotaRaiseView {
  readonly quota: string;
  readonly resource: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

export function quotaRaiseView({ quota, resource, ...amounts }: QuotaRaise): QuotaRaiseView {
  const [from, to] = [amounts.from.toString(), amounts.to.toString()];
  return { quota, resource, from, to, text: `${quota} ${resource} ${from} -> ${to}` };
}
