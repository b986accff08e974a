import type { FieldPath } from '../kubernetes/field-path.js';
import type { UnknownField } from '../kubernetes/schema/decoding.js';
import { newerVersionOf, type ManifestServer } from '../kubernetes/cluster-version.js';
import { podSpec } from '../kubernetes/schema/pod-spec.js';
import { isKnownIn } from '../kubernetes/schema/schema.js';
import type { Finding, FindingSubject } from './finding.js';
import { nearestField } from './nearest-field.js';

/**
 * A finding for each field of a manifest that Kubernetes does not know and ignores, unless the client asks for strict
 * validation (`fieldValidation=Strict`); a version newer than the known ones may know it. It suggests the known field of the same place with the nearest name, or else the
 * pod spec, if that has a field of this name.
 *
 * @param podSpecPath where the manifest has its pod spec
 */
export function unknownFieldFindings(
  unknown: readonly UnknownField[],
  {
    subject,
    podSpecPath,
    server,
  }: { readonly subject: FindingSubject; readonly podSpecPath: FieldPath; readonly server: ManifestServer },
): readonly Finding[] {
  const { minor, release } = server.rules;
  const newer = newerVersionOf(server);
  const consequence =
    newer === undefined
      ? 'and ignores it unless the request says fieldValidation=Strict'
      : `and whether ${newer} has it is not known`;
  return unknown.map(({ field, pointer, name, known, since }) => {
    const intended = since === undefined ? nearestField(name, known) : undefined;
    const ofPod = intended === undefined && isPodSpecField(name, minor);
    const suggestion =
      since !== undefined
        ? `Remove it for this version; Kubernetes has it since 1.${since}.`
        : intended !== undefined
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
      message: `Kubernetes ${release} has no field ${field}, ${consequence}.`,
      suggestions: [{ text: suggestion }],
    };
  });
}

const { shape } = podSpec;

function isPodSpecField(name: string, minor: number): boolean {
  const field = shape.type === 'object' ? shape.fields.get(name) : undefined;
  return field !== undefined && isKnownIn(minor, field.schema);
}
