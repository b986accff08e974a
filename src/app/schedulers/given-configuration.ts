import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { escapePointer } from '../../core/json/escape-pointer.js';
import { configurationTexts } from '../../core/scheduler-configuration/configuration-texts.js';
import type { ConfigurationReading } from '../../core/scheduler-configuration/configuration-reading.js';
import { readConfiguration } from '../../core/scheduler-configuration/read-configuration.js';
import { IngestError } from '../../ingest/ingest-error.js';
import { readYamlDocument } from '../../ingest/read-yaml-document.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';

/** Maximum characters of a configuration as JSON; the largest known one has 12,000. */
const LONGEST = 1024 * 1024;

/** A scheduler configuration from a request, extracted from its ConfigMap if it was sent in one, and parsed. */
export interface GivenConfiguration {
  readonly document: JsonObject;
  readonly reading: ConfigurationReading;
  /** JSON pointer of the document in the request: `/data/policy.cfg` of a ConfigMap. */
  readonly pointer: string;
}

/** JSON pointer of the configuration in its request. */
export const pointerOf = (root: string): string => (root === '' ? '' : `/${root.replace('.', '/')}`);

/**
 * @param at JSON pointer of the value in the request: empty for a whole body
 * @param sender who has a share of the YAML parser
 * @throws {InvalidRequestError} for a value that is not an object, and for a ConfigMap without exactly one
 *   configuration
 * @throws {ServiceError} `body-too-large`; `malformed-yaml` within a ConfigMap, `yaml-reader-busy`
 */
export async function givenConfiguration(
  sent: JsonValue | undefined,
  at: string,
  sender: string,
): Promise<GivenConfiguration> {
  // A null body counts as absent.
  if (sent === undefined || sent === null) throw refused(at, 'body-required', 'is required: a scheduler configuration');
  checkLength(sent);
  const texts = configurationTexts(sent);
  if (texts === undefined) {
    if (!isJsonObject(sent)) throw refused(at, 'isObject', 'must be an object');
    return { document: sent, reading: readConfiguration(sent), pointer: at };
  }
  const found: GivenConfiguration[] = [];
  for (const { key, text } of texts) {
    const pointer = `${at}/data/${escapePointer(key)}`;
    const document = await documentIn(text, pointer, sender);
    if (isJsonObject(document) && isConfiguration(document, texts.length)) {
      checkLength(document);
      found.push({ document, reading: readConfiguration(document), pointer });
    }
  }
  const [first, second] = found;
  if (first === undefined) throw refused(`${at}/data`, 'no-configuration', 'must contain a scheduler configuration');
  if (second !== undefined) {
    const places = found.map(({ pointer }) => pointer).join(', ');
    throw refused(
      `${at}/data`,
      'several-configurations',
      `must contain one scheduler configuration, not ${found.length}: ${places}`,
    );
  }
  return first;
}

/** Of several texts, only those with a matching apiVersion and kind count. */
function isConfiguration({ apiVersion, kind }: JsonObject, texts: number): boolean {
  if (kind === 'Policy' || kind === 'KubeSchedulerConfiguration') return true;
  return texts === 1 && apiVersion === undefined && kind === undefined;
}

async function documentIn(text: string, pointer: string, caller: string): Promise<JsonValue> {
  try {
    return await readYamlDocument(text, caller);
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    if (error.code === 'busy') throw new ServiceError('yaml-reader-busy', error.message, { retryAfterSeconds: 5 });
    if (error.code === 'out-of-memory') throw new ServiceError('body-too-large', `${pointer}: ${error.message}`);
    const { message, line, column } = error;
    throw refused(
      pointer,
      'malformed-yaml',
      line === undefined ? message : `line ${line}, column ${column ?? 1}: ${message}`,
    );
  }
}

function checkLength(document: JsonValue): void {
  const { length } = stringifyJson(document);
  if (length <= LONGEST) return;
  const message = `A scheduler configuration may have at most ${LONGEST} characters; this one has ${length}.`;
  throw new ServiceError('body-too-large', message);
}

const refused = (pointer: string, code: string, message: string): InvalidRequestError =>
  new InvalidRequestError([{ pointer, code, message }]);
