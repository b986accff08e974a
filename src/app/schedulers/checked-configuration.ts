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
 * The errors of a configuration as details of an error; empty if it is valid.
 *
 * @param at JSON pointer of the configuration in the request
 */
export const configurationDetails = (reading: ConfigurationReading, at: string): readonly ErrorDetail[] =>
  reading.outcome === 'read'
    ? []
    : reading.faults.map(({ message, pointer }): ErrorDetail => ({
        pointer: at + pointer,
        code: `configuration-${reading.stage}`,
        message,
      }));

/** A configuration is read when its request is validated, and again when the request is processed. */
const known = new WeakMap<JsonObject, ConfigurationReading>();

/**
 * Returns a valid configuration from a request.
 *
 * @param at JSON pointer of the configuration in the request
 * @throws {InvalidRequestError} with every error in it
 */
export function checkedConfiguration(document: JsonObject, at: string): ReadConfiguration {
  let reading = known.get(document);
  if (reading === undefined) known.set(document, (reading = readConfiguration(document)));
  if (reading.outcome === 'read') return reading;
  throw new InvalidRequestError(configurationDetails(reading, at));
}

/** @throws {InvalidRequestError} `unknown-scheduler`, with the existing names, if no profile has the name */
export function askedProfile(configuration: ReadConfiguration, name: string, at: string): SchedulerProfile {
  const profile = profileNamed(configuration, name);
  if (profile !== undefined) return profile;
  const names = configuration.profiles.map(({ schedulerName }) => schedulerName).join(', ');
  const message = `no profile has the name ${JSON.stringify(name)}; existing profiles: ${names}`;
  throw new InvalidRequestError([{ pointer: at, code: 'unknown-scheduler', message }]);
}
