import { isJsonObject, type JsonValue } from '../../json/json-value.js';
import { duplicate, invalid, notSupported, typeInvalid, type FieldError } from '../../kubernetes/field-error.js';
import type { FieldPath } from '../../kubernetes/field-path.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../kubernetes/validation/object-names.js';
import { parseLevel, type LevelVersion } from './level.js';
import { MODES, NOT_A_LEVEL, NOT_A_VERSION, type Mode, type PodSecurityPolicy } from './namespace-policy.js';
import type { PodSecurityConfiguration } from './pod-security-configuration.js';
import { parseVersion } from './policy-version.js';

export type ReadPodSecurityConfiguration =
  { readonly configuration: PodSecurityConfiguration } | { readonly errors: readonly FieldError[] };

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`);

/**
 * Reads a `PodSecurityConfiguration` as strictly as the API server does, with its defaults.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, admission/api/v1/defaults.go and admission/api/validation/validation.go.
 */
export function readPodSecurityConfiguration(given: JsonValue, at: FieldPath): ReadPodSecurityConfiguration {
  const reader = new Reader();
  const members = reader.members(given, at, ['apiVersion', 'kind', 'defaults', 'exemptions']);
  reader.oneOf(members.get('apiVersion'), at.child('apiVersion'), VERSIONS);
  reader.oneOf(members.get('kind'), at.child('kind'), ['PodSecurityConfiguration']);
  const defaults = reader.defaults(members.get('defaults') ?? {}, at.child('defaults'));
  const place = at.child('exemptions');
  const lists = reader.members(members.get('exemptions') ?? {}, place, ['usernames', 'namespaces', 'runtimeClasses']);
  const names = (member: string, faultsOf: (name: string) => readonly string[]): readonly string[] =>
    reader.names(lists.get(member) ?? [], place.child(member), faultsOf);
  const namespaces = names('namespaces', (name) => nameIsDnsLabel(name, false));
  const runtimeClasses = names('runtimeClasses', (name) => nameIsDnsSubdomain(name, false));
  const usernames = names('usernames', (name) => (name === '' ? ['username must not be empty'] : []));
  if (reader.errors.length > 0) return { errors: reader.errors };
  return { configuration: { defaults, exemptions: { usernames, namespaces, runtimeClasses } } };
}

class Reader {
  readonly errors: FieldError[] = [];

  defaults(given: JsonValue, at: FieldPath): PodSecurityPolicy {
    const known = MODES.flatMap((mode) => [mode, `${mode}-version`]);
    const members = this.members(given, at, known);
    const text = (name: string): string => this.text(members.get(name) ?? '', at.child(name));
    const of = (mode: Mode): LevelVersion => {
      const [level, version] = [text(mode) || 'privileged', text(`${mode}-version`) || 'latest'];
      const [parsedLevel, parsedVersion] = [parseLevel(level), parseVersion(version)];
      if (parsedLevel === undefined) this.errors.push(invalid(at.child(mode), level, NOT_A_LEVEL));
      if (parsedVersion === undefined) {
        this.errors.push(invalid(at.child(`${mode}-version`), version, NOT_A_VERSION));
      }
      return { level: parsedLevel ?? 'restricted', version: parsedVersion ?? 'latest' };
    };
    return { enforce: of('enforce'), warn: of('warn'), audit: of('audit') };
  }

  names(given: JsonValue, at: FieldPath, faultsOf: (name: string) => readonly string[]): readonly string[] {
    if (!Array.isArray(given)) {
      this.wrongType(at, 'array');
      return [];
    }
    const seen = new Set<string>();
    for (const [index, item] of given.entries()) {
      const place = at.index(index);
      const name = this.text(item, place);
      const faults = faultsOf(name);
      if (faults.length > 0) this.errors.push(invalid(place, name, faults.join(', ')));
      else if (seen.has(name)) this.errors.push(duplicate(place, name));
      seen.add(name);
    }
    return [...seen];
  }

  oneOf(given: JsonValue | undefined, at: FieldPath, known: readonly string[]): void {
    const text = this.text(given ?? '', at);
    if (!known.includes(text)) this.errors.push(notSupported(at, text, known));
  }

  /** The members that are given and not null; each has to be known. */
  members(given: JsonValue, at: FieldPath, known: readonly string[]): ReadonlyMap<string, JsonValue> {
    if (!isJsonObject(given)) {
      this.wrongType(at, 'object');
      return new Map();
    }
    const members = new Map(Object.entries(given).filter(([, member]) => member !== null));
    for (const name of members.keys()) {
      if (!known.includes(name)) this.errors.push(notSupported(at.key(name), name, known));
    }
    return members;
  }

  private text(given: JsonValue, at: FieldPath): string {
    if (typeof given === 'string') return given;
    this.wrongType(at, 'string');
    return '';
  }

  private wrongType(at: FieldPath, expected: string): void {
    this.errors.push(typeInvalid(at, { text: 'value' }, `must be of type ${expected}`));
  }
}
