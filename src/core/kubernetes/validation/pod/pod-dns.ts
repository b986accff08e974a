import { forbidden, invalid, notSupported, required, tooLong, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import { jsonGo } from '../../go-text.js';
import type { KubernetesRules } from '../../kubernetes-rules.js';
import type { DnsConfig, WholePodSpec } from '../../objects/whole-pod.js';
import { rulesOfGates } from '../../toleration.js';
import { validateIp } from '../ip.js';
import { byteLength, regexError } from '../names.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../object-names.js';
import { complaints } from './complaints.js';
import type { PodLeniency } from './pod-leniency.js';

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const SEARCHES_LENGTH = 2048;

/**
 * `validateDNSPolicy` and `validatePodDNSConfig`.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateDns(
  { dnsPolicy = '', dnsConfig }: WholePodSpec,
  path: FieldPath,
  leniency: PodLeniency,
): FieldError[] {
  const errors: FieldError[] = [];
  const policy = path.child('dnsPolicy');
  if (dnsPolicy === '') errors.push(required(policy));
  else if (!POLICIES.includes(dnsPolicy)) errors.push(notSupported(policy, dnsPolicy, POLICIES));
  const at = path.child('dnsConfig');
  if (dnsPolicy === 'None' && dnsConfig === undefined) {
    return [...errors, required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (dnsPolicy === 'None' && (dnsConfig?.nameservers ?? []).length === 0) {
    const rule = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [...errors, required(at.child('nameservers'), rule)];
  }
  return dnsConfig === undefined ? errors : [...errors, ...validateConfig(dnsConfig, at, leniency)];
}

function validateConfig(
  { nameservers = [], searches = [], options = [] }: DnsConfig,
  path: FieldPath,
  { relaxedSearches, gates }: PodLeniency,
): FieldError[] {
  const rules = rulesOfGates(gates);
  const servers = path.child('nameservers');
  const search = path.child('searches');
  const errors: FieldError[] = [];
  if (nameservers.length > MAX_NAMESERVERS) {
    const shown = { text: jsonGo(nameservers) };
    errors.push(invalid(servers, shown, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  errors.push(...nameservers.flatMap((address, index) => validateIp(address, servers.index(index), rules)));
  const shown = { text: jsonGo(searches) };
  if (searches.length > MAX_SEARCHES) {
    errors.push(invalid(search, shown, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  if (byteLength(searches.join(' ')) > SEARCHES_LENGTH) {
    const rule = `must not have more than ${SEARCHES_LENGTH} characters (including spaces) in the search list`;
    errors.push(invalid(search, shown, rule));
  }
  const validateSearch = relaxedSearches ? validateRelaxedSearch : validateStrictSearch;
  errors.push(...searches.flatMap((name, index) => validateSearch(name, search.index(index), rules)));
  for (const [index, { name = '' }] of options.entries()) {
    if (name === '') errors.push(required(path.child('options').index(index), 'must not be empty'));
  }
  return errors;
}

const LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const subdomain = new RegExp(`^${SUBDOMAIN}$`);
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
/** Before 1.34, the message shows the expression without underscores. */
const EXPRESSION_SINCE = 34;
const EARLIER_SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

/**
 * `IsDNS1123SubdomainWithUnderscore` for a search path, which may end in a dot, or be a single dot: the gate RelaxedDNSSearchValidation
 * is on.
 *
 * Source: k8s.io/apimachinery v0.32.5, v0.33.3, v0.34.1 and v0.36.2, pkg/util/validation/validation.go.
 */
function validateRelaxedSearch(search: string, path: FieldPath, { minor }: KubernetesRules): FieldError[] {
  if (search === '.') return [];
  const name = withoutDot(search);
  const errors = byteLength(name) > 253 ? [invalid(path, name, 'must be no more than 253 characters')] : [];
  if (subdomain.test(name)) return errors;
  const expression = minor < EXPRESSION_SINCE ? EARLIER_SUBDOMAIN : SUBDOMAIN;
  return [...errors, invalid(path, name, regexError(SUBDOMAIN_RULE, expression, 'example.com'))];
}

/** The gate is off: k8s.io/kubernetes v1.31.2 and v1.32.5, pkg/apis/core/validation/validation.go, `validatePodDNSConfig`. */
const validateStrictSearch = (search: string, path: FieldPath): FieldError[] =>
  complaints(nameIsDnsSubdomain, withoutDot(search), path);

const withoutDot = (search: string): string => (search.endsWith('.') ? search.slice(0, -1) : search);

const MAX_HOSTNAME_LENGTH = 64;

/** The pod's names on the network: `hostname`, `subdomain`, `validatePodHostName`, `ValidateHostAliases`. */
export function validateHostNames(spec: WholePodSpec, path: FieldPath, rules: KubernetesRules): FieldError[] {
  const { hostname = '', subdomain: domain = '', hostnameOverride, hostAliases = [] } = spec;
  const errors: FieldError[] = [];
  if (hostnameOverride !== undefined) {
    const at = path.child('hostnameOverride');
    if (spec.setHostnameAsFQDN === true) {
      errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
    }
    if (spec.hostNetwork === true) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
    if (byteLength(hostnameOverride) > MAX_HOSTNAME_LENGTH) errors.push(tooLong(at, MAX_HOSTNAME_LENGTH));
    errors.push(...complaints(nameIsDnsSubdomain, hostnameOverride, at));
  }
  if (hostname !== '') errors.push(...complaints(nameIsDnsLabel, hostname, path.child('hostname')));
  if (domain !== '') errors.push(...complaints(nameIsDnsLabel, domain, path.child('subdomain')));
  for (const [index, { ip = '', hostnames = [] }] of hostAliases.entries()) {
    const at = path.child('hostAliases').index(index);
    errors.push(
      ...validateIp(ip, at.child('ip'), rules),
      ...hostnames.flatMap((name, alias) => complaints(nameIsDnsSubdomain, name, at.child('hostnames').index(alias))),
    );
  }
  return errors;
}
