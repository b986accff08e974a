import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import type { TolerationGates } from '../../../src/core/kubernetes/toleration.js';
import { DEFAULT_PROFILE } from '../../../src/core/scheduler-configuration/default-profile.js';
import { readConfiguration } from '../../../src/core/scheduler-configuration/read-configuration.js';
import { profilePlugins, type ProfilePlugins } from '../../../src/core/scheduling/profile-plugins.js';

const KIND = 'KubeSchedulerConfiguration';

/** The profiles of a recording's scheduler by the name that pods ask for: those of its configuration if it has one, else the default. */
export function profilesIn(input: JsonObject, gates: TolerationGates): ReadonlyMap<string, ProfilePlugins> {
  const document = Object.values(input).map(asDocument).find(isConfiguration);
  if (document === undefined) return new Map([[DEFAULT_PROFILE.schedulerName, profilePlugins(DEFAULT_PROFILE, gates)]]);
  const reading = readConfiguration(document);
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return new Map(reading.profiles.map((profile) => [profile.schedulerName, profilePlugins(profile, gates)]));
}

/** A configuration may lie there as text. */
function asDocument(value: JsonValue): JsonValue {
  return typeof value === 'string' && value.includes(KIND) ? parseJson(value) : value;
}

const isConfiguration = (value: JsonValue): boolean => isJsonObject(value) && value['kind'] === KIND;
