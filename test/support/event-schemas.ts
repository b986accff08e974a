import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Received } from './receiver.js';

const validators = new Map<string, Promise<ValidateFunction>>();

/** What is wrong with the data of CloudEvents, by the schemas that the service serves. */
export async function eventFaults(serviceUrl: string, events: readonly Received[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { json } of events.filter(({ json: { specversion } }) => specversion === '1.0')) {
    const type = String(json['type']);
    const validate = await (validators.get(type) ?? fetched(serviceUrl, type));
    if (!validate(json['data']))
      faults.push(`${type}: ${JSON.stringify(validate.errors)} ${JSON.stringify(json['data'])}`);
  }
  return faults;
}

function fetched(serviceUrl: string, type: string): Promise<ValidateFunction> {
  const validate = fetch(`${serviceUrl}/docs/events/${type}.schema.json`).then(async (answer) => {
    if (answer.status !== 200) throw new Error(`${answer.status} for ${type}: ${await answer.text()}`);
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    return ajv.compile(closed(await answer.json()) as object);
  });
  validators.set(type, validate);
  return validate;
}

/** The schema with nothing but what it describes, so that members without a description are noticed. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]));
  return 'properties' in own && own['type'] === 'object' ? { additionalProperties: false, ...own } : own;
}
