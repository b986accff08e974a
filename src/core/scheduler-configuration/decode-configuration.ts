import { defined } from '../collections/defined.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { stringifyJson } from '../json/lossless-json.js';
import { decodeGo, type DecodingFault, type GoDecoded, type GoStruct } from '../kubernetes/go-decoding.js';
import { isArgumentsOwner } from '../placement/plugin-arguments.js';
import { KINDS_OF_V1, TYPE_META } from './configuration-schema.js';
import type { KubeSchedulerConfiguration } from './configuration-types.js';

export const CONFIGURATION_GROUP = 'kubescheduler.config.k8s.io';
export const CONFIGURATION_VERSION = `${CONFIGURATION_GROUP}/v1`;

/** A fault that prevents decoding, with its JSON pointer ('' for the document itself). */
export interface ConfigurationFault {
  readonly message: string;
  readonly pointer: string;
}

/**
 * The result of decoding. `error` is kube-scheduler's only message; `faults` are all faults with their pointers. If all
 * faults are unknown fields, the result also has the configuration without them.
 */
export interface DecodedConfiguration {
  readonly configuration?: KubeSchedulerConfiguration;
  readonly error?: string;
  readonly faults: readonly ConfigurationFault[];
}

/**
 * Decodes a KubeSchedulerConfiguration strictly, with the arguments of the plugins that Kubernetes has; those of other
 * plugins are unchanged. Errors are upstream's messages without the name of its scheme.
 *
 * Source: k8s.io/kubernetes v1.36.2, cmd/kube-scheduler/app/options/configfile.go, `loadConfig`; k8s.io/kube-scheduler
 * v0.36.2, config/v1/types.go, `DecodeNestedObjects`; k8s.io/apimachinery v0.36.2, pkg/runtime/serializer.
 */
export function decodeConfiguration(document: JsonValue): DecodedConfiguration {
  const decoded = decodeKind(document, { group: '', version: '', kind: '' });
  if ('refused' in decoded) return refusal(decoded.refused, '');
  const nested = decoded.of.kind === 'KubeSchedulerConfiguration' ? decodeNested(decoded.value) : NOTHING_NESTED;
  const fatal = firstOf(decoded.faults) ?? nested.fatal;
  const strict = [...decoded.faults.filter(({ kind }) => kind === 'strict'), ...nested.strict];
  const faults = [...decoded.faults, ...nested.faults].map(({ message, pointer }) => ({ message, pointer }));
  if (fatal !== undefined) return { error: fatal.message, faults };
  const { group, version, kind } = decoded.of;
  const error = strict.length > 0 ? strictError(strict.map(({ message }) => message)) : undefined;
  if (kind !== 'KubeSchedulerConfiguration') {
    if (error !== undefined) return { error, faults };
    return refusal(`couldn't decode as KubeSchedulerConfiguration, got ${group}/${version}, Kind=${kind}: `, '/kind');
  }
  const configuration = nested.value as KubeSchedulerConfiguration;
  return error === undefined ? { configuration, faults } : { configuration, error, faults };
}

const refusal = (message: string, pointer: string): DecodedConfiguration => ({
  error: message,
  faults: [{ message, pointer }],
});

export const strictError = (messages: readonly string[]): string => `strict decoding error: ${messages.join(', ')}`;

/** The fault that Go's decoder would have reported: the one that ended decoding, or the first value of a wrong type. */
export const firstOf = (faults: readonly DecodingFault[]): DecodingFault | undefined =>
  faults.find(({ kind }) => kind === 'abort') ?? faults.find(({ kind }) => kind === 'type');

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Decodes a document as the kind that it names, or as `otherwise` if it names none. */
function decodeKind(
  document: JsonValue,
  otherwise: Kind,
): (GoDecoded & { readonly of: Kind }) | { readonly refused: string; readonly of?: Kind } {
  const meta = decodeGo(document ?? {}, TYPE_META);
  const unreadable = firstOf(meta.faults);
  if (unreadable !== undefined) {
    return { refused: `couldn't get version/kind; json parse error: ${unreadable.message}` };
  }
  const { apiVersion = '', kind: written = '' } = meta.value as { apiVersion?: string; kind?: string };
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) return { refused: `unexpected GroupVersion string: ${apiVersion}` };
  const of = withDefaults(
    { group: parts[1] === undefined ? '' : (parts[0] ?? ''), version: parts.at(-1) ?? '', kind: written },
    otherwise,
  );
  if (of.kind === '') return { refused: `Object 'Kind' is missing in '${textOf(document)}'`, of };
  if (of.version === '') return { refused: `Object 'apiVersion' is missing in '${textOf(document)}'`, of };
  const type = registered(of);
  if (type === undefined) {
    const shown = of.group === '' ? of.version : `${of.group}/${of.version}`;
    return { refused: `no kind ${JSON.stringify(of.kind)} is registered for version ${JSON.stringify(shown)}`, of };
  }
  return { ...decodeGo(document ?? {}, type), of };
}

