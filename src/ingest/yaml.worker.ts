import { parentPort } from 'node:worker_threads';
import { IngestError } from './ingest-error.js';
import { parseManifests } from './parse-manifests.js';
import { parseYaml } from './parse-yaml.js';
import type { YamlJob, YamlOutcome } from './read-yaml-document.js';

/** A thread that parses YAML documents, or manifests, one text after another. */
const port = parentPort!;

port.on('message', ({ text, options }: YamlJob) => {
  let outcome: YamlOutcome;
  try {
    outcome = { value: options === undefined ? parseManifests(text) : parseYaml(text, options) };
  } catch (error) {
    outcome = { error: IngestError.from(error).toData() };
  }
  port.postMessage(outcome);
});
