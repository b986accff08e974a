import type { FieldPath } from '../kubernetes/field-path.js';
import { invalid, required, type FieldError } from '../kubernetes/field-error.js';
import { always, INT32, INT64, omitEmpty, STRING, struct } from '../kubernetes/go-types.js';
import type { Int64 } from '../kubernetes/objects/meta.js';

/** A resource that is scored, and how much it weighs. */
export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

/** The same as a configuration writes it. */
export interface ResourceSpec {
  readonly name?: string;
  readonly weight?: Int64;
}

/** A corner of a broken line, as a configuration writes it. */
export interface ShapePoint {
  readonly utilization?: number;
  readonly score?: number;
}

export const RESOURCE_SPEC = struct('v1.ResourceSpec', { name: always(STRING), weight: omitEmpty(INT64) });
export const SHAPE_POINT = struct('v1.UtilizationShapePoint', { utilization: always(INT32), score: always(INT32) });

const CPU_AND_MEMORY: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** The resources that are given, cpu and memory where none are; a weight of 0 is one that was not given. */
export function defaultResources(resources: readonly ResourceSpec[] | undefined): readonly ResourceSpec[] {
  if (resources === undefined || resources.length === 0) return CPU_AND_MEMORY;
  return resources.map(({ weight = 0, ...resource }) => ({ ...resource, weight: weight == 0 ? 1 : weight }));
}

export const readResources = (resources: readonly ResourceSpec[] = []): readonly WeightedResource[] =>
  resources.map(({ name = '', weight = 0 }) => ({ name, weight: Number(weight) }));

/** A number as a fault shows it. */
export const shown = (value: number | bigint): { readonly text: string } => ({ text: String(value) });

/** `validateFunctionShape`: of points out of order only the first is named. */
export function validateShape(shape: readonly ShapePoint[], path: FieldPath): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')];
  const errors: FieldError[] = [];
  const at = (index: number, name: string): FieldPath => path.index(index).child(name);
  const unsorted = shape.findIndex(
    ({ utilization = 0 }, index) => index > 0 && (shape[index - 1]?.utilization ?? 0) >= utilization,
  );
  if (unsorted > 0) {
    const { utilization = 0 } = shape[unsorted] ?? {};
    errors.push(invalid(at(unsorted, 'utilization'), shown(utilization), 'values must be sorted in increasing order'));
  }
  shape.forEach(({ utilization = 0, score = 0 }, index) => {
    if (utilization < 0 || utilization > 100) {
      errors.push(invalid(at(index, 'utilization'), shown(utilization), 'not in valid range [0, 100]'));
    }
    if (score < 0 || score > 10) errors.push(invalid(at(index, 'score'), shown(score), 'not in valid range [0, 10]'));
  });
  return errors;
}