/** `gvkWithDefaults`. */
function withDefaults(given: Kind, otherwise: Kind): Kind {
  const kind = given.kind === '' ? otherwise.kind : given.kind;
  if (given.version !== '') return { ...given, kind };
  if (given.group === '' || given.group === otherwise.group) {
    return { group: otherwise.group, version: otherwise.version, kind };
  }
  return { ...given, kind };
}

const registered = ({ group, version, kind }: Kind): GoStruct | undefined =>
  group === CONFIGURATION_GROUP && version === 'v1' ? KINDS_OF_V1.get(kind) : undefined;

/** The document as Go prints it from JSON with sorted keys. */
const textOf = (document: JsonValue): string =>
  stringifyJson(document, { sortKeys: true }).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

interface Nested {
  readonly value: JsonObject;
  readonly fatal?: { readonly message: string };
  readonly strict: readonly { readonly message: string }[];
  readonly faults: readonly ConfigurationFault[];
}

const NOTHING_NESTED: Nested = { value: {}, strict: [], faults: [] };

/** Decodes the arguments of every plugin that has arguments in Kubernetes. */
function decodeNested(value: JsonObject): Nested {
  const configuration = value as unknown as KubeSchedulerConfiguration;
  const faults: ConfigurationFault[] = [];
  const strict: { message: string }[] = [];
  let fatal: { message: string } | undefined;
  const profiles = configuration.profiles?.map((profile, i) => {
    const pluginConfig = profile.pluginConfig?.map((config, j) => {
      const { name = '', args } = config;
      if (!isArgumentsOwner(name)) return config;
      const decoded = decodeArguments(name, args);
      const pointer = `/profiles/${i}/pluginConfig/${j}/args`;
      const before = `decoding .profiles[${i}].pluginConfig[${j}]: `;
      for (const fault of decoded.faults) {
        faults.push({ message: fault.message, pointer: `${pointer}${fault.pointer}` });
      }
      if (decoded.fatal !== undefined) fatal ??= { message: `${before}${decoded.fatal}` };
      else if (decoded.strict !== undefined) strict.push({ message: `${before}${strictError([decoded.strict])}` });
      return { ...config, args: decoded.value };
    });
    return pluginConfig === undefined ? profile : { ...profile, pluginConfig };
  });
  const kept = profiles === undefined ? value : { ...value, profiles: profiles as unknown as JsonValue };
  return { value: kept, ...defined({ fatal }), strict, faults };
}

interface DecodedArguments {
  readonly value: JsonObject;
  readonly fatal?: string;
  readonly strict?: string;
  readonly faults: readonly ConfigurationFault[];
}

/** `PluginConfig.decodeNestedObjects`: absent arguments are empty ones. */
function decodeArguments(plugin: string, args: JsonValue | undefined): DecodedArguments {
  const wanted: Kind = { group: CONFIGURATION_GROUP, version: 'v1', kind: `${plugin}Args` };
  const decoded = decodeKind(args ?? {}, wanted);
  const decoding = `decoding args for plugin ${plugin}: `;
  if ('refused' in decoded) {
    const fatal = `${decoding}${decoded.refused}`;
    return { value: {}, fatal, faults: [{ message: decoded.refused, pointer: '' }] };
  }
  const { value, faults, of } = decoded;
  const first = firstOf(faults);
  if (first !== undefined) return { value, fatal: `${decoding}${first.message}`, faults };
  if (of.kind !== wanted.kind) {
    const shown = (kind: string): string => `${kind}.${CONFIGURATION_GROUP}`;
    const fatal = `args for plugin ${plugin} were not of type ${shown(wanted.kind)}, got ${shown(of.kind)}`;
    return { value, fatal, faults: [...faults, { message: fatal, pointer: '/kind' }] };
  }
  if (faults.length === 0) return { value, faults };
  return { value, strict: `${decoding}${strictError(faults.map(({ message }) => message))}`, faults };
}
