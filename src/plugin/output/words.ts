import type { Style } from './style.js';

interface NamedWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `Deployment shop/web`. */
export const workloadText = ({ kind, namespace, name }: NamedWorkload): string => `${kind} ${namespace}/${name}`;

/** The workloads of a group of pods, with the number of pods of each. */
export const podsOf = ({
  workloads,
}: {
  readonly workloads: readonly { readonly workload: NamedWorkload; readonly count: number }[];
}): string =>
  workloads.map(({ workload, count }) => `${workloadText(workload)}${count > 1 ? ` (${count})` : ''}`).join(', ');

/** What an answer assumes: its sentences, or how to see them. */
export const assumptionLines = (assumptions: readonly string[], { isWide }: Style): readonly string[] =>
  isWide || assumptions.length < 2
    ? assumptions.map((text) => `Note: ${text}`)
    : [`Note: this makes ${assumptions.length} assumptions; -o wide lists them`];

/** A time as the service has it, without fractions of a second. */
export const timeText = (time: Date | string | null): string | null =>
  time === null ? null : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
