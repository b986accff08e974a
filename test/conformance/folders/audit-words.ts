import type { AttributedChange } from '../../../src/core/audit/attributed-change.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';

/** The parts of a recorded event that show who did what, read independently of the tested code. */
export interface RawEvent {
  readonly auditID: string;
  readonly stage?: string;
  readonly level?: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly stageTimestamp: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly apiGroup?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly requestObject?: { readonly kind?: string; readonly metadata?: { readonly name?: string } } | null;
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: {
    readonly kind?: string;
    readonly metadata?: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string };
    readonly details?: { readonly uid?: string };
    readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  };
}

export const isDryRun = ({ requestURI }: RawEvent): boolean => /[?&]dryRun=/.test(requestURI);
export const codeOf = ({ responseStatus }: RawEvent): number => responseStatus?.code ?? 0;
export const whoOf = ({ user, impersonatedUser }: RawEvent): string | undefined =>
  impersonatedUser?.username ?? user?.username;

export const CORDONED = 'unschedulable';

export function sayTaint({ key, value = '', effect, timeAdded }: Taint): string {
  return `${key}=${value}:${effect}${timeAdded === undefined ? '' : `@${timeAdded}`}`;
}

export function sayState(taints: readonly Taint[] | null, unschedulable: boolean | null): Set<string> {
  return new Set([...(taints ?? []).map(sayTaint), ...(unschedulable === true ? [CORDONED] : [])]);
}

export function changesBetween(before: ReadonlySet<string>, after: ReadonlySet<string>): Set<string> {
  return new Set([
    ...[...after].filter((one) => !before.has(one)).map((one) => `+${one}`),
    ...[...before].filter((one) => !after.has(one)).map((one) => `-${one}`),
  ]);
}

export function sayDifference({ difference }: AttributedChange): Set<string> {
  if (difference === null) return new Set();
  const { added, removed, changed, cordon } = difference;
  return new Set([
    ...[...added, ...changed.map(({ after }) => after)].map((taint) => `+${sayTaint(taint)}`),
    ...[...removed, ...changed.map(({ before }) => before)].map((taint) => `-${sayTaint(taint)}`),
    ...(cordon === undefined ? [] : [`${cordon === 'cordoned' ? '+' : '-'}${CORDONED}`]),
  ]);
}

export const say = (set: ReadonlySet<string>): string => (set.size === 0 ? 'nothing' : [...set].sort().join(' '));

export const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one));

/** Every item, in an order that is always the same and has nothing to do with the given one. */
export function shuffled<T>(items: readonly T[]): T[] {
  let state = 12345;
  return items
    .map((item) => {
      state = (state * 48271) % 2147483647;
      return { item, place: state };
    })
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
