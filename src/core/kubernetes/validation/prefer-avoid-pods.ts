import { JsonSyntaxError } from '../../json/json-syntax-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { parseJson } from '../../json/lossless-json.js';
import { invalid, quoteGo, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/** A list of controllers whose pods the scheduler formerly avoided; still validated, but no longer used. */
export const PREFER_AVOID_PODS = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

/**
 * `ValidateAvoidPodsInNodeAnnotations`: the annotation must be JSON, and each entry must name a controller.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validatePreferAvoidPods(text: string, path: FieldPath): FieldError[] {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    return [invalid(path.child('AvoidPods'), PREFER_AVOID_PODS, syntaxError(text, error))];
  }
  const entries = fieldOf(value, 'preferAvoidPods');
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) => validateEntry(entry, path.child(PREFER_AVOID_PODS).index(index)));
}

function validateEntry(entry: JsonValue, path: FieldPath): FieldError[] {
  const signature = path.child('PodSignature');
  const podController = fieldOf(fieldOf(entry, 'podSignature'), 'podController') ?? null;
  if (podController === null) return [required(signature)];
  const controller = fieldOf(podController, 'controller') ?? null;
  if (controller === true) return [];
  const value = { text: controller === false ? 'false' : 'null' };
  return [invalid(signature.child('PodController', 'Controller'), value, 'must point to a controller')];
}

/** A member as Go's own decoder finds it: by its exact name, otherwise case-insensitively. */
function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const object: JsonObject = value;
  if (Object.hasOwn(object, name)) return object[name];
  return Object.entries(object).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

function syntaxError(text: string, error: unknown): string {
  const offset = error instanceof JsonSyntaxError ? error.offset : text.length;
  const character = text[offset];
  if (character === undefined) return 'unexpected end of JSON input';
  return `invalid character '${quoteGo(character).slice(1, -1)}' looking for beginning of value`;
}
