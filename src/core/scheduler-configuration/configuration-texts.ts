import { isJsonObject, type JsonValue } from '../json/json-value.js';

/**
 * The documents in a ConfigMap, each a string under its key, from which schedulers are configured (`policy.cfg`,
 * `koord-scheduler-config`); undefined for any other object.
 */
export function configurationTexts(
  document: JsonValue,
): readonly { readonly key: string; readonly text: string }[] | undefined {
  if (!isJsonObject(document)) return undefined;
  const { apiVersion, kind, data } = document;
  if (apiVersion !== 'v1' || kind !== 'ConfigMap') return undefined;
  if (!isJsonObject(data)) return [];
  return Object.entries(data).flatMap(([key, text]) => (typeof text === 'string' ? [{ key, text }] : []));
}
