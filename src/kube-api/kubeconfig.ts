import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ApiServer, ApiUser } from './api-server.js';
import { isJsonObject } from '../core/json/json-value.js';

/** Something that is wrong with a kubeconfig. */
export interface KubeconfigFault {
  /** A JSON pointer into the kubeconfig. */
  readonly pointer: string;
  readonly message: string;
}

export type ReadKubeconfig =
  | { readonly outcome: 'read'; readonly context: string; readonly apiServer: ApiServer }
  | { readonly outcome: 'invalid'; readonly faults: readonly KubeconfigFault[] };

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a user that have the service run a program, read a file of its machine, or send a password; each with what to do instead. */
const REFUSED_USER_FIELDS: Readonly<Record<string, string>> = {
  exec: 'the service does not run credential plugins; use the token of a ServiceAccount',
  'auth-provider': 'the service does not run credential plugins; use the token of a ServiceAccount',
  tokenFile: 'the service reads no files for a kubeconfig; give token',
  'client-certificate': 'the service reads no files for a kubeconfig; give client-certificate-data',
  'client-key': 'the service reads no files for a kubeconfig; give client-key-data',
  username: 'API servers do not accept passwords; give a token or a client certificate',
  password: 'API servers do not accept passwords; give a token or a client certificate',
  as: 'impersonation is not supported; use the credentials of the user itself',
  'as-uid': 'impersonation is not supported; use the credentials of the user itself',
  'as-groups': 'impersonation is not supported; use the credentials of the user itself',
  'as-user-extra': 'impersonation is not supported; use the credentials of the user itself',
};

const REFUSED_CLUSTER_FIELDS: Readonly<Record<string, string>> = {
  'certificate-authority': 'the service reads no files for a kubeconfig; give certificate-authority-data',
  'proxy-url': 'proxies are not supported',
};

/**
 * Reads one context of a kubeconfig. Only credentials that are in the kubeconfig itself are accepted.
 *
 * Source of the form: k8s.io/client-go v0.36.2, tools/clientcmd/api/v1/types.go.
 *
 * @param context its `current-context` by default
 * @returns every fault of the context at once
 */
export function readKubeconfig(value: unknown, context?: string): ReadKubeconfig {
  const faults: KubeconfigFault[] = [];
  const complain: Complain = (pointer, message) => {
    faults.push({ pointer, message });
  };
  if (!isJsonObject(value))
    return { outcome: 'invalid', faults: [{ pointer: '', message: 'must be an object of kind Config' }] };
  if (value['kind'] !== undefined && value['kind'] !== 'Config') complain('/kind', 'must be Config');
  const name = context ?? value['current-context'];
  if (typeof name !== 'string' || name === '') {
    complain('/current-context', 'must name the context to use, unless the request does');
    return { outcome: 'invalid', faults };
  }
  const chosen = named(value, 'contexts', name, 'context', complain);
  if (chosen === undefined) return { outcome: 'invalid', faults };
  const cluster = named(value, 'clusters', chosen.value['cluster'], 'cluster', complain);
  const user = named(value, 'users', chosen.value['user'], 'user', complain);
  const reached = cluster && clusterOf(cluster, complain);
  const known = user && userOf(user, complain);
  if (faults.length > 0 || reached === undefined || known === undefined) return { outcome: 'invalid', faults };
  return { outcome: 'read', context: name, apiServer: { ...reached, user: known } };
}

type Complain = (pointer: string, message: string) => void;

interface Named {
  readonly pointer: string;
  readonly value: Fields;
}

/** An entry of a list of `{name, KEY: value}`. */
function named(config: Fields, list: string, name: unknown, key: string, complain: Complain): Named | undefined {
  const entries = config[list];
  if (typeof name !== 'string') {
    complain(`/${list}`, `the context names no ${key}`);
    return undefined;
  }
  const index = Array.isArray(entries)
    ? entries.findIndex((entry) => isJsonObject(entry) && entry['name'] === name)
    : -1;
  const entry = (entries as readonly Fields[] | undefined)?.[index];
  const value = index < 0 ? undefined : entry![key];
  if (!isJsonObject(value)) {
    complain(`/${list}`, `has no ${key} ${JSON.stringify(name)}`);
    return undefined;
  }
  return { pointer: `/${list}/${index}/${key}`, value };
}

function clusterOf({ pointer, value }: Named, complain: Complain): Omit<ApiServer, 'user'> | undefined {
  refuse(value, REFUSED_CLUSTER_FIELDS, pointer, complain);
  if (value['insecure-skip-tls-verify'] === true) {
    complain(
      `${pointer}/insecure-skip-tls-verify`,
      'must not be set: whoever is on the way could read the credentials',
    );
  }
  const server = value['server'];
  if (typeof server !== 'string' || !isServer(server)) {
    complain(`${pointer}/server`, 'must be an https:// URL without user, query and fragment');
  }
  const ca = textOf(value, 'certificate-authority-data', pointer, complain);
  if (ca !== undefined && !isCertificate(ca)) {
    complain(`${pointer}/certificate-authority-data`, 'must be base64 of a certificate in PEM');
  }
  const serverName = value['tls-server-name'];
  return {
    server: String(server).replace(/\/+$/, ''),
    ...(ca !== undefined && { ca }),
    ...(typeof serverName === 'string' && serverName !== '' && { serverName }),
  };
}

function userOf({ pointer, value }: Named, complain: Complain): ApiUser | undefined {
  refuse(value, REFUSED_USER_FIELDS, pointer, complain);
  const certificate = textOf(value, 'client-certificate-data', pointer, complain);
  const key = textOf(value, 'client-key-data', pointer, complain);
  const { token } = value;
  if (typeof token === 'string' && token !== '') {
    if (!/^[\x21-\x7e]+$/.test(token)) {
      complain(`${pointer}/token`, 'must be visible ASCII without spaces');
      return undefined;
    }
    return { kind: 'token', token };
  }
  if (certificate === undefined || key === undefined) {
    complain(pointer, 'must have a token, or client-certificate-data and client-key-data');
    return undefined;
  }
  if (!isCertificate(certificate)) {
    complain(`${pointer}/client-certificate-data`, 'must be base64 of a certificate in PEM');
  }
  if (!isKey(key)) complain(`${pointer}/client-key-data`, 'must be base64 of a private key in PEM');
  return { kind: 'certificate', certificate, key };
}

function refuse(value: Fields, refused: Readonly<Record<string, string>>, pointer: string, complain: Complain): void {
  for (const [field, message] of Object.entries(refused)) {
    const given = value[field];
    if (given !== undefined && given !== null && given !== '') complain(`${pointer}/${field}`, message);
  }
}

/** A text in base64; undefined without it. */
function textOf(value: Fields, field: string, pointer: string, complain: Complain): string | undefined {
  const text = value[field];
  if (text === undefined || text === null || text === '') return undefined;
  if (typeof text === 'string' && /^[A-Za-z0-9+/\s]+=*\s*$/.test(text)) return Buffer.from(text, 'base64').toString();
  complain(`${pointer}/${field}`, 'must be base64');
  return undefined;
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' && search === '' && hash === '';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}
