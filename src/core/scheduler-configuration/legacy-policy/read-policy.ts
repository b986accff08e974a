import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { decodeGo } from '../../kubernetes/go-decoding.js';
import type { OutOfTreePlugins } from '../build-profile.js';
import { buildProfiles, ignoredResources } from '../build-profiles.js';
import type { ConfigurationReading } from '../configuration-reading.js';
import { POLICY } from '../configuration-schema.js';
import { extenderWarnings, outOfTreeWarnings } from '../configuration-warning.js';
import { firstOf, strictError } from '../decode-configuration.js';
import { schedulerProfile } from '../scheduler-profile.js';
import type { Policy } from './policy-types.js';
import { PolicyTranslation } from './policy-translation.js';
import { validatePolicy } from './validate-policy.js';

/** Whether a document is a legacy Policy: its kind is Policy, or it has no kind but predicates or priorities. */
export function isPolicy(document: JsonValue): document is JsonObject {
  if (!isJsonObject(document)) return false;
  const given = (name: string): JsonValue => (Object.hasOwn(document, name) ? (document[name] ?? '') : '');
  const apiVersion = given('apiVersion');
  if (apiVersion !== '' && apiVersion !== 'v1') return false;
  if (given('kind') === 'Policy') return true;
  return given('kind') === '' && (Object.hasOwn(document, 'predicates') || Object.hasOwn(document, 'priorities'));
}

/**
 * Reads a legacy Policy, and warns that Kubernetes no longer does. Unknown names are reported, and the results of their
 * plugins are unknown; they are refused if out-of-tree plugins are.
 */
export function readPolicy(document: JsonObject, outOfTree: OutOfTreePlugins): ConfigurationReading {
  const { value, faults } = decodeGo(document, POLICY);
  if (faults.length > 0) {
    const said = firstOf(faults)?.message ?? strictError(faults.map(({ message }) => message));
    const places = faults.map(({ message, pointer }) => ({ message, pointer }));
    return { outcome: 'refused', stage: 'decoding', message: `invalid policy: ${said}`, faults: places };
  }
  const policy = value as unknown as Policy;
  const invalid = validatePolicy(policy);
  if (invalid.length > 0) {
    const messages = invalid.map(({ message }) => message);
    const message = messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
    return { outcome: 'refused', stage: 'validation', message, faults: invalid };
  }
  const translation = new PolicyTranslation(policy);
  const profile = translation.profile();
  const unknown = translation.unknown;
  if (outOfTree === 'refuse' && unknown.length > 0) {
    const faultsOf = unknown.map(({ message, pointer }) => ({ message, pointer }));
    return { outcome: 'refused', stage: 'building', message: faultsOf[0]?.message ?? '', faults: faultsOf };
  }
  const built = buildProfiles({ ...NOTHING_ELSE, profiles: [profile], extenders: policy.extenders ?? [] }, outOfTree);
  const only = 'error' in built ? undefined : built.profiles[0];
  if (only === undefined) {
    const { error: message, pointer } = 'error' in built ? built : { error: 'no profile', pointer: '' };
    return { outcome: 'refused', stage: 'building', message, faults: [{ message, pointer }] };
  }
  const read = schedulerProfile(profile, only, ignoredResources(policy.extenders ?? []));
  const named = new Set(unknown.map(({ plugin }) => plugin));
  const others = outOfTreeWarnings(read, '').filter(({ plugin }) => !named.has(plugin ?? ''));
  const warnings = [...translation.warnings, ...others, ...extenderWarnings(policy.extenders)];
  return { outcome: 'read', source: 'Policy', profiles: [read], warnings, mapping: translation.mapping };
}

/** The settings that a Policy lacks. */
const NOTHING_ELSE = {
  parallelism: 16,
  leaderElection: { leaderElect: false, leaseDuration: 0n, renewDeadline: 0n, retryPeriod: 0n, resourceLock: 'leases' },
  burst: 100,
  percentageOfNodesToScore: 0,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 10,
} as const;
