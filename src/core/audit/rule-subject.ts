import type { DeviceTaintRule } from '../kubernetes/objects/dra.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { type NodeTaintState, saysTheSame, type TaintDifference } from './taint-difference.js';

/** The devices that a DeviceTaintRule taints: `spec.deviceSelector`. */
export type TaintedDevices = NonNullable<NonNullable<DeviceTaintRule['spec']>['deviceSelector']>;

/** A taint as the trail records it: one of a node, or that of a DeviceTaintRule. */
export interface RecordedTaint extends Taint {
  /** Absent for the taint of a node, and for that of a rule without a selector. */
  readonly devices?: TaintedDevices;
}

/**
 * Records about a DeviceTaintRule have its path where others have the name of a node, which contains no slash. So a rule shares
 * evidence, attribution and chain with the nodes, and versions of this program that know only nodes still read and verify a trail.
 */
const PREFIX = 'devicetaintrules/';

/** The subject of records about a rule. */
export const ruleSubject = (rule: string): string => `${PREFIX}${rule}`;

/** The name of the rule that a record is about; undefined if it is about a node. */
export const ruleOf = (subject: string): string | undefined =>
  subject.startsWith(PREFIX) ? subject.slice(PREFIX.length) : undefined;

/** What a record is about: a node, a rule, or neither. */
export interface RecordSubject {
  readonly node: string | null;
  readonly deviceTaintRule: string | null;
}

/** @param subject the name of a node, or a `ruleSubject` */
export function subjectOf(subject: string | null): RecordSubject {
  const deviceTaintRule = subject === null ? null : (ruleOf(subject) ?? null);
  return { node: deviceTaintRule === null ? subject : null, deviceTaintRule };
}

/** The state of a rule: a node that has only this taint. */
export function ruleTaintState(spec: DeviceTaintRule['spec']): NodeTaintState {
  if (spec === undefined) return { taints: [], unschedulable: false };
  const { taint, deviceSelector } = spec;
  return {
    taints: [{ ...taint, ...(deviceSelector !== undefined && { devices: deviceSelector }) }],
    unschedulable: false,
  };
}

/** The taint of a rule before and after a recorded change of it; undefined where there is no rule. */
export const ruleTaintsOf = ({
  added,
  removed,
  changed,
}: TaintDifference): { readonly before: RecordedTaint | undefined; readonly after: RecordedTaint | undefined } => ({
  before: removed[0] ?? changed[0]?.before,
  after: added[0] ?? changed[0]?.after,
});

/** Whether the taints of two rules are the same, whenever they were added; undefined for no rule. */
export const isSameRule = (a: RecordedTaint | undefined, b: RecordedTaint | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.key === b.key && a.effect === b.effect && saysTheSame(a, b);

/** In kubectl's notation; the taint of a rule with its devices. */
export function formatRecordedTaint(taint: RecordedTaint): string {
  const { devices } = taint;
  return devices === undefined ? formatTaint(taint) : `${formatTaint(taint)} (${formatDevices(devices)})`;
}

/** The devices of a rule in words: `driver gpu.example.com, pool node-1`. */
function formatDevices(devices: TaintedDevices): string {
  const { driver, pool, device, deviceClassName, selectors = [] } = devices;
  const said = Object.entries({ driver, pool, device, class: deviceClassName })
    .filter(([, name]) => name !== undefined)
    .map(([word, name]) => `${word} ${name}`);
  const cel =
    selectors.length === 0 ? [] : [`${selectors.length} CEL ${selectors.length === 1 ? 'selector' : 'selectors'}`];
  return [...said, ...cel].join(', ') || 'every device';
}
