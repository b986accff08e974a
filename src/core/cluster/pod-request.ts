import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { podResourceVector, type PodResourceVector } from '../resources/request-vector.js';
import { addInt64, int64 } from './resource-table.js';

/** The amounts that a pod uses on its node, as the scheduler counts them, and as entries of a resource table. */
export interface PodRequest {
  readonly vector: PodResourceVector;
  readonly entries: readonly (readonly [resource: string, amount: Int64])[];
  /** The same amounts for scores: `PodResourceVector.nonZero`. */
  readonly nonZeroEntries: readonly (readonly [resource: string, amount: Int64])[];
}

const NOTHING: PodResourceVector = {
  milliCPU: 0n,
  memory: 0n,
  ephemeralStorage: 0n,
  scalars: new Map(),
  nonZero: { milliCPU: 0n, memory: 0n },
};

/**
 * The amounts that a stored pod uses on its node. A stored pod with an invalid quantity (the API server would have refused it;
 * it is a finding) counts as empty.
 */
export const podRequestOf = (pod: Pick<Pod, 'spec' | 'status'>, rules: KubernetesRules): PodRequest =>
  requestOfVector(vectorOr(pod, rules, NOTHING));

/** The same, from a vector that is already computed. */
export function requestOfVector(vector: PodResourceVector): PodRequest {
  const entries: (readonly [string, Int64])[] = [
    ['cpu', int64(vector.milliCPU)],
    ['memory', int64(vector.memory)],
    ['ephemeral-storage', int64(vector.ephemeralStorage)],
    ...[...vector.scalars].map(([name, amount]) => [name, int64(amount)] as const),
    ['pods', 1],
  ];
  const nonZeroEntries = [
    ['cpu', int64(vector.nonZero.milliCPU)],
    ['memory', int64(vector.nonZero.memory)],
  ] as const;
  return { vector, entries: entries.filter(([, amount]) => amount !== 0), nonZeroEntries };
}

/** Equal for equal amounts. */
export function textOfRequest({ entries, vector }: PodRequest): string {
  const { milliCPU, memory } = vector.nonZero;
  return `${entries.map(([name, amount]) => `${name}=${amount}`).join(',')};${milliCPU},${memory}`;
}

/** A vector as JSON, and the vector of that. */
export const vectorText = ({ milliCPU, memory, ephemeralStorage, scalars, nonZero }: PodResourceVector): string =>
  JSON.stringify(
    [milliCPU, memory, ephemeralStorage, nonZero.milliCPU, nonZero.memory, ...[...scalars].flat()].map(String),
  );

export function vectorOfText(text: string): PodResourceVector {
  const [milliCPU, memory, ephemeralStorage, milliCPUForScores, memoryForScores, ...rest] = JSON.parse(
    text,
  ) as string[];
  const scalars = new Map<string, bigint>();
  for (let at = 0; at < rest.length; at += 2) scalars.set(rest[at]!, BigInt(rest[at + 1]!));
  return {
    milliCPU: BigInt(milliCPU!),
    memory: BigInt(memory!),
    ephemeralStorage: BigInt(ephemeralStorage!),
    scalars,
    nonZero: { milliCPU: BigInt(milliCPUForScores!), memory: BigInt(memoryForScores!) },
  };
}

/** Adds one pod's entries to a row of sums. */
export function addRequest(row: Map<string, Int64>, entries: PodRequest['entries']): void {
  for (const [resource, amount] of entries) {
    const before = row.get(resource);
    row.set(resource, before === undefined ? amount : addInt64(before, amount));
  }
}

function vectorOr(
  pod: Pick<Pod, 'spec' | 'status'>,
  rules: KubernetesRules,
  otherwise: PodResourceVector,
): PodResourceVector {
  try {
    return podResourceVector(pod, rules);
  } catch (error) {
    if (error instanceof QuantityError) return otherwise;
    throw error;
  }
}
