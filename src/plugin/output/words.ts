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

/** A time as the service has it, without fractions of a second. */
export const timeText = (time: Date | string | null): string | null =>
  time === null ? null : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
