import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { duplicate, invalid, notSupported, required, typeInvalid, type FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { ScopedResourceSelectorRequirement } from '../kubernetes/objects/quota.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';
import { validateTolerations } from '../kubernetes/validation/tolerations.js';
import type { LimitedResource } from '../quota/quota-admission.js';
import { matchesScopes, QuotaScopeError, scopeFault } from '../quota/scopes.js';
import {
  ADMISSION_PLUGINS,
  STOCK_ADMISSION,
  type AdmissionConfiguration,
  type AdmissionPluginName,
} from './admission-configuration.js';
import { DEFAULT_TOLERATION_SECONDS } from './default-toleration-seconds.js';
import { OTHER_PLUGINS } from './other-plugins.js';
import { nodeSelectorFault } from './pod-node-selector.js';
import { readPodSecurityConfiguration } from './pod-security/read-pod-security-configuration.js';

/** How a caller declares the admission configuration of an API server; what is left out has its default. */
export interface GivenAdmission {
  /** Every plugin that is on. Not beside the next two. */
  readonly plugins?: readonly string[];
  /** As `--enable-admission-plugins` and `--disable-admission-plugins`. */
  readonly enablePlugins?: readonly string[];
  readonly disablePlugins?: readonly string[];
  /** As `--default-not-ready-toleration-seconds` and its sister. */
  readonly defaultNotReadyTolerationSeconds?: Int64;
  readonly defaultUnreachableTolerationSeconds?: Int64;
  /** The configuration of PodTolerationRestriction: `default` and `whitelist`. */
  readonly podTolerationRestriction?: JsonValue;
  /** `podNodeSelectorPluginConfig`. */
  readonly podNodeSelector?: JsonValue;
  /** Of ResourceQuota. */
  readonly limitedResources?: JsonValue;
  /** Names of webhook configurations, or `CONFIGURATION/WEBHOOK`, that neither refuse pods nor change what placement reads. */
  readonly harmlessWebhooks?: readonly string[];
  /** An `AdmissionConfiguration` of `apiserver.config.k8s.io/v1`, with the configurations of plugins written out in it. */
  readonly document?: JsonObject;
}

export type DeclaredAdmission =
  { readonly configuration: AdmissionConfiguration } | { readonly errors: readonly FieldError[] };

/**
 * What an API server admits by, of the flags and configurations that it was given; or everything that is wrong with them.
 *
 * @param at where a member of what is given stands
 */
export function declareAdmission(
  given: GivenAdmission,
  gates: TolerationGates,
  at: (member: string) => FieldPath,
): DeclaredAdmission {
  const errors: FieldError[] = [];
  const on = readPlugins(given, errors, at);
  const parts = new Parts(errors, gates);
  const seconds = {
    notReadySeconds: readSeconds(given, 'defaultNotReadyTolerationSeconds', errors, at),
    unreachableSeconds: readSeconds(given, 'defaultUnreachableTolerationSeconds', errors, at),
  };
  if (given.podTolerationRestriction !== undefined) {
    parts.readRestriction(given.podTolerationRestriction, at('podTolerationRestriction'));
  }
  if (given.podNodeSelector !== undefined) parts.readSelectors(given.podNodeSelector, at('podNodeSelector'));
  if (given.limitedResources !== undefined) parts.readLimited(given.limitedResources, at('limitedResources'));
  const harmlessWebhooks = readHarmless(given, errors, at);
  if (given.document !== undefined) parts.readDocument(given.document, at('document'));
  if (errors.length > 0) return { errors };
  const stock = Object.values(seconds).every((value) => value === DEFAULT_TOLERATION_SECONDS);
  return {
    configuration: {
      plugins: ADMISSION_PLUGINS.filter((name) => on.has(name)),
      otherPlugins: OTHER_PLUGINS.filter(({ name }) => on.has(name)).map(({ name }) => name),
      ...(stock ? {} : { defaultTolerations: seconds }),
      ...parts.found,
      ...(harmlessWebhooks.length > 0 && { harmlessWebhooks }),
    },
  };
}

const KNOWN: ReadonlySet<string> = new Set<string>([...ADMISSION_PLUGINS, ...OTHER_PLUGINS.map(({ name }) => name)]);

/** Every plugin that is on where nobody says otherwise. */
const ON_IN_STOCK: readonly string[] = [...STOCK_ADMISSION.plugins, ...(STOCK_ADMISSION.otherPlugins ?? [])];

/** In the words of `AdmissionOptions.Validate`, k8s.io/apiserver v0.36.2, pkg/server/options/admission.go. */
function readPlugins(
  { plugins, enablePlugins = [], disablePlugins = [] }: GivenAdmission,
  errors: FieldError[],
  at: (member: string) => FieldPath,
): ReadonlySet<string> {
  const unknown = (member: string, flag: string, names: readonly string[]): void => {
    for (const [index, name] of names.entries()) {
      if (!KNOWN.has(name)) errors.push(invalid(at(member).index(index), name, `${flag} plugin is unknown`));
    }
  };
  unknown('plugins', 'admission', plugins ?? []);
  unknown('enablePlugins', 'enable-admission-plugins', enablePlugins);
  unknown('disablePlugins', 'disable-admission-plugins', disablePlugins);
  for (const [index, name] of disablePlugins.entries()) {
    if (!enablePlugins.includes(name)) continue;
    const flags = 'enable-admission-plugins and disable-admission-plugins';
    errors.push(invalid(at('disablePlugins').index(index), name, `${name} in ${flags} overlapped`));
  }
  if (plugins === undefined) {
    const off = new Set(disablePlugins);
    return new Set([...ON_IN_STOCK, ...enablePlugins].filter((name) => !off.has(name)));
  }
  for (const [member, names] of Object.entries({ enablePlugins, disablePlugins })) {
    if (names.length > 0)
      errors.push(invalid(at(member), { text: 'list' }, 'plugins is already the complete list of enabled plugins'));
  }
  return new Set(plugins);
}

/** Whether there is such a webhook is not asked: it may come with the next snapshot. */
function readHarmless(
  { harmlessWebhooks = [] }: GivenAdmission,
  errors: FieldError[],
  at: (member: string) => FieldPath,
): readonly string[] {
  for (const [index, name] of harmlessWebhooks.entries()) {
    const place = at('harmlessWebhooks').index(index);
    if (harmlessWebhooks.indexOf(name) < index) errors.push(duplicate(place, name));
    else if (!isWebhookReference(name)) errors.push(invalid(place, name, WEBHOOK_REFERENCE));
  }
  return harmlessWebhooks.toSorted();
}

const WEBHOOK_REFERENCE =
  'must be the name of a webhook configuration, or the names of a webhook configuration and of a webhook, joined by /';

function isWebhookReference(text: string): boolean {
  const names = text.split('/');
  return names.length <= 2 && names.every((name) => nameIsDnsSubdomain(name, false).length === 0);
}

function readSeconds(
  given: GivenAdmission,
  member: 'defaultNotReadyTolerationSeconds' | 'defaultUnreachableTolerationSeconds',
  errors: FieldError[],
  at: (member: string) => FieldPath,
): number {
  const seconds = given[member] ?? DEFAULT_TOLERATION_SECONDS;
  if (typeof seconds === 'number' && seconds >= 0) return seconds;
  const rule = seconds < 0 ? 'must be greater than or equal to 0' : 'must be at most 9007199254740991';
  errors.push(invalid(at(member), { text: String(seconds) }, rule));
  return DEFAULT_TOLERATION_SECONDS;
}

type Found = { -readonly [K in keyof AdmissionConfiguration]?: AdmissionConfiguration[K] };

/** Reads the configurations of plugins, each of which says once what it says. */
class Parts {
  readonly found: Found = {};

  constructor(
    private readonly errors: FieldError[],
    private readonly gates: TolerationGates,
  ) {}

  readRestriction(given: JsonValue, at: FieldPath): void {
    const members = this.members(given, at, ['apiVersion', 'kind', 'default', 'whitelist']);
    if (members === undefined || this.isSaid('tolerationRestriction', at)) return;
    this.found.tolerationRestriction = Object.fromEntries(
      (['default', 'whitelist'] as const).flatMap((name) => {
        const list = members.get(name);
        return list === undefined ? [] : [[name, this.tolerations(list, at.child(name))]];
      }),
    );
  }

  /** Each entry is a selector: the cluster's default, or what a namespace's pods may select. */
  readSelectors(given: JsonValue, at: FieldPath): void {
    const members = this.members(given, at);
    if (members === undefined || this.isSaid('clusterNodeSelectors', at)) return;
    const selectors: [string, string][] = [];
    for (const [name, selector] of members) {
      if (typeof selector !== 'string') {
        this.wrongType(at.key(name), 'string');
        continue;
      }
      const fault = nodeSelectorFault(selector);
      if (fault !== undefined) this.errors.push(invalid(at.key(name), selector, fault));
      selectors.push([name, selector]);
    }
    this.found.clusterNodeSelectors = Object.fromEntries(selectors);
  }

  readLimited(given: JsonValue, at: FieldPath): void {
    if (this.isSaid('limitedResources', at)) return;
    if (!Array.isArray(given)) {
      this.wrongType(at, 'array');
      return;
    }
    this.found.limitedResources = given.flatMap((item, index) => this.limited(item, at.index(index)));
  }

  readDocument(document: JsonObject, at: FieldPath): void {
    const members = this.members(document, at, ['apiVersion', 'kind', 'plugins']);
    if (members === undefined) return;
    const { apiVersion, kind } = document;
    if (apiVersion !== 'apiserver.config.k8s.io/v1') {
      this.errors.push(notSupported(at.child('apiVersion'), textOf(apiVersion), ['apiserver.config.k8s.io/v1']));
    }
    if (kind !== 'AdmissionConfiguration') {
      this.errors.push(notSupported(at.child('kind'), textOf(kind), ['AdmissionConfiguration']));
    }
    const plugins = members.get('plugins') ?? [];
    if (!Array.isArray(plugins)) this.wrongType(at.child('plugins'), 'array');
    else plugins.forEach((plugin, index) => this.readPlugin(plugin, at.child('plugins').index(index)));
  }

  private readPlugin(plugin: JsonValue, at: FieldPath): void {
    const members = this.members(plugin, at, ['name', 'path', 'configuration']);
    if (members === undefined) return;
    const name = members.get('name');
    if (typeof name !== 'string' || !KNOWN.has(name)) {
      this.errors.push(invalid(at.child('name'), textOf(name), 'admission plugin is unknown'));
      return;
    }
    const path = members.get('path');
    if (path !== undefined && path !== '') {
      const rule = 'files of the API server cannot be read: include the configuration itself';
      this.errors.push(invalid(at.child('path'), textOf(path), rule));
    }
    const configuration = members.get('configuration');
    if (configuration === undefined) return;
    const place = at.child('configuration');
    switch (name as AdmissionPluginName) {
      case 'PodTolerationRestriction':
        this.readRestriction(configuration, place);
        break;
      case 'PodNodeSelector': {
        const inner = this.members(configuration, place, ['podNodeSelectorPluginConfig']);
        const selectors = inner?.get('podNodeSelectorPluginConfig');
        if (selectors !== undefined) this.readSelectors(selectors, place.child('podNodeSelectorPluginConfig'));
        break;
      }
      case 'PodSecurity': {
        if (this.isSaid('podSecurity', place)) break;
        const read = readPodSecurityConfiguration(configuration, place);
        if ('errors' in read) this.errors.push(...read.errors);
        else this.found.podSecurity = read.configuration;
        break;
      }
      case 'ResourceQuota': {
        const inner = this.members(configuration, place, ['apiVersion', 'kind', 'limitedResources']);
        const limited = inner?.get('limitedResources');
        if (limited !== undefined) this.readLimited(limited, place.child('limitedResources'));
        break;
      }
      default:
      // That of a plugin that is not run here, or that takes none.
    }
  }

  private tolerations(given: JsonValue, at: FieldPath): readonly Toleration[] {
    const decoded = decodeObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x' },
      spec: { containers: [], tolerations: given },
    });
    if (decoded.outcome === 'invalid') {
      for (const { type, field, pointer, message } of decoded.errors) {
        this.errors.push({
          type,
          field: field.replace(/^spec\.tolerations/, () => at.toString()),
          pointer: pointer.replace(/^\/spec\/tolerations/, () => at.toPointer()),
          message,
        });
      }
    }
    const object = decoded.outcome === 'object' ? decoded.object : undefined;
    const { tolerations = [] } =
      (object as { readonly spec?: { readonly tolerations?: readonly Toleration[] } })?.spec ?? {};
    this.errors.push(...validateTolerations(tolerations, at, this.gates));
    return tolerations;
  }

  private limited(item: JsonValue, at: FieldPath): readonly LimitedResource[] {
    const members = this.members(item, at, ['apiGroup', 'resource', 'matchContains', 'matchScopes']);
    if (members === undefined) return [];
    const resource = members.get('resource') ?? '';
    if (resource === '') this.errors.push(required(at.child('resource')));
    const contains = this.texts(members.get('matchContains') ?? [], at.child('matchContains'));
    const scopes = this.scopes(members.get('matchScopes') ?? [], at.child('matchScopes'));
    // What covers other resources has no say over pods.
    if (resource !== 'pods' || (members.get('apiGroup') ?? '') !== '') return [];
    return [{ matchContains: contains, ...(scopes.length > 0 && { matchScopes: scopes }) }];
  }

  private scopes(given: JsonValue, at: FieldPath): readonly ScopedResourceSelectorRequirement[] {
    if (!Array.isArray(given)) {
      this.wrongType(at, 'array');
      return [];
    }
    return given.flatMap((item, index) => {
      const place = at.index(index);
      const members = this.members(item, place, ['scopeName', 'operator', 'values']);
      if (members === undefined) return [];
      const [scopeName, operator] = [members.get('scopeName') ?? '', members.get('operator') ?? ''];
      const values = this.texts(members.get('values') ?? [], place.child('values'));
      if (typeof scopeName !== 'string' || typeof operator !== 'string') {
        this.wrongType(place, 'object of strings');
        return [];
      }
      const scope = { scopeName, operator, ...(values.length > 0 && { values }) };
      this.checkScope(scope, place);
      return [scope];
    });
  }

  private checkScope(scope: ScopedResourceSelectorRequirement, at: FieldPath): void {
    const known = [
      'Terminating',
      'NotTerminating',
      'BestEffort',
      'NotBestEffort',
      'PriorityClass',
      'CrossNamespacePodAffinity',
    ];
    if (!known.includes(scope.scopeName)) {
      this.errors.push(notSupported(at.child('scopeName'), scope.scopeName, known));
      return;
    }
    try {
      matchesScopes(NO_POD, [scope]);
    } catch (error) {
      if (!(error instanceof QuotaScopeError)) throw error;
      this.errors.push(invalid(at, { text: scope.scopeName }, scopeFault(scope, error)));
    }
  }

  private texts(given: JsonValue, at: FieldPath): readonly string[] {
    if (!Array.isArray(given)) {
      this.wrongType(at, 'array');
      return [];
    }
    return given.flatMap((text, index) => {
      if (typeof text === 'string') return [text];
      this.wrongType(at.index(index), 'string');
      return [];
    });
  }

  /** The members that are given; undefined for what is no object. @param known every name there is; any without it */
  private members(
    value: JsonValue,
    at: FieldPath,
    known?: readonly string[],
  ): ReadonlyMap<string, JsonValue> | undefined {
    if (!isJsonObject(value)) {
      this.wrongType(at, 'object');
      return undefined;
    }
    const members = new Map(Object.entries(value).filter(([, member]) => member !== null));
    for (const name of known === undefined ? [] : members.keys()) {
      if (!known?.includes(name)) this.errors.push(notSupported(at.key(name), name, known ?? []));
    }
    return members;
  }

  private isSaid(part: keyof Found, at: FieldPath): boolean {
    if (this.found[part] === undefined) return false;
    this.errors.push(invalid(at, { text: 'object' }, 'is specified twice'));
    return true;
  }

  private wrongType(at: FieldPath, expected: string): void {
    this.errors.push(typeInvalid(at, { text: 'value' }, `must be of type ${expected}`));
  }
}

const NO_POD = { terminating: false, bestEffort: false, priorityClassName: '', crossNamespaceAffinity: false };

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
