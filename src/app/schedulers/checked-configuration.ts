import type { JsonObject } from '../../core/json/json-value.js';
import type {
  ConfigurationReading,
  ReadConfiguration,
} from '../../core/scheduler-configuration/configuration-reading.js';
import { readConfiguration } from '../../core/scheduler-configuration/read-configuration.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import { profileNamed } from '../../core/scheduling/profiles-in.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/**
 * What is wrong with a configuration, as the details of an error; nothing for one that was read.
 *
 * @param at the pointer of the configuration in the request
 */
export const configurationDetails = (reading: ConfigurationReading, at: string): readonly ErrorDetail[] =>
  reading.outcome === 'read'
    ? []
    : reading.faults.map(({ message, pointer }): ErrorDetail => ({
        pointer: at + pointer,
        code: `configuration-${reading.stage}`,
        message,
      }));

/** A configuration is looked at when its question is checked, and again when it is answered. */
const known = new WeakMap<JsonObject, ConfigurationReading>();

/**
 * A configuration that is given with a question.
 *
 * @param at the pointer of the configuration in the request
 * @throws {InvalidRequestError} everything that is wrong with it
 */
export function checkedConfiguration(document: JsonObject, at: string): ReadConfiguration {
  let reading = known.get(document);
  if (reading === undefined) known.set(document, (reading = readConfiguration(document)));
  if (reading.outcome === 'read') return reading;
  throw new InvalidRequestError(configurationDetails(reading, at));
}

/** @throws {InvalidRequestError} `unknown-scheduler`, with the names that there are, for a name that no profile has */
export function askedProfile(configuration: ReadConfiguration, name: string, at: string): SchedulerProfile {
  const profile = profileNamed(configuration, name);
  if (profile !== undefined) return profile;
  const names = configuration.profiles.map(({ schedulerName }) => schedulerName).join(', ');
  const message = `no profile is called ${JSON.stringify(name)}; there are ${names}`;
  throw new InvalidRequestError([{ pointer: at, code: 'unknown-scheduler', message }]);
}
