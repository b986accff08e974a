import type { FieldPath } from '../kubernetes/field-path.js';
import type { UnknownField } from '../kubernetes/schema/decoding.js';
import { podSpec } from '../kubernetes/schema/pod-spec.js';
import type { Finding, FindingSubject } from './finding.js';
import { nearestField } from './nearest-field.js';

/**
 * A finding for each field of a manifest that Kubernetes does not know and ignores, unless the client asks for strict
 * validation (`fieldValidation=Strict`). It suggests the known field of the same place with the nearest name, or else the
 * pod spec, if that has a field of this name.
 *
 * @param podSpecPath where the manifest has its pod spec
 */
export function unknownFieldFindings(
  unknown: readonly UnknownField[],
  subject: FindingSubject,
  podSpecPath: FieldPath,
): readonly Finding[] {
  return unknown.map(({ field, pointer, name, known }) => {
    const intended = nearestField(name, known.keys());
    const ofPod = intended === undefined && podSpecFields.has(name);
    const suggestion =
      intended !== undefined
        ? `Rename it to ${intended}.`
        : ofPod
          ? `Move it to ${podSpecPath.child(name).toString()}.`
          : 'Correct or remove it.';
    return {
      code: 'unknown-field',
      severity: 'warning',
      subject,
      field,
      pointer,
      message: `Kubernetes v1.36.2 has no field ${field}, and ignores it unless the request says fieldValidation=Strict.`,
      suggestions: [{ text: suggestion }],
    };
  });
}

const { shape } = podSpec;
const podSpecFields: ReadonlyMap<string, unknown> = shape.type === 'object' ? shape.fields : new Map();
