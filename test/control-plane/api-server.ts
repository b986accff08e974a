import { readFile } from 'node:fs/promises';
import { Agent, request as requestOverTls } from 'node:https';
import { Agent as PlainAgent, request as requestPlain } from 'node:http';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { parseJson, stringifyJson } from '../../src/core/json/lossless-json.js';

/** What an API server answers to a request. */
export interface ApiAnswer {
  readonly code: number;
  readonly body: JsonObject;
  /** The texts of the `Warning` headers, in order. */
  readonly warnings: readonly string[];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const MERGE = 'application/merge-patch+json';

/** A client of one API server, with keep-alive connections. */
export class ApiServer {
  private constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly agent: Agent | PlainAgent,
  ) {}

  /** @param ca path of the file with the certificate of the server's authority; unused for `http` */
  static async open(url: string, token: string, ca: string | undefined): Promise<ApiServer> {
    const options = { keepAlive: true, maxSockets: 16 };
    const agent = url.startsWith('https:')
      ? new Agent({ ...options, ...(ca === undefined ? {} : { ca: await readFile(ca) }) })
      : new PlainAgent(options);
    return new ApiServer(url.replace(/\/$/, ''), token, agent);
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends one request; an answer of any status is returned. */
  ask(method: Method, path: string, body?: unknown, type = method === 'PATCH' ? MERGE : 'application/json') {
    const data = body === undefined ? undefined : Buffer.from(stringifyJson(body));
    const headers = {
      authorization: `Bearer ${this.token}`,
      accept: 'application/json',
      ...(data === undefined ? {} : { 'content-type': type, 'content-length': data.length }),
    };
    return new Promise<ApiAnswer>((resolve, reject) => {
      const send = this.url.startsWith('https:') ? requestOverTls : requestPlain;
      const sent = send(this.url + path, { method, agent: this.agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          try {
            const text = Buffer.concat(chunks).toString('utf8');
            const warnings = warningTexts(answer.headers['warning']);
            // Of a group that it does not serve, it says so in plain text.
            const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
            const body = isJson ? (parseJson(text) as JsonObject) : { message: text };
            resolve({ code: answer.statusCode ?? 0, body, warnings });
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
      sent.on('error', reject);
      sent.end(data);
    });
  }

  /** Watches a collection until `close`; each line of the answer is an event. */
  watch(path: string, onEvent: (event: JsonObject) => void, onEnd: (error?: Error) => void): () => void {
    const headers = { authorization: `Bearer ${this.token}`, accept: 'application/json' };
    const send = this.url.startsWith('https:') ? requestOverTls : requestPlain;
    const sent = send(this.url + path, { method: 'GET', agent: this.agent, headers }, (answer) => {
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') onEvent(parseJson(line) as JsonObject);
      });
      answer.on('end', () => onEnd());
      answer.on('error', onEnd);
    });
    sent.on('error', onEnd);
    sent.end();
    return () => sent.destroy();
  }

  /** @throws {Error} for every status from 300 on, except 404 to a deletion */
  async must(method: Method, path: string, body?: unknown, type?: string): Promise<JsonObject> {
    const answer = await this.ask(method, path, body, type);
    if (answer.code >= 300 && !(method === 'DELETE' && answer.code === 404)) {
      throw new Error(`${method} ${path}: ${answer.code} ${messageOf(answer.body)}`);
    }
    return answer.body;
  }

  /** Asks until the answer is right, ten times a second, for up to a minute. */
  async until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + 60_000;
    for (;;) {
      const found = await ask();
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`${what}: not so after a minute`);
      await pause(100);
    }
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The texts of `Warning: 299 - "..."`, of which one header may hold several (RFC 7234, section 5.5). Node reads bytes as Latin-1. */
function warningTexts(header: string | string[] | undefined): string[] {
  const texts: string[] = [];
  for (const bytes of [header ?? []].flat()) {
    const value = Buffer.from(bytes, 'latin1').toString();
    for (const [, text] of value.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) texts.push(text!.replace(/\\(.)/g, '$1'));
  }
  return texts;
}

/** Where the objects of a kind are, by `apiVersion` and `kind`. */
const RESOURCES: Readonly<Record<string, { readonly plural: string; readonly isClusterScoped?: true }>> = {
  Namespace: { plural: 'namespaces', isClusterScoped: true },
  Node: { plural: 'nodes', isClusterScoped: true },
  PersistentVolume: { plural: 'persistentvolumes', isClusterScoped: true },
  PriorityClass: { plural: 'priorityclasses', isClusterScoped: true },
  RuntimeClass: { plural: 'runtimeclasses', isClusterScoped: true },
  StorageClass: { plural: 'storageclasses', isClusterScoped: true },
  ValidatingAdmissionPolicy: { plural: 'validatingadmissionpolicies', isClusterScoped: true },
  ValidatingAdmissionPolicyBinding: { plural: 'validatingadmissionpolicybindings', isClusterScoped: true },
  Pod: { plural: 'pods' },
  ServiceAccount: { plural: 'serviceaccounts' },
  LimitRange: { plural: 'limitranges' },
  ResourceQuota: { plural: 'resourcequotas' },
  ConfigMap: { plural: 'configmaps' },
  PodTemplate: { plural: 'podtemplates' },
  PersistentVolumeClaim: { plural: 'persistentvolumeclaims' },
  PodDisruptionBudget: { plural: 'poddisruptionbudgets' },
  ReplicationController: { plural: 'replicationcontrollers' },
  ReplicaSet: { plural: 'replicasets' },
  Deployment: { plural: 'deployments' },
  StatefulSet: { plural: 'statefulsets' },
  DaemonSet: { plural: 'daemonsets' },
  Job: { plural: 'jobs' },
  CronJob: { plural: 'cronjobs' },
};

/** The path of the collection in which an object is created. */
export function collectionOf(object: JsonObject, namespace: string): string {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const resource = RESOURCES[kind];
  if (resource === undefined) throw new Error(`no path is known for ${apiVersion} ${kind}`);
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return resource.isClusterScoped
    ? `${group}/${resource.plural}`
    : `${group}/namespaces/${namespace}/${resource.plural}`;
}

export const nameOf = (object: JsonObject): string => (object['metadata'] as { readonly name: string }).name;

/** The words of a Status. */
export const messageOf = (body: JsonObject): string => (body as { readonly message: string }).message;

/** The path of an object. */
export const pathOf = (object: JsonObject, namespace: string): string =>
  `${collectionOf(object, namespace)}/${nameOf(object)}`;
